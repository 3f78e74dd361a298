"""Generated releases, and promises with their twins, for attacking them slowly."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st

import naive.criteria
import naive.disclosure
import sfumato as sf
from sfumato.attacks import Target
from sfumato.criteria import Criterion

TREE = {"lung": ["flu", "asthma"], "blood": ["HIV", "none"]}
LEAVES = [leaf for leaves in TREE.values() for leaf in leaves]
PATHS = [(leaf, kind, "*") for kind, leaves in TREE.items() for leaf in leaves]
MISSING_PATH = (None, None, "*")
NUMBERS = [1, 2, 5, 9]
UNPROTECTED = "-"
PLACES = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
SAVED = tempfile.TemporaryDirectory()  # releases are read where they are, until the tests end
RULES = {
    "q0": sf.Tree({"a": ["a1", "a2"], "b": ["b1", "b2"]}),
    "q1": sf.Intervals(2, 4),
}
SENSITIVE_RULES = {"s": sf.Tree(TREE), "t": sf.Tree(list(map(str, NUMBERS)))}
QUASI_IDENTIFIERS = tuple(RULES)


@dataclass
class Part:
    """One part of a promise, what it says of a group's values, and what it lets one believe."""

    fast: Criterion
    attribute: str | None
    keeps: Callable[[list], bool] | None  # of a group's values; None: it is not about values
    k: int | None = None
    limit: tuple[str, Fraction] | None = None  # of the belief in a value
    kinds: Callable[[object], object] = lambda value: value
    n_values: int = 0  # different values in every group
    e: Fraction | None = None
    t: Fraction | None = None
    distance: str = "equal"

    def too_far(self, attribute, values, everybody):
        """By how much a group is farther from everybody than t."""
        return distance_from(everybody, values, attribute, self.distance) - self.t


def counted(values, domain):
    return [values.count(value) for value in domain]


def distance_from(everybody, values, attribute, distance):
    """Earth mover's distance between a group and everybody, over the values of a column."""
    paths = PATHS if attribute == "s" else [(number, "*") for number in NUMBERS]
    if None in everybody:
        paths = [*paths, MISSING_PATH[-len(paths[0]) :]]
    domain = [path[0] for path in paths]
    return naive.criteria.counts_distance(
        counted(values, domain), counted(everybody, domain), distance, paths
    )


