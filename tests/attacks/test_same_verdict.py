"""Verdicts that are the same whoever has which value: else a verdict would tell of it."""

from itertools import permutations

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks.known_method.solver import Solver


def report_of(q, r, s, promise):
    table = sf.read(pa.table({"q": q, "r": r, "s": s}), {"q": sf.Flat(), "r": sf.Flat()}, "s")
    release = sf.anonymize(table, promise, sf.Samarati())
    return release, sf.audit(release)


def test_witnesses_are_looked_for_without_a_look_at_what_people_have(monkeypatch):
    """Two groups of two and five people; the first two of one at least are alike, which failed."""
    monkeypatch.setattr(Solver, "component", lambda self, groups, steps: None)
    promise = sf.KAnonymity(2) & sf.LDiversity(2)
    verdicts = set()
    for first, second in permutations(["aa", "bb", "ab", "ca", "cb"], 2):
        if first not in ("aa", "bb") and second not in ("aa", "bb"):
            continue  # then these two are published
        s = []
        for own in (first, second):
            rest = list("aabbcde")
            for value in own:
                rest.remove(value)
            s += [*own, *rest]
        release, report = report_of([*"1" * 7, *"2" * 7], [*"xxyyyyy"] * 2, s, promise)
        assert release.levels == {"q": 0, "r": 1}
        (finding,) = [each for each in report.findings if each.attack == "mechanism"]
        verdicts.add((finding.holds, finding.found, finding.interval, finding.n_exceeding))
    assert len(verdicts) == 1


@pytest.mark.long
def test_who_knows_everybody_elses_values_decides_nothing():
    """Some first four of 300 groups have three h, which failed: 1 or 2 of them, nobody knows."""
    known = []
    for n_breaking in (1, 2):
        q, r, s = [], [], []
        for g in range(300):
            n = 3 if g < n_breaking else 1
            q += [f"g{g:03d}"] * 16
            r += ["x"] * 4 + ["y"] * 12
            s += ["h"] * n + ["n"] * (4 - n) + ["h"] * (3 - n) + ["n"] * (9 + n)
        _, report = report_of(q, r, s, sf.LDiversity(2, "frequency", ["h"]))
        (minimality,) = [each for each in report.findings if each.attack == "minimality"]
        assert minimality.holds is None
        public = report.public()
        known.append((report.verdict, report.succeeded, public.verdict, public.succeeded))
    assert known[0] == known[1]
