"""Compiled loops: propose cuts, count both sides, apply the chosen ones; follow those made before.

What they are given is described in `compiled_search`, and for `follow` in `compiled_following`;
the tuples of arrays are read and written in place.
"""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled

MORE = 7  # a region proposes so many times as many cuts as were found unsafe
LAST, LEVEL, UNEVEN, RANK = range(4)  # what is kept of a cut while cuts are compared


@compiled
def propose(space, pieces, open_, proposals):  # type: ignore[no-untyped-def]
    """Write the next proposals of every open region; one that has none is to be closed."""
    n_dimensions = len(space.lengths)
    low, high = np.empty(n_dimensions, dtype=np.int64), np.empty(n_dimensions, dtype=np.int64)
    span = np.empty(n_dimensions, dtype=np.float64)
    line = np.zeros(space.longest, dtype=np.int64)  # people by code, all 0 between two uses
    cells = np.empty((2, space.longest), dtype=np.int64)
    cuts = np.empty((4, space.longest), dtype=np.int64)
    n = 0
    for r in range(len(open_.region)):
        first, before, n_dealt = open_.starts[r], n, 0
        member = open_.member[first : open_.starts[r + 1]]
        total, n_entries = 0, 0
        for piece in member:
            total += pieces.people[piece]
            n_entries += pieces.end[piece] - pieces.first[piece]
        may_cut = total >= 2 * space.least and len(member) > 1
        if may_cut:
            _measure(space, pieces.codes, member, low, high, span)
        to_skip = open_.turn[r]
        while may_cut and n == before and not (space.widest_only and open_.turn[r] > 0):
            j = 0
            for other in range(1, n_dimensions):
                if span[other] > span[j]:
                    j = other
            if span[j] < 0:
                break
            span[j] = -1.0
            if to_skip > 0:
                to_skip -= 1
                continue
            codes = pieces.codes[:, j]
            n_cells = _cells(codes, pieces.people, member, low[j], high[j], line, cells)
            if space.strict:
                n_cuts = _rank_cuts(space, j, cells, n_cells, total, open_.tried[r], cuts)
                for cut in range(n_cuts):
                    if cuts[RANK, cut] >= open_.tried[r]:
                        proposals.rank[n], proposals.dimension[n] = cuts[RANK, cut], j
                        proposals.at[n] = proposals.following[n] = cuts[LAST, cut] + 1
                        proposals.last[n] = cuts[LAST, cut]
                        proposals.split[n], proposals.wanted[n] = -1, 0
                        n += 1
            elif open_.tried[r] == 0:
                at, last, following, split, wanted = _half(
                    codes, pieces.people, member, cells, total // 2
                )
                proposals.rank[n], proposals.dimension[n], proposals.at[n] = 0, j, at
                proposals.last[n], proposals.following[n] = last, following
                proposals.split[n], proposals.wanted[n] = first + split, wanted
                n += 1
                if wanted > 0:
                    piece = member[split]
                    n_dealt = pieces.end[piece] - pieces.first[piece]
                    proposals.n_chances[r] = pieces.people[piece] if n_dealt > 1 else 0
            if n == before:
                open_.turn[r] += 1
                open_.tried[r] = 0
        proposals.starts[r + 1] = n
        proposals.dealt[r + 1] = proposals.dealt[r] + n_dealt
        proposals.n_counts[r] = 2 * (n - before) * min(space.n_values, n_entries)


@compiled
def _measure(space, codes, member, low, high, span):  # type: ignore[no-untyped-def]
    """Write the ends of a region along every dimension, and its width; -1: a single value."""
    for j in range(len(span)):
        low[j] = high[j] = codes[member[0], j]
    for piece in member:
        for j in range(len(span)):
            code = np.int64(codes[piece, j])
            low[j], high[j] = min(low[j], code), max(high[j], code)
    for j in range(len(span)):
        start, end = space.offset[j] + low[j], space.offset[j] + high[j]
        span[j] = (space.place[end] - space.place[start]) / space.lengths[j]
        if low[j] == high[j]:
            span[j] = -1.0


