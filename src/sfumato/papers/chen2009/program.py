"""The dynamic program of Chen 2009, appendix A.3, line by line, for one value per person.

Compiled, so that what is compared is the algorithm and not the language. As the paper has it: no
recursion, one scan over the groups, and of the two arrays only the layer of the group before. A
group without the value holds no target, and V is 1 there.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.compiled import compiled


@compiled
def least_odds(counts, sizes, l, k, m):  # type: ignore[no-untyped-def]
    """Give minNR of every value: breach is 1 / (1 + minNR); counts: (n_groups, n_values)."""
    n_groups, n_values = counts.shape
    odds = np.empty(n_values)
    v = np.empty((k + 2, m + 1))  # V(f, j, i) at [i, j]
    t = np.empty(k + 1)  # T(f, l, i)
    with_t = np.empty((k + 1, m + 1))
    without_t = np.empty((k + 1, m + 1))
    with_before = np.empty((k + 1, m + 1))
    without_before = np.empty((k + 1, m + 1))
    for value in range(n_values):
        with_before[:] = math.inf
        without_before[:] = 1.0  # nobody yet; amounts are "up to"
        held = False  # whether a group before holds the value, and so may hold the target
        for f in range(n_groups):
            n, having = sizes[f], counts[f, value]
            _formulas(counts[f], n, having, l, k, m, t, v)
            for i in range(k + 1):
                for j in range(m + 1):
                    best_with = math.inf
                    best_without = math.inf
                    for a in range(i + 1):
                        for b in range(j + 1):
                            here = v[i - a, j - b]
                            if held:  # (a)
                                best_with = min(best_with, with_before[a, b] * here)
                            if having:  # (b)
                                target = t[i - a] * v[i - a + 1, j - b]
                                best_with = min(best_with, without_before[a, b] * target)
                            best_without = min(best_without, without_before[a, b] * here)
                    with_t[i, j] = best_with
                    without_t[i, j] = best_without
            held = held or having > 0
            with_t, with_before = with_before, with_t
            without_t, without_before = without_before, without_t
        odds[value] = with_before[k, m]
    return odds


@compiled
def _formulas(counts, n, having, l, k, m, t, v):  # type: ignore[no-untyped-def]
    """Write T and V of one group (section 7.1, one value per person)."""
    others = np.sort(counts)[::-1]  # the most frequent first
    ruled_out, n_taken, skipped = 0, 0, False
    for count in others:
        if n_taken == l:
            break
        if count == having and not skipped:
            skipped = True  # the value itself, or one that is as frequent
            continue
        ruled_out += count
        n_taken += 1
    for i in range(k + 1):
        t[i] = max(n - having - ruled_out - i, 0) / having if having else math.inf
    for i in range(k + 2):
        v[i, 0] = 1.0
        for j in range(m):
            left = n - having - i - j
            if not having:
                v[i, j + 1] = 1.0
            else:
                v[i, j + 1] = v[i, j] * left / (n - i - j) if left > 0 else 0.0
