"""Twin of `Local`: the same steps on lists, every box measured anew.

A point is a tuple of cells; `people[i]` are those of point i; `losses[j][low][high]` is what a side
of column j loses. Groups are lists of points; the order of the steps is that of the definition.
"""

GAIN = 1e-9
NEAREST = 4


class Twin:
    def __init__(self, points, people, losses, k):
        self.points, self.people, self.losses, self.k = points, people, losses, k

    def n(self, members):
        return sum(self.people[i] for i in members)

    def loss(self, members):
        """What a person loses who is published with these."""
        lost = 0.0
        for j, column in enumerate(self.losses):
            cells = [self.points[i][j] for i in members]
            lost += column[min(cells)][max(cells)]
        return lost

    def cost(self, members):
        return self.n(members) * self.loss(members) if members else 0.0

    def total(self, groups):
        return sum(self.cost(group) for group in groups)

    # ------------------------------------------------------------------------------------- regions

    def regions(self, members, most, least, share=0.0):
        """Cut where the two boxes lose least, as long as there are more than `most` points."""
        if len(members) <= most:
            return [members]
        even = int(share * self.n(members))
        cut = self.best_cut(members, even) if even > least else None
        cut = cut or self.best_cut(members, least)
        if cut is None:
            return [members]
        j, value = cut
        lower = [i for i in members if self.points[i][j] <= value]
        upper = [i for i in members if self.points[i][j] > value]
        return [
            region for side in (lower, upper) for region in self.regions(side, most, least, share)
        ]

    def best_cut(self, members, least):
        best, cut = float("inf"), None
        for j in range(len(self.losses)):
            for value in sorted({self.points[i][j] for i in members})[:-1]:
                lower = [i for i in members if self.points[i][j] <= value]
                upper = [i for i in members if self.points[i][j] > value]
                if min(self.n(lower), self.n(upper)) < least:
                    continue
                lost = self.cost(lower) + self.cost(upper)
                if lost < best:
                    best, cut = lost, (j, value)
        return cut

    # ----------------------------------------------------------------------------------- gathering

    def formed(self, members, most, least, stride):
        groups = []
        for region in self.regions(members, most, least):
            here, left = self.gather(region, stride)
            for i in left:
                nearest = self.nearest(here, i, float("inf"), 1)
                nearest[0][1].append(i)
            groups += here
        return groups

    def gather(self, region, stride):
        free, groups = list(region), []
        while True:
            before = len(groups)
            grown = [[seed, *self.grow(seed, free)] for seed in free[::stride]]
            while True:
                able = [each for each in grown if each[0] in free and each[1] < float("inf")]
                if not able:
                    break
                best = min(able, key=lambda each: each[1])
                if not set(best[2]) <= set(free):
                    best[1:] = self.grow(best[0], free)
                    continue
                groups.append(best[2])
                free = [i for i in free if i not in best[2]]
            if len(groups) == before or stride == 1:
                return groups, free

    def grow(self, seed, free):
        members = [seed]
        while self.n(members) < self.k:
            others = [i for i in free if i not in members]
            if not others:
                return float("inf"), members
            wanted = max(1, (self.k - self.n(members)) // 4)
            others.sort(key=lambda i: self.loss([*members, i]))
            for i in others[:wanted]:
                if self.n(members) < self.k:
                    members.append(i)
        return self.loss(members), members

    # -------------------------------------------------------------------------------------- moving

    def nearest(self, groups, i, most, n_asked):
        """The groups in which a point costs least, with what it costs; the first of equal ones."""
        found = []
        for group in groups:
            if i in group or not group:
                continue
            n, before = self.n(group) + self.people[i], self.cost(group)
            with_it = self.loss([*group, i])
            if with_it < (most + before) / n and with_it * n - before < most:
                at = len([None for cost, _ in found if cost <= with_it * n - before])
                found.insert(at, (with_it * n - before, group))
                if len(found) >= n_asked:
                    found = found[:n_asked]
                    most = found[-1][0]
        return found

    def improve(self, groups, points):
        gained = 0.0
        home = {i: group for group in groups for i in group}
        for i in points:
            group = home[i]
            rest = [j for j in group if j != i]
            before = self.cost(group)
            if not rest or (saved := before - self.cost(rest)) <= GAIN:
                continue
            may_leave = self.n(rest) >= self.k
            found = self.nearest(groups, i, saved - GAIN if may_leave else float("inf"), NEAREST)
            if not found:
                continue
            if may_leave:
                cost, target = found[0]
                self.move(home, i, target)
                gained += saved - cost
                continue
            best, partner = GAIN, None
            for _, target in found:
                for other in target:
                    here = [*rest, other]
                    there = [i, *(j for j in target if j != other)]
                    if len(there) > 1 and min(self.n(here), self.n(there)) >= self.k:
                        gain = before + self.cost(target) - self.cost(here)
                        if gain > best:
                            gain -= self.cost(there)
                        if gain > best:
                            best, partner = gain, other
            if partner is not None:
                target = home[partner]
                self.move(home, i, target)
                self.move(home, partner, group)
                gained += best
        for group in groups:
            gained += self.dissolve(home, groups, group)
        return gained

    def move(self, home, i, target):
        """Members come to the front, as they do in a chain."""
        home[i].remove(i)
        target.insert(0, i)
        home[i] = target

    def dissolve(self, home, groups, group):
        before, spent = self.cost(group), 0.0
        if before <= GAIN:
            return 0.0
        targets = []
        for i in group:
            found = self.nearest(groups, i, before - spent, 1)
            if not found:
                return 0.0
            spent += found[0][0]
            targets.append(self.nearest(groups, i, float("inf"), 1)[0][1])
        members = list(group)
        touched = [each for each in groups if any(each is target for target in targets)]
        for target in touched:
            before += self.cost(target)
        for i, target in zip(members, targets, strict=True):
            self.move(home, i, target)
        after = sum((self.cost(target) for target in touched), 0.0)
        if after >= before - GAIN:
            for i in members:
                self.move(home, i, group)
            return 0.0
        return before - after