@compiled
def _cells(codes, people, member, low, high, line, cells):  # type: ignore[no-untyped-def]
    """Write every code along a dimension with its people, by ascending code; give their number."""
    n = 0
    if high - low < 8 * len(member) + 64:
        for piece in member:
            line[codes[piece] - low] += people[piece]
        for step in range(high - low + 1):
            if line[step]:
                cells[0, n], cells[1, n] = low + step, line[step]
                line[step] = 0
                n += 1
        return n
    own = np.empty(len(member), dtype=np.int64)
    for i in range(len(member)):
        own[i] = codes[member[i]]
    for i in np.argsort(own):
        if n == 0 or cells[0, n - 1] != own[i]:
            cells[0, n], cells[1, n] = own[i], 0
            n += 1
        cells[1, n - 1] += people[member[i]]
    return n


@compiled
def _rank_cuts(space, j, cells, n_cells, total, tried, cuts):  # type: ignore[no-untyped-def]
    """Write all strict cuts that leave enough people on both sides, and give their number.

    Those that are next get a rank: between the largest nodes of a tree first, then nearest to
    halving, then lower.
    """
    n_cuts, n_lower, left = 0, 0, 0
    for cell in range(n_cells - 1):
        left += cells[1, cell]
        if left < space.least or total - left < space.least:
            continue
        code, following = cells[0, cell], cells[0, cell + 1]
        last, level = (code + following - 1) // 2, 0
        if not space.numeric[j]:  # below the smallest node around both, not half-way in between
            for value in range(code, following):
                if space.meet[space.offset[j] + value] > level:
                    last, level = value, space.meet[space.offset[j] + value]
        cuts[LAST, n_cuts], cuts[LEVEL, n_cuts] = last, level
        cuts[UNEVEN, n_cuts], cuts[RANK, n_cuts] = abs(2 * left - total), -1
        n_cuts += 1
        if 2 * left <= total:
            n_lower = n_cuts
    # From the middle outwards: further out, cuts are more uneven.
    n_ranked, n_wanted = 0, min(n_cuts, tried + min(max(1, MORE * tried), space.most))
    level = 0 if space.numeric[j] else space.height
    while n_ranked < n_wanted:
        lower, upper = n_lower - 1, n_lower
        while n_ranked < n_wanted:
            while lower >= 0 and cuts[LEVEL, lower] != level:
                lower -= 1
            while upper < n_cuts and cuts[LEVEL, upper] != level:
                upper += 1
            if lower < 0 and upper == n_cuts:
                break
            if upper == n_cuts or (lower >= 0 and cuts[UNEVEN, lower] <= cuts[UNEVEN, upper]):
                cuts[RANK, lower] = n_ranked
                lower -= 1
            else:
                cuts[RANK, upper] = n_ranked
                upper += 1
            n_ranked += 1
        level -= 1
    return n_cuts


@compiled
def _half(codes, people, member, cells, half):  # type: ignore[no-untyped-def]
    """Put the lower half of the people to the left, those of equal value by their combination.

    Gives what `_Proposals` calls at, last, following, split and wanted.
    """
    cell, left = 0, 0
    while left + cells[1, cell] < half:
        left += cells[1, cell]
        cell += 1
    middle = cells[0, cell]
    last = following = middle
    if left + cells[1, cell] == half:  # a clean cut: the values in between go half-way
        last = (middle + cells[0, cell + 1] - 1) // 2
        following = last + 1
    split = 0
    while codes[member[split]] != middle or left + people[member[split]] < half:
        if codes[member[split]] == middle:
            left += people[member[split]]
        split += 1
    if left + people[member[split]] == half:
        return middle, last, following, split + 1, 0
    return middle, last, following, split, half - left


