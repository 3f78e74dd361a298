"""Wong 2009, section 5.2: what the methods publish, and what replaying them gives away."""

from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest

import naive.replay
import sfumato as sf
from worked_examples.tables import (
    NS,
    WONG_FIG4_EDUCATION,
    WONG_I_A,
    WONG_I_B,
    WONG_XVI,
    WONG_XVI_COLUMNS,
    WONG_XVII_LOSS,
    WONG_XVIII_A,
    WONG_XVIII_A_BELIEF_MECHANISM,
    WONG_XVIII_A_LOSS,
    WONG_XX_A,
)

HIV = sf.LDiversity(2, "frequency", values=["HIV"])


def columns_of(rows, names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def believed(rows, names, hierarchies, method):
    """What is believed of everybody, by running the method on every world."""
    people = [dict(zip(names, row, strict=True)) for row in rows]
    asked = (people, hierarchies, ["Disease"], HIV, method)
    ((_, boxes, _),) = naive.replay.published(*asked)
    return naive.replay.beliefs(*asked, boxes)


# ---------------------------------------------------------------------- tables XVI to XVIII

OTHERS = [name for name in WONG_FIG4_EDUCATION if name.startswith("other")]
FIG4 = {
    "Gender": sf.Tree({"Person": ["Male", "Female"]}),
    "Education": sf.Tree(
        {"university": ["undergraduate", "postgraduate"], **dict.fromkeys(OTHERS)}
    ),
}
HALVES = {"Gender": Fraction(1, 2), "Education": Fraction(1, 2)}


@pytest.fixture(scope="module")
def table_16():
    return sf.read(pa.table(columns_of(WONG_XVI, WONG_XVI_COLUMNS)), FIG4, sensitive="Disease")


def test_tables_17_and_18_lose_a_sixteenth_and_a_half(table_16):
    """Prices are whole numbers of what a row that lost everything costs: five rows of them."""
    from sfumato.algorithms.lattice.lattice import Lattice
    from sfumato.algorithms.lattice.metric import Loss

    metric = Loss(Lattice(table_16.frequencies(), HIV), HALVES)
    whole = 5 * metric.suppressed
    assert Fraction(metric.bound((0, 1)), whole) == WONG_XVII_LOSS
    assert Fraction(metric.bound((1, 0)), whole) == WONG_XVIII_A_LOSS


@pytest.mark.long
def test_the_cheapest_safe_table_is_18_a_and_gives_the_man_away(table_16):
    method = sf.Optimal("loss", weights=HALVES)
    release = sf.anonymize(table_16, HIV, method)
    assert tuple(release.levels.values()) == (1, 0)
    assert sf.utility.information_loss(release, weights={"Gender": 1, "Education": 1}) == 0.5
    rows = release.to_arrow().to_pylist()
    assert sorted(tuple(row.values()) for row in rows) == sorted(WONG_XVIII_A)
    beliefs = believed(WONG_XVI, WONG_XVI_COLUMNS, FIG4, method)
    assert beliefs["Male", "postgraduate"]["HIV",] == WONG_XVIII_A_BELIEF_MECHANISM


def test_other_weights_make_the_other_table_cheaper(table_16):
    """A dear education: then table XVII comes after XVIII(a), so its failure is not known."""
    method = sf.Optimal("loss", weights={"Gender": 1, "Education": 9})
    assert tuple(sf.anonymize(table_16, HIV, method).levels.values()) == (1, 0)
    beliefs = believed(WONG_XVI, WONG_XVI_COLUMNS, FIG4, method)
    assert beliefs["Male", "postgraduate"]["HIV",] < 1


# ------------------------------------------------------------------------------ table XX

FIG6 = {"QID": sf.Tree({"*": {"Q": ["q1", "q2"]}})}


@pytest.mark.long
@pytest.mark.parametrize("specialization", ["lattice", "sequence"])
def test_table_20_is_published_by_zhangs_algorithm_and_q1_is_certain(specialization):
    method = sf.ThreePhase("loss", specialization)
    columns = columns_of(WONG_I_B, ("QID", "Disease"))
    table = sf.read(pa.table(columns), FIG6, sensitive="Disease")
    release = sf.anonymize(table, HIV, method)
    assert release.levels == {"QID": 1}
    rows = release.to_arrow().to_pylist()
    assert sorted(tuple(row.values()) for row in rows) == sorted(WONG_XX_A)
    beliefs = believed(WONG_I_B, ("QID", "Disease"), FIG6, method)
    assert beliefs["q1",]["HIV",] == beliefs["q2",][NS,] == 1
    finding = sf.attacks.Mechanism().run(release)
    assert (finding.found, finding.holds) == (1, False)


def test_the_safe_table_1_a_is_published_as_it_is_by_zhangs_algorithm():
    table = sf.read(pa.table(columns_of(WONG_I_A, ("QID", "Disease"))), FIG6, sensitive="Disease")
    assert sf.anonymize(table, HIV, sf.ThreePhase()).levels == {"QID": 0}


def test_disclosing_nothing_is_an_outcome_of_which_something_is_learned():
    """Where nothing is published, more than half are known to have HIV: 2-diversity failed."""
    rows = [("q1", "HIV"), ("q1", "HIV"), ("q2", "HIV"), ("q2", NS)]
    table = sf.read(pa.table(columns_of(rows, ("QID", "Disease"))), FIG6, sensitive="Disease")
    with pytest.raises(sf.Unsatisfiable, match="nothing is disclosed: no level"):
        sf.anonymize(table, HIV, sf.ThreePhase())
    # Each of four has HIV or not, somebody has: nothing is published if three or all have it.
    refused = []
    for values in filter(lambda values: "HIV" in values, product(["HIV", NS], repeat=4)):
        world = [{"QID": q, "Disease": v} for (q, _), v in zip(rows, values, strict=True)]
        found = naive.replay.published(world, FIG6, ["Disease"], HIV, sf.ThreePhase())
        refused += [values] if not found[0][1] else []
    assert sorted(values.count("HIV") for values in refused) == [3, 3, 3, 3, 4]
    assert Fraction(sum(values[0] == "HIV" for values in refused), len(refused)) == Fraction(4, 5)
    finding = sf.attacks.Refusal().run(table, HIV, sf.ThreePhase())
    assert (finding.found, finding.before, finding.holds) == (Fraction(4, 5), Fraction(1, 2), False)
    assert finding.n_exceeding == finding.n_people == 4
