"""What is believed of one person can break a promise, and cannot show every one to be kept."""

import json
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks import Mechanism

LETTERS = sf.Tree(list("abcdef"))  # declared, so they are named whoever has them
TREE = sf.Tree({"bad": ["p", "q"], "good": ["n", "m"]})


def table(ages, values, **more):
    columns = pa.table({"x": list(ages), "s": list(values), **more})
    return sf.read(columns, {"x": LETTERS}, "s", hierarchies={"s": TREE})


def joined(n_first, n_second, values, counts, promise):
    """A release of one group, of two classes: one with these values that has to be joined."""
    everybody = [v for v, n in zip(values, counts, strict=True) for _ in range(n)]
    for turn in range(len(everybody)):
        dealt = everybody[turn:] + everybody[:turn]
        columns = pa.table({"x": ["a"] * n_first + ["b"] * n_second, "s": dealt})
        read = sf.read(columns, {"x": LETTERS}, "s")
        release = sf.anonymize(read, promise, sf.Samarati())
        if len(release.groups) == 1:
            return release
    raise AssertionError("nothing was joined")


# -------------------------------------------------------- promises about other people's values, too


@pytest.mark.parametrize(
    ("sizes", "counts", "c"),
    [
        ((3, 8), (1, 3, 7), "87/100"),  # 7/8, by the method and one other value
        ((3, 9), (1, 4, 7), "76/100"),  # 7/9
        ((4, 8), (2, 3, 7), "88/100"),  # 35/39
        ((4, 7), (5, 6), "67/100"),  # 27/40
    ],
)
def test_who_knows_others_too_is_not_shown_to_believe_no_more(sizes, counts, c):
    release = joined(*sizes, "uvw"[: len(counts)], counts, sf.Skyline([(0, 1, 0, c)]))
    finding = Mechanism().run(release)
    assert finding.holds is None
    assert "other people's values" in finding.note
    assert sf.audit(release).verdict == "undecided"


@pytest.mark.parametrize(
    ("sizes", "counts", "c"),
    [((3, 8), (3, 4, 4), "301/500"), ((4, 9), (2, 5, 6), "21/25")],  # 44/73 and 90/107
)
@pytest.mark.parametrize("promise", [sf.CKSafety, lambda c, k: sf.Skyline([(k, 1, 0, c)])])
def test_what_was_ruled_out_for_the_target_breaks_such_a_promise(sizes, counts, c, promise):
    """That somebody has not the first value is an implication, too."""
    try:
        release = joined(*sizes, "uvw"[: len(counts)], counts, promise(c, 1))
    except sf.Unsatisfiable:  # with another person's value, besides, it is asked too much
        assert promise is not sf.CKSafety
        return
    assert Mechanism().run(release).holds is False


def test_where_all_worlds_lead_to_the_same_groups_are_judged_as_they_are():
    """Half of six people: with one other value known 3/5, however the values are dealt."""
    release = sf.anonymize(
        table("ababbb", "nnnppp"), sf.Skyline([(0, 1, 0, "9/10")]), sf.Samarati()
    )
    finding = Mechanism().run(release)
    assert (finding.found, finding.holds) == (Fraction(1, 2), True)


def test_two_sensitive_columns_leave_it_open_who_knows_one_of_them():
    columns = {"x": list("aabb"), "s": list("ppnn"), "t": list("uvuv")}
    read = sf.read(pa.table(columns), {"x": LETTERS}, ["s", "t"])
    release = sf.anonymize(read, sf.LDiversity(2), sf.Samarati())
    for attribute in ("s", "t"):
        finding = Mechanism(attribute=attribute).run(release)
        assert finding.holds is None
        assert "the other sensitive values of a person" in finding.note
    alone = sf.anonymize(read, sf.LDiversity(2, attribute="s"), sf.Samarati())
    assert Mechanism(attribute="s").run(alone).holds


# -------------------------------------------------------------------------- certain, and promised


@pytest.mark.parametrize("method", [sf.Samarati(), sf.Optimal(), sf.TopDown("cut")], ids=str)
def test_nobody_is_to_be_certain_though_it_was_not_promised(method):
    """Two worlds are left, and in both everybody in c has n."""
    release = sf.anonymize(table("aabbccc", "ppnnnnn"), sf.BetaLikeness("3/2"), method)
    finding = Mechanism().run(release)
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 3)
    assert str(finding.promised) == "(< 1)"
    assert sf.audit(release).verdict == "failed"


# ------------------------------------------------------------------------- what nobody is to learn

PAIRS = [
    [("n", None), ("n", None), ("p", "p"), ("p", None), ("p", None), ("n", None)],
    [("p", "p"), ("p", None), ("p", None), ("n", None), ("n", None), ("n", None)],
]


@pytest.mark.parametrize("method", [sf.Samarati(), sf.Mondrian(), sf.TopDown("cut")], ids=str)
def test_the_verdict_does_not_tell_who_guards_what(method):
    told = []
    for pairs in PAIRS:
        values, guards = zip(*pairs, strict=True)
        read = table("aabbbb", values, g=pa.array(guards, pa.string()))
        release = sf.anonymize(read, sf.PersonalizedPrivacy(2, "g"), method)
        report = sf.audit(release)
        published = release.to_arrow().to_pydict()
        told.append((sorted(zip(*published.values(), strict=True)), report.verdict))
        assert report.public().verdict == report.verdict
    assert told[0] == told[1]


@pytest.mark.parametrize("guards", [[None] * 6, ["p", *[None] * 5], ["bad", *[None] * 5]])
def test_the_publishers_word_does_not_tell_what_people_guard(guards, tmp_path):
    read = table("aaaaaa", "ppqnnn", g=pa.array(guards, pa.string()))
    method = sf.Checked(sf.Mondrian(), (2,))
    release = sf.anonymize(read, sf.PersonalizedPrivacy(2, "g"), method)
    assert sf.audit(release).verdict == "safe"
    written = json.loads((release.save(tmp_path / "out") / "release.json").read_text())
    (word,) = written["verdicts"]
    assert (word["holds"], word["before"], word["found"]) == (True, "1/2", "1/2")


# ---------------------------------------------------------------------- what suppressed people have


def test_closeness_is_not_judged_by_the_published_rows_where_some_are_missing():
    """The distance of what is believed of b is 2/5 from every world's distribution."""
    read = table("ccbaa", "qpnnq")
    release = sf.anonymize(read, sf.TCloseness("2/5"), sf.Incognito(0.3, "distribution"))
    assert release.n_suppressed == 1
    finding = Mechanism().run(release)
    assert (finding.holds, finding.n_exceeding) == (None, 0)
    assert "for want of the original's distribution" in finding.note