@compiled
def count(space, pieces, entries, open_, proposals, first, last, chances, dealt, sides):  # type: ignore[no-untyped-def]
    """Count the sensitive values on both sides of the cuts of some regions."""
    # Cuts and what is beyond the last one, by value; all 0 between two regions.
    table = np.zeros((space.most + 1, space.n_values), dtype=np.int64)
    is_seen = np.zeros(space.n_values, dtype=np.bool_)
    seen, order = np.empty(space.n_values, dtype=np.int64), np.empty(space.n_values, dtype=np.int64)
    side, n, n_used = 0, 0, 0
    for r in range(first, last):
        begin, end = proposals.starts[r], proposals.starts[r + 1]
        if begin == end:
            continue
        j = proposals.dimension[begin]
        n_seen = 0
        for i in range(open_.starts[r], open_.starts[r + 1]):
            piece = open_.member[i]
            code = pieces.codes[piece, j]
            low, high = begin, end  # the member is left of the cuts from `low` on
            while low < high:
                middle = (low + high) // 2
                if _is_left(code, i, proposals.at[middle], proposals.split[middle]):
                    high = middle
                else:
                    low = middle + 1
            for e in range(pieces.first[piece], pieces.end[piece]):
                value = entries.value[e]
                if not is_seen[value]:
                    is_seen[value] = True
                    seen[n_seen] = value
                    n_seen += 1
                table[low - begin, value] += entries.people[e]
        if proposals.wanted[begin] > 0:
            piece = open_.member[proposals.split[begin]]
            share = dealt[proposals.dealt[r] : proposals.dealt[r + 1]]
            n_used = _deal(
                entries.people[pieces.first[piece] : pieces.end[piece]],
                proposals.wanted[begin],
                chances,
                n_used,
                share,
            )
            for c in range(len(share)):
                value = entries.value[pieces.first[piece] + c]
                table[0, value] += share[c]
                table[1, value] -= share[c]
        for c, at in enumerate(np.argsort(seen[:n_seen])):
            order[c] = seen[at]
        for cut in range(end - begin):
            for c in range(n_seen):
                table[cut + 1, order[c]] += table[cut, order[c]]
        for cut in range(end - begin):
            for right in range(2):
                for c in range(n_seen):
                    here = table[cut, order[c]]
                    if right:
                        here = table[end - begin, order[c]] - here
                    if here:
                        sides.codes[n], sides.counts[n] = order[c], here
                        sides.sizes[side] += here
                        n += 1
                side += 1
                sides.starts[side] = n
        for c in range(n_seen):
            is_seen[order[c]] = False
            for cut in range(end - begin + 1):
                table[cut, order[c]] = 0


@compiled
def _is_left(code, i, at, split):  # type: ignore[no-untyped-def]
    """Whether all people of a member go left."""
    return code < at or (code == at and i < split)


@compiled
def _deal(people, wanted, chances, n_used, share):  # type: ignore[no-untyped-def]
    """Choose `wanted` people, whatever their sensitive values; give the number of chances used.

    Those with the smallest chances, as `drawn_order` puts them.
    """
    if len(share) == 1:
        share[0] = wanted
        return n_used
    n_people = 0
    for c in range(len(share)):
        n_people += people[c]
    own = chances[n_used : n_used + n_people]
    largest = np.partition(own, wanted - 1)[wanted - 1]  # of those chosen
    for chance in own:
        if chance < largest:
            wanted -= 1
    for c in range(len(share)):
        for _ in range(people[c]):
            if chances[n_used] < largest:
                share[c] += 1
            elif chances[n_used] == largest and wanted > 0:  # the first of those that are equal
                share[c] += 1
                wanted -= 1
            n_used += 1
    return n_used