@st.composite
def parts(draw, attribute: str, named: bool):
    """A part about one column; `named`: it says so, otherwise it is about all of them."""
    about = attribute if named else None
    values = LEAVES if attribute == "s" else NUMBERS
    k = draw(st.integers(1, 3))
    l = draw(st.sampled_from([1, 2, 3]))
    share = draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)]))
    some = draw(st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True))
    kinds = ["k", "distinct", "entropy", "frequency", "recursive", "alpha", "p", "t"]
    if named:
        kinds += ["named", "pooled", "pooled distinct", "alpha named"]
        kinds += ["ke"] if attribute == "t" else ["hierarchical"]
    kind = draw(st.sampled_from(kinds))
    below_one = ("<", Fraction(1)) if l > 1 else ("<=", Fraction(1))

    def pool(value):
        return "pool" if value in some else value

    def only_pool(value):
        return "pool" if value in some else UNPROTECTED

    def only(value):
        return value if value in some else UNPROTECTED

    if kind == "k":
        return Part(sf.KAnonymity(k), None, None, k=k)
    if kind == "distinct":
        return Part(
            sf.LDiversity(l, attribute=about),
            about,
            lambda v: naive.criteria.l_diverse(v, l),
            limit=below_one,
            n_values=l,
        )
    if kind == "pooled distinct":
        return Part(
            sf.LDiversity(l, values=some, pooled=True, attribute=about),
            about,
            lambda v: naive.criteria.l_diverse(v, l, protected=some, pooled=True),
            limit=below_one,
            kinds=pool,
            n_values=l,
        )
    if kind == "entropy":
        return Part(
            sf.LDiversity(l, "entropy", attribute=about),
            about,
            lambda v: naive.criteria.l_diverse(v, l, "entropy"),
            limit=below_one,
            n_values=l,
        )
    if kind in ("frequency", "named", "pooled"):
        protected = None if kind == "frequency" else some
        pooled = kind == "pooled"
        return Part(
            sf.LDiversity(1 / share, "frequency", protected, pooled, about),
            about,
            lambda v: naive.criteria.l_diverse(v, 1 / share, "frequency", protected, pooled),
            limit=("<=", share),
            kinds={"frequency": lambda v: v, "named": only, "pooled": only_pool}[kind],
            n_values=-(-1 // share) if kind == "frequency" else 0,
        )
    if kind in ("alpha", "alpha named"):
        protected = None if kind == "alpha" else some
        return Part(
            sf.AlphaKAnonymity(share, k, protected, attribute=about),
            about,
            lambda v: naive.criteria.alpha_k(v, share, 1, protected),
            k=k,
            limit=("<=", share),
            kinds=only if protected else lambda v: v,
            n_values=0 if protected else -(-1 // share),
        )
    if kind == "recursive":
        c = 3 * share
        return Part(
            sf.RecursiveDiversity(c, l, attribute=about),
            about,
            lambda v: naive.criteria.recursive_diverse(v, c, l),
            limit=("<", c / (1 + c) if l > 1 else c) if l > 1 or c <= 1 else ("<=", Fraction(1)),
            n_values=l,
        )
    if kind == "p":
        p = min(l, k)
        return Part(
            sf.PSensitiveKAnonymity(p, k, attribute=about),
            about,
            lambda v: naive.criteria.p_sensitive(v, p, 1),
            k=k,
            limit=("<", Fraction(1)) if p > 1 else ("<=", Fraction(1)),
            n_values=p,
        )
    if kind == "ke":
        return Part(
            sf.KEAnonymity(k, 3, attribute=about),
            about,
            lambda v: naive.disclosure.value_range(v) >= 3,
            k=k,
            n_values=2,
            e=Fraction(3),
        )
    distance = (
        "hierarchical" if kind == "hierarchical" else draw(st.sampled_from(["equal", "ordered"]))
    )
    return Part(
        sf.TCloseness(share, distance, attribute=about), about, None, t=share, distance=distance
    )


@dataclass
class Case:
    """Somebody attacks a published table, and the rows as anybody can read them."""

    subject: object
    original: sf.Table | None  # given to the attacker
    criterion: object
    parts: list[Part]
    sensitive: tuple[str, ...]
    published: list[dict]  # rows as published
    everybody: list[dict]  # the rows that shares are compared with
    raw: list[dict]  # the original rows
    n_suppressed: int
    verdict_on_t: bool

    @property
    def target(self) -> Target:
        return Target.of(self.subject, self.original, self.criterion)

    def groups(self, attribute, *, others):
        """The values of a column, and the published labels, group by group."""
        by = [*QUASI_IDENTIFIERS, *(c for c in self.sensitive if others and c != attribute)]
        found = {}
        for row in self.published:
            key = tuple(row[c] if c not in QUASI_IDENTIFIERS else as_text(row[c]) for c in by)
            found.setdefault(key, []).append(row[attribute])
        return found

    def about(self, attribute, *, others):
        """The parts that speak of a column as it is seen."""
        wanted = (None,) if others else (None, attribute)
        return [p for p in self.parts if p.attribute in wanted and p.fast.looks_at_values]


def as_text(label):
    return None if label is None else str(label)


def table_of(rows, sensitive):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    source = pa.table(
        {
            name: pa.array(values, pa.int64() if name in ("q1", "t") else pa.string())
            for name, values in columns.items()
        }
    )
    return sf.read(source, RULES, list(sensitive), hierarchies=rules_of(sensitive))


def rules_of(sensitive):
    return {name: rule for name, rule in SENSITIVE_RULES.items() if name in sensitive}


@st.composite
def raw_rows(draw, sensitive, max_rows=12):
    """Rows of a private table, some values missing."""
    row = st.fixed_dictionaries(
        {
            "q0": st.sampled_from([*PLACES, None]),
            "q1": st.sampled_from([1, 2, 3, 4, 5, 8, None]),
            "s": st.sampled_from([*LEAVES, None]),
            "t": st.sampled_from([*NUMBERS, None]),
        }
    )
    rows = draw(st.lists(row, min_size=2, max_size=max_rows))
    return [{c: row[c] for c in (*QUASI_IDENTIFIERS, *sensitive)} for row in rows]


METHODS = [sf.Mondrian(), sf.Mondrian(strict=False), sf.Optimal("loss", 2), sf.Samarati(2)]


@st.composite
def releases(draw, sensitive=("s",), criterion=None, max_rows=12):
    """A private table, and a release of it by any method."""
    rows = draw(raw_rows(sensitive, max_rows))
    table = table_of(rows, sensitive)
    method = draw(st.sampled_from(METHODS))
    plain = sf.KAnonymity(draw(st.integers(1, min(3, len(rows)))))
    try:
        release = sf.anonymize(table, criterion or plain, method)
    except (sf.Unsatisfiable, sf.BadInput):
        release = sf.anonymize(table, plain, method)
    return rows, table, release


@st.composite
def cases(draw):
    """A release of any origin, whether or not it keeps what somebody says of it."""
    sensitive = draw(st.sampled_from([("s",), ("t",), ("s", "t")]))
    several = len(sensitive) > 1
    promised = []
    for _ in range(draw(st.integers(0, 3))):
        attribute = draw(st.sampled_from(sensitive))
        promised.append(draw(parts(attribute, named=not several or draw(st.booleans()))))
    criterion = None
    for part in promised:
        criterion = part.fast if criterion is None else criterion & part.fast
    rows, table, release = draw(releases(sensitive, criterion if draw(st.booleans()) else None))
    published = release.to_arrow().to_pylist()
    kind = draw(st.sampled_from(["release", "loaded", "file"]))
    original = table if kind != "release" and draw(st.booleans()) else None
    subject, n_suppressed = release, release.n_suppressed
    kept = release.criterion is criterion
    if kept or (kind == "loaded" and original is None):  # then the release says what it promises
        criterion = None
    if criterion is None and kind != "file" and not kept:
        promised = [Part(release.criterion, None, None, k=release.criterion.k)]
    if criterion is None and kind == "file":
        promised = []
    if kind != "release":
        folder = Path(tempfile.mkdtemp(dir=SAVED.name))
        place = release.save(folder / "out", draw(st.sampled_from(["csv", "parquet"])))
        if kind == "loaded":
            subject = sf.load(place)
        else:
            (data,) = place.glob("data.*")
            subject = sf.read(data, list(RULES), list(sensitive), hierarchies=rules_of(sensitive))
    has_original = kind == "release" or original is not None
    return Case(
        subject,
        original,
        criterion,
        promised,
        sensitive,
        published,
        rows if has_original else published,
        rows,
        n_suppressed,
        kind == "file" or not n_suppressed or has_original,
    )
