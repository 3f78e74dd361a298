"""SkylineAnonymize on a table that does not fit: level by level, piece after piece.

The queue of figure 4 (Chen 2009) goes through the regions level by level, and those that were cut
out of one region stand together on every level. So a level is cut piece after piece, in the order
of the queue, and the global statistics pass from one to the next: they are the same numbers at
every cut as if all combinations were in memory. Open regions are on disk between two levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.pieces import Decided, Decision
from sfumato.algorithms.skyline_mondrian.by_columns import cut_by_columns
from sfumato.algorithms.skyline_mondrian.open_regions import OnDisk, OpenRegions, Waiting
from sfumato.algorithms.skyline_mondrian.regions import Begun, Cutting, Regions
from sfumato.algorithms.skyline_mondrian.task import Task
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Assignment
from sfumato.progress import report
from sfumato.stored_counts import StoredCounts


class Levels:
    """The regions of one level: numbers of those that stay in the engine, others on disk."""

    def __init__(self, stored: StoredCounts, task: Task) -> None:
        if task.wanted.live:
            raise NotImplementedError  # statistics that may rise are of regions, not of a level
        self.stored, self.task = stored, task
        self.columns = range(len(stored.quasi_identifiers))
        self.regions = stored.regions
        self.level: list[int | Waiting] = [0]
        self.on_disk = OnDisk()
        self.decided = Decided(stored)
        self.n_decided = 0  # keys
        self._numbers = count()  # of what is decided at a time
        ((_, everybody),) = stored.along(self.regions, [0], 0, task.gain_of)
        self.tree = Regions(everybody, task, everybody.quasi_identifiers[:1]).tree

    def run(self) -> Decided:
        """Cut until no cut is safe."""
        while self.level:
            self.cut_level()
        self.stored.counted.release()
        return self.decided

    def cut_level(self) -> None:
        """Cut all regions of a level once; alone and in memory, they are cut to the end."""
        large = [each for each in self.level if isinstance(each, int)]
        seen = [
            dict(self.stored.along(self.regions, large, column, self.task.gain_of))
            for column in (self.columns if large else ())
        ]
        turns = list(self._turns())
        following: list[int | Waiting] = []
        closed = []
        for turn in turns:
            report("cutting", self.n_decided, self.stored.counted.n_keys)
            if not isinstance(turn, int):
                following += self._cut(turn, to_the_end=len(turns) == 1)
                continue
            found = cut_by_columns([of_column[turn] for of_column in seen], self.task, self.tree)
            if found is None:
                closed.append(turn)
            else:
                following += [turn, self.regions.cut(turn, *found)]
        self._close(closed)
        self.level = self._fetched(following)

    def _turns(self) -> Iterator[int | list[Waiting]]:
        """Give the regions of a level in their order, neighbours together where they fit."""
        together: list[Waiting] = []
        for each in self.level:
            n_keys = sum(other.n_keys for other in together)
            if isinstance(each, int) or n_keys + each.n_keys > self.stored.most:
                if together:
                    yield together
                together = []
            if isinstance(each, int):
                yield each
            else:
                together.append(each)
        if together:
            yield together

    def _cut(self, waiting: Sequence[Waiting], *, to_the_end: bool) -> list[Waiting]:
        """Cut open regions; what is closed is decided, what is open goes to disk again."""
        opened = OpenRegions.joined([self.on_disk.take(each) for each in waiting])
        people, region = opened.seen_in(self.stored)
        regions = Regions(people, self.task, begun=Begun(region, opened.boxes), tree=self.tree)
        cutting = regions.run() if to_the_end else regions.run_once()
        place = np.full(len(cutting.boxes), -1, dtype=np.intp)
        place[cutting.waiting] = np.arange(len(cutting.waiting))
        of_key = place[cutting.region][people.combination_of]
        self._decide(people, cutting, of_key < 0)
        if not len(cutting.waiting):
            return []
        boxes = cutting.boxes[cutting.waiting]
        return [self.on_disk.put(OpenRegions.of(people, of_key, boxes))]

    def _decide(self, people: FrequencySet, cutting: Cutting, is_closed: NDArray[np.bool_]) -> None:
        """Take the regions that are not cut any further as groups; is_closed: of every key."""
        if not is_closed.any():
            return
        digests = [each[is_closed] for each in people.digests.values()]
        inside = self.stored.seen(people.keys[is_closed], people.counts[is_closed], digests)
        region = cutting.region[np.unique(people.combination_of[is_closed])]
        used, group = np.unique(region, return_inverse=True)
        ground = inside.combinations
        parts = np.stack([np.arange(len(ground)), group, ground.counts], axis=1)
        groups = Assignment(ground, cutting.boxes[used], parts.astype(np.int64))
        self.decided.add(Decision.about(next(self._numbers), inside, groups))
        self.n_decided += len(inside)

    def _close(self, large: Sequence[int]) -> None:
        """Take regions that do not fit, and have no safe cut, as groups."""
        numbers = {region: next(self._numbers) for region in large}
        boxes = self.regions.boxes
        for region, people in self.stored.pieces(self.regions, large) if large else ():
            self.decided.add(Decision.one_group(numbers[region], people, boxes[region]))
            self.n_decided += len(people)

    def _fetched(self, level: list[int | Waiting]) -> list[int | Waiting]:
        """Bring those regions here that fit."""
        inside = [each for each in level if isinstance(each, int)]
        if not inside:
            return level
        sizes = self.stored.counted.sizes(self.regions)
        small = [each for each in inside if sizes[each] <= self.stored.most]
        boxes, here = self.regions.boxes, {}
        for region, people in self.stored.pieces(self.regions, small) if small else ():
            one = np.zeros(len(people), dtype=np.intp)
            here[region] = self.on_disk.put(OpenRegions.of(people, one, boxes[[region]]))
        return [here.get(each, each) if isinstance(each, int) else each for each in level]