@compiled
def apply(  # type: ignore[no-untyped-def]
    pieces, entries, open_, proposals, safe, dealt, room, boxes, n_boxes, n_pieces, n_entries
):
    """Cut every region at its best safe proposal, and write the regions of the next round."""
    n_open, n_members = 0, 0
    for r in range(len(open_.region)):
        first, end, region = open_.starts[r], open_.starts[r + 1], open_.region[r]
        cut = -1
        for other in range(proposals.starts[r], proposals.starts[r + 1]):
            if safe[other] and (cut < 0 or proposals.rank[other] < proposals.rank[cut]):
                cut = other
        if proposals.starts[r] == proposals.starts[r + 1]:
            for i in range(first, end):
                pieces.region[open_.member[i]] = region
            continue
        if cut < 0:
            for i in range(first, end):
                room.member[n_members] = open_.member[i]
                n_members += 1
            room.region[n_open], room.turn[n_open] = region, open_.turn[r]
            room.tried[n_open] = open_.tried[r] + proposals.starts[r + 1] - proposals.starts[r]
            room.path[n_open] = open_.path[r]
            n_open += 1
            room.starts[n_open] = n_members
            continue
        j, at, split = proposals.dimension[cut], proposals.at[cut], proposals.split[cut]
        for d in range(boxes.shape[1]):
            boxes[n_boxes, d, 0], boxes[n_boxes, d, 1] = boxes[region, d, 0], boxes[region, d, 1]
        boxes[region, j, 1], boxes[n_boxes, j, 0] = proposals.last[cut], proposals.following[cut]
        for right in range(2):
            for i in range(first, end):
                piece = open_.member[i]
                if _is_left(pieces.codes[piece, j], i, at, split) == (right == 0):
                    room.member[n_members] = piece
                    n_members += 1
                elif i == split and proposals.wanted[cut] > 0:
                    share = dealt[proposals.dealt[r] : proposals.dealt[r + 1]]
                    n_entries = _halve(pieces, entries, piece, share, n_pieces, n_entries)
                    room.member[n_members] = n_pieces
                    n_members += 1
                    n_pieces += 1
            room.region[n_open] = n_boxes if right else region
            room.turn[n_open], room.tried[n_open] = 0, 0
            room.path[n_open] = (open_.path[r] << 1) | right
            n_open += 1
            room.starts[n_open] = n_members
        n_boxes += 1
    return n_open, n_members, n_boxes, n_pieces, n_entries


@compiled
def _halve(pieces, entries, piece, share, new, n_entries):  # type: ignore[no-untyped-def]
    """Move a share of every entry of a piece to a new one; give the number of all entries."""
    for j in range(pieces.codes.shape[1]):
        pieces.codes[new, j] = pieces.codes[piece, j]
    pieces.first[new], pieces.people[new] = n_entries, 0
    first = kept = pieces.first[piece]
    for c in range(len(share)):
        e = first + c
        key, value, people = entries.key[e], entries.value[e], entries.people[e]
        if share[c] > 0:
            entries.key[n_entries], entries.value[n_entries] = key, value
            entries.people[n_entries] = share[c]
            pieces.people[new] += share[c]
            n_entries += 1
        if people > share[c]:
            entries.key[kept], entries.value[kept] = key, value
            entries.people[kept] = people - share[c]
            kept += 1
    pieces.end[new], pieces.end[piece] = n_entries, kept
    pieces.people[piece] -= pieces.people[new]
    return n_entries


