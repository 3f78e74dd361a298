"""Wong 2009, section 5.2: what the methods publish, and what replaying them gives away."""

from fractions import Fraction

import pyarrow as pa
import pytest

import naive.mechanism
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
    believed = naive.mechanism.beliefs(
        columns_of(WONG_XVI, WONG_XVI_COLUMNS), FIG4, "Disease", HIV, method
    )
    man = ("Male", "postgraduate")
    assert believed[man, "HIV"] == WONG_XVIII_A_BELIEF_MECHANISM


@pytest.mark.long
def test_other_weights_make_the_other_table_cheaper(table_16):
    """A dear education: then table XVII comes after XVIII(a), so its failure is not known."""
    method = sf.Optimal("loss", weights={"Gender": 1, "Education": 9})
    assert tuple(sf.anonymize(table_16, HIV, method).levels.values()) == (1, 0)
    believed = naive.mechanism.beliefs(
        columns_of(WONG_XVI, WONG_XVI_COLUMNS), FIG4, "Disease", HIV, method
    )
    assert believed[("Male", "postgraduate"), "HIV"] < 1


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
    believed = naive.mechanism.beliefs(columns, FIG6, "Disease", HIV, method)
    assert believed == {(("q1",), "HIV"): 1, (("q2",), NS): 1}


def test_the_safe_table_1_a_is_published_as_it_is_by_zhangs_algorithm():
    table = sf.read(pa.table(columns_of(WONG_I_A, ("QID", "Disease"))), FIG6, sensitive="Disease")
    assert sf.anonymize(table, HIV, sf.ThreePhase()).levels == {"QID": 0}


@pytest.mark.long
def test_disclosing_nothing_is_an_outcome_and_tells_something():
    """Three of five have HIV: no table is 2-diverse, whoever they are, so nothing is learned."""
    columns = {"QID": ["q1", "q1", "q2", "q2", "q2"], "Disease": ["HIV"] * 3 + [NS] * 2}
    table = sf.read(pa.table(columns), FIG6, sensitive="Disease")
    with pytest.raises(sf.Unsatisfiable, match="nothing is disclosed: no level"):
        sf.anonymize(table, HIV, sf.ThreePhase())
    believed = naive.mechanism.beliefs(columns, FIG6, "Disease", HIV, sf.ThreePhase())
    assert believed[("q1",), "HIV"] == Fraction(3, 5)
