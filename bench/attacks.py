"""Every attack on a published table of a million groups, against counting the groups' values."""

import time

import numpy as np

import sfumato as sf
from sfumato.attacks import (
    BackgroundKnowledge,
    Homogeneity,
    Linkage,
    Similarity,
    Skewness,
    Target,
)
from sfumato.attacks.matching import people_in
from sfumato.data.frequency import FrequencySet

N_GROUPS, N_KEYS = 1_000_000, 5_000_000
KINDS = {f"kind {j}": [f"value {j}.{i}" for i in range(10)] for j in range(10)}
PROMISE = (
    sf.KAnonymity(5)
    & sf.LDiversity(2, attribute="disease")
    & sf.LDiversity(2, "entropy", attribute="disease")
    & sf.RecursiveDiversity(3, 2, attribute="disease")
    & sf.TCloseness(0.5, "hierarchical", attribute="disease")
    & sf.KEAnonymity(5, 10, attribute="income")
)


def published(n_groups=N_GROUPS, n_keys=N_KEYS, seed=1):
    """Groups of a few people each, with a disease out of a tree and an income."""
    random = np.random.default_rng(seed)
    side = round(n_groups ** (1 / 3))
    places = [str(j) for j in range(side)]
    domains = {name: sf.Tree(places).grow(name, places)[0] for name in ("age", "zip", "job")}
    diseases = [leaf for leaves in KINDS.values() for leaf in leaves]
    domains["disease"] = sf.Tree(KINDS).grow("disease", diseases)[0]
    incomes = list(range(1000))
    domains["income"] = sf.Flat().grow("income", incomes)[0]
    group = random.integers(0, side**3, n_keys)
    codes = {
        "age": group // side**2,
        "zip": group // side % side,
        "job": group % side,
        "disease": random.integers(0, len(diseases), n_keys),
        "income": random.integers(0, len(incomes), n_keys),
    }
    coded = {name: column.astype(np.int32) for name, column in codes.items()}
    return FrequencySet.from_codes(
        domains,
        ("age", "zip", "job"),
        ("disease", "income"),
        coded,
        random.integers(1, 4, n_keys),
    )


def attacks():
    """Every attack, by what it is called here."""
    tried = {"linkage, prosecutor": Linkage(), "linkage, marketer": Linkage("marketer")}
    for name, others in (("", False), (", other values known", True)):
        for attribute in ("disease", "income"):
            asked = {"attribute": attribute, "others": others}
            for kind in (Homogeneity, BackgroundKnowledge, Skewness, Similarity):
                tried[f"{kind.name} ({attribute}){name}"] = kind(**asked)
            tried[f"two values excluded ({attribute}){name}"] = BackgroundKnowledge(
                excludes=2, **asked
            )
    return tried


def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main():
    frequencies = published()
    seen = frequencies.as_it_is()
    counting = seconds(lambda: (seen.sizes, seen.joint.by("disease")))
    print(f"{len(seen.sizes)} groups, {len(frequencies)} keys: counted in {counting:.2f} s")
    for promise in (None, PROMISE):
        print("nothing promised" if promise is None else f"promised: {promise}")
        target = Target(seen, promise)
        for name, attack in attacks().items():
            took = seconds(lambda attack=attack, target=target: attack.find(target))
            print(f"{name}: {took:.2f} s, {took / counting:.1f} times the counting")
    took = seconds(lambda: people_in(seen.boxes, frequencies))
    print(f"who fits {len(seen.boxes)} single cells: {took:.2f} s")
    random = np.random.default_rng(2)
    wide = seen.boxes[random.permutation(len(seen.boxes))[:200_000]].copy()
    wide[:, :, 1] = np.minimum(wide[:, :, 0] + random.integers(0, 4, wide.shape[:2]), 99)
    took = seconds(lambda: people_in(wide, frequencies))
    print(f"who fits {len(wide)} overlapping boxes: {took:.2f} s")


if __name__ == "__main__":
    main()