@compiled
def cut_deep(space, combinations, place, region, small, first, end, depth):  # type: ignore[no-untyped-def]
    """Cut a region wherever enough people are on both sides, and what comes of it, to the end.

    Strict cuts. What is known of combinations is put in order in place, those of every region side
    by side: their codes, people and numbers. Writes the region of every combination into `region`,
    by its number: 0 for the one that was given, c + 1 for what is right of cut c. Gives the cuts
    (n, 5): the region and the column that is cut, the last value on the left, how many cuts were
    made around the region before, and where it begins; and the regions of fewer combinations than
    `small`, which are left to others (n, 4): number, first, end and depth.
    """
    codes, people, number = combinations
    n_dimensions = len(space.lengths)
    low, high = np.empty(n_dimensions, dtype=np.int64), np.empty(n_dimensions, dtype=np.int64)
    span = np.empty(n_dimensions, dtype=np.float64)
    line = np.zeros(space.longest, dtype=np.int64)
    cells = np.empty((2, space.longest), dtype=np.int64)
    ranked = np.empty((4, space.longest), dtype=np.int64)
    made, n_made = np.empty((64, 5), dtype=np.int64), 0
    left, n_left = np.empty((64, 4), dtype=np.int64), 0
    open_, n_open = np.empty((64, 4), dtype=np.int64), 1
    open_[0, 0], open_[0, 1], open_[0, 2], open_[0, 3] = 0, first, end, depth
    while n_open:
        n_open -= 1
        own, first, end, depth = open_[n_open]
        if end - first < small:
            if n_left == len(left):
                left = _twice(left)
            left[n_left] = open_[n_open]
            n_left += 1
            continue
        total, last, j = 0, -1, 0
        for i in range(first, end):
            total += people[i]
        if total >= 2 * space.least and end - first > 1:
            mine = place[first:end]
            _measure(space, codes, mine, low, high, span)
            for _ in range(1 if space.widest_only else n_dimensions):
                j = int(np.argmax(span))  # the first of the widest
                if span[j] < 0:
                    break
                n_cells = _cells(codes[:, j], people, mine, low[j], high[j], line, cells)
                n_cuts = _rank_cuts(space, j, cells, n_cells, total, 0, ranked)
                for cut in range(n_cuts):
                    if ranked[RANK, cut] == 0:
                        last = ranked[LAST, cut]
                if last >= 0:
                    break
                span[j] = -1.0
        if last < 0:
            for i in range(first, end):
                region[number[i]] = own
            continue
        if n_made == len(made):
            made = _twice(made)
        made[n_made, 0], made[n_made, 1], made[n_made, 2] = own, j, last
        made[n_made, 3], made[n_made, 4] = depth, first
        n_made += 1
        right, stop = first, end
        while right < stop:
            if codes[right, j] <= last:
                right += 1
                continue
            stop -= 1
            for d in range(n_dimensions):
                codes[right, d], codes[stop, d] = codes[stop, d], codes[right, d]
            people[right], people[stop] = people[stop], people[right]
            number[right], number[stop] = number[stop], number[right]
        if n_open + 2 > len(open_):
            open_ = _twice(open_)
        open_[n_open, 0], open_[n_open, 1], open_[n_open, 2] = n_made, right, end
        open_[n_open + 1, 0], open_[n_open + 1, 1], open_[n_open + 1, 2] = own, first, right
        open_[n_open, 3] = open_[n_open + 1, 3] = depth + 1
        n_open += 2
    return made[:n_made], left[:n_left]


@compiled
def cut_boxes(made, boxes):  # type: ignore[no-untyped-def]
    """Cut boxes in two, in the order of the cuts; what is right of cut c becomes box c + 1."""
    for c in range(len(made)):
        region, j, last = made[c, 0], made[c, 1], made[c, 2]
        for d in range(boxes.shape[1]):
            boxes[c + 1, d, 0], boxes[c + 1, d, 1] = boxes[region, d, 0], boxes[region, d, 1]
        boxes[region, j, 1], boxes[c + 1, j, 0] = last, last + 1


