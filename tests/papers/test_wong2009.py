"""Wong 2009, section 7.2: what is measured of MASK, and what is said of it."""

import pytest

import sfumato as sf
from sfumato.papers.census import SEED
from sfumato.papers.wong2009 import figures
from sfumato.papers.wong2009.masking import (
    METHODS,
    ONE,
    PAPERS_OWN,
    RIVAL,
    SECOND,
    Experiments,
    Measured,
    Plan,
    Setting,
)


@pytest.fixture(scope="module")
def work():
    return Experiments(Plan(quick=True))


def test_a_setting_is_what_its_releases_are(work):
    """Averages of as many runs as planned; the first of them asked."""
    setting = Setting(2, 2, 2, SECOND)
    found = work.measured(setting)
    releases = [setting.publish(work.table(2), SEED + run) for run in range(5)]
    assert found.loss == pytest.approx(sum(map(sf.utility.information_loss, releases)) / 5)
    assert found.distortion == pytest.approx(sum(map(sf.utility.distortion, releases)) / 5)
    error = sf.utility.query_error(releases[0], "wong", n_queries=300, seed=SEED)
    assert found.error == error.average
    two = setting.publish(work.table(2), SEED, "bucketized")
    error = sf.utility.query_error(two, "wong", n_queries=300, seed=SEED)
    assert found.error_of_two == error.average
    assert 0 < found.first_step < 1


def test_every_method_promises_what_is_compared(work):
    for method in METHODS:
        setting = Setting(2, 20, 2, method)
        release = setting.publish(work.table(2), 1)
        assert release.check().holds
        assert release.sizes.min() >= 20
    assert sf.utility.distortion(Setting(2, 20, 10, RIVAL).publish(work.table(2), 1)) == 0


def test_where_too_few_groups_are_left_there_is_no_number(work):
    refused = Setting(2, 2, 10, SECOND)
    with pytest.raises(sf.Unsatisfiable, match="other groups"):
        refused.publish(work.table(2), 1)
    assert work.measured(refused) is None
    assert work.measured(Setting(2, 2, 10, ONE)) is not None


def lines(**measures):
    return {(PAPERS_OWN, 2): measures["low"], (PAPERS_OWN, 20): measures["high"]}


def test_claims_are_held_against_numbers_and_refusals_left_out():
    grown = figures._grows("it grows", lines(low=[1.0, None, 3.0], high=[2.0, 1.0, 3.0]))
    assert grown.agrees
    assert "2 of 2 lines, and in 2 of 3 steps" in grown.ours
    assert not figures._grows("it grows", lines(low=[3.0, 1.0], high=[1.0, 2.0])).agrees
    assert figures._grows("it falls", lines(low=[3.0, 1.0], high=[2.0, 1.0]), falls=True).agrees
    by_k = figures._by_k("more with k", lines(low=[1.0, None], high=[2.0, 1.0]))
    assert by_k.agrees
    assert "1 of 1 places" in by_k.ours
    assert figures._little_by_k(lines(low=[1.0, 1.0], high=[1.2, 1.4])).agrees
    assert not figures._little_by_k(lines(low=[1.0, 1.0], high=[1.2, 1.6])).agrees


class Made(Experiments):
    """Numbers that are known beforehand."""

    def measured(self, setting):
        grows = float(setting.size * setting.m + setting.k / 100)
        step = 0.99 if setting.method_name == PAPERS_OWN else 0.5
        return Measured(grows, step, grows, grows, grows, grows, 0.0, 0)


def test_the_panels_show_every_setting_and_hold_every_claim_of_the_text():
    work = Made(Plan(quick=True))
    shown = (*figures.figures_8_and_9(work), *figures.figure_10(work))
    assert [panel.title.split(":")[0] for panel in shown] == [
        *(f"Figure {number} ({letter})" for number in (8, 9) for letter in "abcd"),
        *("Figure 10 (a)", "Figure 10 (b)"),
    ]
    verdicts = {(p.title.split(":")[0], c.paper): c.agrees for p in shown for c in p.claims}
    assert verdicts["Figure 8 (a)", "time grows with the number of quasi-identifiers"]
    assert not verdicts["Figure 8 (a)", "time falls with k"]
    assert verdicts["Figure 8 (a)", "step 1 takes more than 98% of MASK's time on average"]
    assert verdicts["Figure 8 (b)", "the error grows with k"]
    assert verdicts["Figure 8 (c)", "the loss grows with k"]
    assert not verdicts["Figure 8 (c)", "(alpha, k)-anonymity loses more than MASK in some cases"]
    assert verdicts["Figure 9 (d)", "distortion grows with the number of quasi-identifiers"]
    assert not verdicts["Figure 9 (d)", "distortion falls with k"]
    assert verdicts["Figure 9 (a)", "that a table cannot be published is rare"]
    assert verdicts["Figure 10 (b)", "the error is larger at m = 10 than at m = 2"]
    assert all(len(panel.rows) == 2 for panel in shown)
