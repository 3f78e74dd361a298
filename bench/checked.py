"""What it costs that values have no part in a search: joint methods beside checked ones.

For every bundled table: the least k of a list at which groups made by quasi-identifiers and k alone
satisfy the criterion, their information loss, and that of the joint search, which is smaller and
gives people away.

    python bench/checked.py
"""

import sfumato as sf
from common import complete_adult

KS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 120, 160, 320, 640)
PROMISES = [sf.LDiversity(3), sf.LDiversity(2, "frequency")]
METHODS = [sf.Mondrian(), sf.Mondrian(strict=False), sf.Optimal(), sf.TopDown("cut")]


def tables():
    """The bundled tables, with a sensitive column each."""
    yield (
        "patients",
        sf.read(
            sf.datasets.patients(),
            {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
            sensitive="disease",
        ),
    )
    hierarchies = sf.datasets.adult_hierarchies()
    names = ["age", "workclass", "marital-status", "race", "sex", "native-country"]
    yield (
        "Adult, education",
        sf.read(
            complete_adult(), {name: hierarchies[name] for name in names}, sensitive="education"
        ),
    )
    yield (
        "Adult, occupation",
        sf.read(
            complete_adult(), {name: hierarchies[name] for name in names}, sensitive="occupation"
        ),
    )


def least_k(table, promise, method):
    """Give the least k that passes, with its release; None: none of the list does."""
    for k in KS:
        try:
            return k, sf.anonymize(table, promise, sf.Checked(method, (k,)))
        except sf.Unsatisfiable:
            continue
    return None


def main():
    """Print a table in Markdown."""
    print("| table | promise | method | joint: loss, groups | checked: k, loss, groups |")
    print("|---|---|---|---|---|")
    for name, table in tables():
        for promise in PROMISES:
            for method in METHODS:
                joint = sf.anonymize(table, promise, method)
                found = least_k(table, promise, method)
                checked = f"none up to {KS[-1]}"
                if found is not None:
                    k, release = found
                    loss = sf.utility.information_loss(release)
                    checked = f"{k}, {loss:.3f}, {len(release.groups):,}"
                loss = sf.utility.information_loss(joint)
                cells = [name, f"`{promise}`", f"`{method}`"]
                cells += [f"{loss:.3f}, {len(joint.groups):,}", checked]
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