@compiled
def follow(space, codes, people, group, member, failed):  # type: ignore[no-untyped-def]
    """Cut as the published groups were cut; write the cuts that were tried before, round by round.

    A region is cut at the first that parts no group. Members of a region stand together in
    `member`, and still do when its parts are put in order. Gives the failed cuts and their number.
    """
    n_dimensions = len(space.lengths)
    low, high = np.empty(n_dimensions, dtype=np.int64), np.empty(n_dimensions, dtype=np.int64)
    span = np.empty(n_dimensions, dtype=np.float64)
    line = np.zeros(space.longest, dtype=np.int64)
    cells = np.empty((2, space.longest), dtype=np.int64)
    cuts = np.empty((4, space.longest), dtype=np.int64)
    by_rank = np.empty(space.longest, dtype=np.int64)
    n_parted = np.empty(space.longest + 1, dtype=np.int64)
    ends = np.full(
        (2, 1 + group.max()), -1, dtype=np.int64
    )  # of groups along a line; -1 between two uses
    aside = np.empty(len(member), dtype=member.dtype)
    starts = np.empty((2, 2 * len(member)), dtype=np.int64)  # of regions; those of the next round
    starts[0, 0], starts[0, 1], n_open, number, n = 0, len(member), 1, 0, 0
    while n_open:
        here, there, n_next = starts[number % 2], starts[1 - number % 2], 0
        for r in range(n_open):
            first, end = here[2 * r], here[2 * r + 1]
            total = 0
            for i in range(first, end):
                total += people[member[i]]
            _measure(space, codes, member[first:end], low, high, span)
            taken, j = -1, 0
            while taken < 0:
                j = int(np.argmax(span))  # the first of the widest
                if span[j] < 0:
                    break
                mine = member[first:end]
                n_cells = _cells(codes[:, j], people, mine, low[j], high[j], line, cells)
                n_cuts = _rank_cuts(space, j, cells, n_cells, total, n_cells, cuts)
                _parting(codes[:, j], group, mine, ends, cuts, n_cuts, by_rank, n_parted)
                for rank in range(n_cuts):
                    cut = by_rank[rank]
                    if n_parted[cut] == 0:
                        taken = cuts[LAST, cut]
                        break
                    if n == len(failed):
                        failed = _twice(failed)
                    failed[n, 0], failed[n, 1], failed[n, 2] = number, j, first
                    failed[n, 3], failed[n, 4] = end, cuts[LAST, cut]
                    n += 1
                if space.widest_only:
                    break
                if taken < 0:
                    span[j] = -1.0
            if taken < 0:
                continue
            at, left, n_right = first, 0, 0
            for i in range(first, end):
                if codes[member[i], j] <= taken:
                    left += people[member[i]]
                    member[at] = member[i]
                    at += 1
                else:
                    aside[n_right] = member[i]
                    n_right += 1
            for i in range(n_right):
                member[at + i] = aside[i]
            for begin, stop, size in ((first, at, left), (at, end, total - left)):
                if size >= 2 * space.least:
                    there[2 * n_next], there[2 * n_next + 1] = begin, stop
                    n_next += 1
        n_open, number = n_next, number + 1
    return failed, n


@compiled
def _twice(rows):  # type: ignore[no-untyped-def]
    """Give rows twice the room."""
    room = np.empty((2 * len(rows), rows.shape[1]), dtype=np.int64)
    for r in range(len(rows)):
        for j in range(rows.shape[1]):
            room[r, j] = rows[r, j]
    return room


@compiled
def _parting(codes, group, member, ends, cuts, n_cuts, by_rank, n_parted):  # type: ignore[no-untyped-def]
    """Write the cuts by rank, and how many groups each of them parts."""
    for piece in member:
        g, code = group[piece], np.int64(codes[piece])
        if ends[0, g] < 0:
            ends[0, g] = ends[1, g] = code
        ends[0, g], ends[1, g] = min(ends[0, g], code), max(ends[1, g], code)
    n_parted[: n_cuts + 1] = 0
    for cut in range(n_cuts):
        by_rank[cuts[RANK, cut]] = cut
    for piece in member:
        g = group[piece]
        if ends[0, g] < 0:
            continue
        # The cuts from the first that is not below the group up to the last below its end.
        low, high = _first_cut(cuts, n_cuts, ends[0, g]), _first_cut(cuts, n_cuts, ends[1, g])
        n_parted[low] += 1
        n_parted[high] -= 1
        ends[0, g] = ends[1, g] = -1
    for cut in range(1, n_cuts):
        n_parted[cut] += n_parted[cut - 1]


@compiled
def _first_cut(cuts, n_cuts, code):  # type: ignore[no-untyped-def]
    """Find the first cut that has a code on its left."""
    low, high = 0, n_cuts
    while low < high:
        middle = (low + high) // 2
        if cuts[LAST, middle] >= code:
            high = middle
        else:
            low = middle + 1
    return low
