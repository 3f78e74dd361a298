"""Reports in a real browser: they open from a file, ask for nothing else, and fit the window."""

import os
import re
import shutil
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from playwright.sync_api import sync_playwright

import sfumato as sf
from sfumato.cli.commands.demo import COLUMNS

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium"),
]

# Chromium asks its maker for things of its own at every start; none of that is the page's doing.
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]
LONG = "a_name_without_any_place_to_break_it" * 9
HOSTILE = ["<b onclick=alert(1)>x</b>", "</script><script>alert(1)</script>", "<img src=x>", LONG]


@pytest.fixture(scope="module")
def browser():
    alone = ["--no-sandbox"] if os.getuid() == 0 else []  # Chromium as root has no sandbox
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET + alone)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Both reports of the demo, of a failing release with hostile names, and of a bare table."""
    place = tmp_path_factory.mktemp("reports")
    hierarchies = sf.datasets.adult_hierarchies()
    adult = sf.read(
        sf.datasets.adult(),
        quasi_identifiers={name: hierarchies[name] for name in COLUMNS},
        sensitive="occupation",
        insensitive=["hours-per-week"],
    )
    demo = sf.anonymize(
        adult,
        sf.KAnonymity(10) & sf.LDiversity(4),
        sf.Mondrian(),
        untouched_identify=True,
        context={"recipient": "University of Somewhere", "review_date": "2031-03-01"},
    )
    rows = {
        HOSTILE[0]: [str(j % 9) for j in range(90)],
        HOSTILE[3]: [HOSTILE[j % 4] for j in range(90)],
        HOSTILE[1]: [HOSTILE[(j // 9) % 4] for j in range(90)],
        HOSTILE[2]: ["x"] * 90,
    }
    table = sf.read(
        pa.table(rows),
        [HOSTILE[0], HOSTILE[3]],
        HOSTILE[1],
        insensitive=[HOSTILE[2]],
        describe={HOSTILE[0]: HOSTILE[1], HOSTILE[3]: LONG},
    )
    stated = dict.fromkeys(("recipient", "controls"), LONG)
    hostile = sf.anonymize(table, sf.KAnonymity(3), untouched_identify=True, context=stated)
    reports = {
        "demo": sf.audit(demo),
        "hostile": sf.audit(hostile, criterion=sf.KAnonymity(5) & sf.TCloseness("1/9")),
        "table": sf.audit(table),
    }
    books = {"demo": demo, "hostile": hostile}
    saved = {
        (f"{name} codebook", False): book.save(place / f"{name} release") / "codebook.html"
        for name, book in books.items()
    }
    saved |= {
        (name, private): report.save(place / f"{name} {private}", private=private)
        for name, report in reports.items()
        for private in (False, True)
    }
    patients = sf.read(
        sf.datasets.patients(), {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}, "disease"
    )
    few = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    skylines = {
        "skyline": sf.knowledge_skyline(few, "HIV", 0.9),
        "one point": sf.knowledge_skyline(demo, "Exec-managerial", 0.7),
    }
    assert [len(each.points) for each in skylines.values()] == [126, 1]
    return saved | {(name, False): each.save(place / name) for name, each in skylines.items()}


class Visit:
    """A page that was opened, and all that happened meanwhile."""

    def __init__(self, browser, path, width, scheme):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        self.page = self.context.new_page()
        self.asked, self.said = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("a dialog"), dialog.dismiss()))
        self.page.goto(path.as_uri(), wait_until="load")
        self.page.wait_for_function(
            "[...document.querySelectorAll('.chart')].every(c => c.querySelector('.main-svg'))"
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def colour(self, selector, name):
        script = "([s, n]) => getComputedStyle(document.querySelector(s)).getPropertyValue(n)"
        return self.page.evaluate(script, [selector, name])


# Every report once; both widths, both schemes.
USUAL = {
    ("demo", 1400, "light", False),
    ("demo", 400, "dark", True),
    ("hostile", 400, "dark", False),
    ("hostile", 1400, "light", True),
    ("table", 400, "light", False),
    ("demo codebook", 1400, "light", False),
    ("hostile codebook", 400, "dark", False),
    ("skyline", 400, "dark", False),
    ("one point", 1400, "light", False),
}
WINDOWS = [
    pytest.param(*each, marks=[] if each in USUAL else pytest.mark.slow)
    for each in [
        *product(("demo", "hostile", "table"), (1400, 400), ("light", "dark"), (False, True)),
        *product(
            ("demo codebook", "hostile codebook", "skyline", "one point"),
            (1400, 400),
            ("light", "dark"),
            (False,),
        ),
    ]
]


@pytest.mark.every
@pytest.mark.parametrize(("name", "width", "scheme", "private"), WINDOWS)
def test_a_report_opens_alone_and_fits(browser, pages, name, private, width, scheme):
    path = pages[name, private]
    with Visit(browser, path, width, scheme) as visit:
        assert visit.said == []
        # The empty icon stands in the page itself.
        assert [url for url in visit.asked if not url.startswith("data:")] == [path.as_uri()]
        root = "document.documentElement"
        assert visit.page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
        outside = visit.page.evaluate(
            "[...document.querySelectorAll('body *')].filter(e => !e.closest('svg') &&"
            " !e.closest('.hoverlayer') && e.getBoundingClientRect().right > innerWidth + 1)"
            ".map(e => e.outerHTML.slice(0, 100))"
        )
        assert outside == []
        assert visit.page.locator(".banner").count() == private


@pytest.mark.parametrize("private", [False, True], ids=["public", "steward"])
def test_names_are_text_in_charts_too(browser, pages, private):
    with Visit(browser, pages["hostile", private], 1400, "light") as visit:
        labels = visit.page.locator("#chart-beliefs .annotation-text").all_text_contents()
        assert f"homogeneity ({HOSTILE[1]})"[:43] in {label[:43] for label in labels}
        assert visit.page.locator("main img, main [onclick], main script, svg a").count() == 0
        visit.page.locator("#chart-beliefs .trace.scatter").last.hover(force=True)
        assert visit.said == []


def test_charts_follow_light_dark_and_paper(browser, pages):
    text = "#chart-loss .xtick text"
    colours = {}
    for scheme in ("light", "dark"):
        with Visit(browser, pages["demo", True], 1400, scheme) as visit:
            colours[scheme] = (visit.colour(text, "fill"), visit.colour("body", "background-color"))
            assert visit.colour("#chart-loss .main-svg", "background-color") == "rgba(0, 0, 0, 0)"
            visit.page.emulate_media(media="print", color_scheme=scheme)
            colours[f"{scheme} print"] = (
                visit.colour(text, "fill"),
                visit.colour("body", "background-color"),
            )
    assert colours["light"] != colours["dark"]
    assert (
        colours["light print"] == colours["dark print"] == ("rgb(68, 68, 68)", "rgb(255, 255, 255)")
    )


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_people_over_group_size_are_bars_of_the_page(browser, pages, width, scheme):
    """As long as they are many, with their numbers behind them, in colours that can be told."""
    with Visit(browser, pages["demo", True], width, scheme) as visit:
        bars = visit.page.evaluate(
            "[...document.querySelectorAll('.risk-bars .bar')].map(e => [e.querySelector('i')"
            ".getBoundingClientRect().width, e.querySelector('b').textContent, "
            "getComputedStyle(e.querySelector('i')).backgroundColor])"
        )
        assert len(bars) == 12  # before and after, of six sizes
        people = [int(text.replace(",", "")) for _, text, _ in bars]
        assert (sum(people[::2]), sum(people[1::2])) == (48842, 48842)
        longest = max(length for length, *_ in bars)
        for (length, *_), n in zip(bars, people, strict=True):
            assert length == pytest.approx(longest * n / max(people), abs=1)
        assert len({colour for _, _, colour in bars[2:]}) == 2
        paper = visit.colour("body", "background-color")
        assert paper not in {colour for *_, colour in bars}


def test_the_browser_runs_no_script_but_ours(browser, pages, tmp_path):
    """Even if something were to break out of its place, the page's policy stops it."""
    text = pages["demo", False].read_text()
    broken = tmp_path / "broken.html"
    broken.write_text(
        text.replace("<main>", "<main><script>document.title = 'owned'</script>"
                     "<img src=x onerror=\"document.title = 'owned'\">", 1)
    )  # fmt: skip
    with Visit(browser, broken, 1400, "light") as visit:
        assert visit.page.title() != "owned"
        assert any("Content Security Policy" in each for each in visit.said)
        assert [url for url in visit.asked if url.startswith("http")] == []


def test_a_stewards_report_is_marked_in_every_section(browser, pages):
    with Visit(browser, pages["demo", True], 1400, "light") as visit:
        marks = visit.page.evaluate(
            "[...document.querySelectorAll('section h2')]"
            ".map(e => getComputedStyle(e, '::before').content)"
        )
        assert len(marks) > 8
        assert set(marks) == {'"private: for the steward, not for publication"'}
        visit.page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
        assert visit.page.locator(".banner").bounding_box()["y"] == 0


# ------------------------------------------------------------------------------------------- paper


def n_pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.mark.every
@pytest.mark.parametrize("private", [False, True], ids=["public", "steward"])
@pytest.mark.parametrize("name", ["demo", "hostile", pytest.param("table", marks=pytest.mark.slow)])
@pytest.mark.parametrize("paper", ["A4", pytest.param("Letter", marks=pytest.mark.slow)])
def test_the_first_sheet_is_one_printed_page(browser, pages, name, private, paper):
    with Visit(browser, pages[name, private], 1400, "light") as visit:
        whole = n_pages(visit.page.pdf(format=paper))
        visit.page.evaluate("document.querySelector('.sheet').remove()")
        rest = n_pages(visit.page.pdf(format=paper))
        assert whole - rest == 1
        assert rest > 2  # so it can fail


WORDS = "the number of hours that the person worked for wages in the week before the interview; "
DISEASES = ("disease that was diagnosed first at admission to the ward", "another, diagnosed later")


@pytest.fixture(scope="module")
def wordy(tmp_path_factory):
    """A failing audit with long names and statements, and more promises than a sheet has."""
    draw = np.random.default_rng(1)
    first, second = DISEASES
    source = pa.table(
        {
            "age of the person at the time of the interview": draw.integers(20, 80, 200),
            "sex": draw.choice(["f", "m"], 200),
            first: draw.choice(["flu", "HIV", "gout", "asthma"], 200),
            second: draw.choice(["a", "b", "c"], 200),
        }
    )
    table = sf.read(
        source, {source.column_names[0]: sf.Intervals(5, 10), "sex": sf.Flat()}, DISEASES
    )
    stated = {"recipient": 3 * WORDS, "controls": 3 * WORDS, "review_date": "2031-03-01"}
    release = sf.anonymize(table, sf.KAnonymity(4), sf.Mondrian(), context=stated)
    release.save(tmp_path_factory.mktemp("wordy") / ("a-release-with-a-name-" * 5))
    several = [sf.LDiversity(l, attribute=name) for l, name in zip((4, 3), DISEASES, strict=True)]
    close = sf.TCloseness("0.1", attribute=first)
    return sf.audit(release, criterion=sf.MaxRisk("0.2") & several[0] & several[1] & close)


WORST = ("gdpr", True, "Letter")
ALL = [(f, p, s) for f in ("gdpr", "ema", None) for p in (True, False) for s in ("Letter", "A4")]
OTHERS = [pytest.param(*each, marks=pytest.mark.slow) for each in ALL if each != WORST]


@pytest.mark.parametrize(("framework", "private", "paper"), [WORST, *OTHERS])
def test_long_texts_and_headings_of_a_framework_fit_the_first_sheet(
    browser, wordy, tmp_path, framework, private, paper
):
    page = wordy.save(tmp_path / "page", private=private, framework=framework)
    with Visit(browser, page, 1400, "light") as visit:
        shown = visit.page.inner_text(".sheet")
        assert "more below" in shown
        words = {*page.read_text().split(), *WORDS.split()}
        ends = [line[:-2].split()[-1] for line in shown.splitlines() if line.endswith(" …")]
        assert ends
        assert all(end in words or end.rstrip(";.:") in words for end in ends)
        whole = n_pages(visit.page.pdf(format=paper))
        visit.page.evaluate("document.querySelector('.sheet').remove()")
        assert whole - n_pages(visit.page.pdf(format=paper)) == 1


def test_paper_has_the_tables_behind_the_charts(browser, pages):
    with Visit(browser, pages["demo", True], 1400, "light") as visit:
        closed = "document.querySelectorAll('details:not([open])').length"
        assert visit.page.evaluate(closed) > 2
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert visit.page.evaluate(closed) == 0
        visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert visit.page.evaluate(closed) > 2


def test_the_points_of_a_skyline_are_whole(browser, pages):
    """No point is cut off at the edge of the chart, and numbers of facts are whole."""
    with Visit(browser, pages["skyline", False], 1400, "light") as visit:
        ticks = visit.page.locator("#chart-skyline .xtick text").all_text_contents()
        assert 2 < len(ticks) < 15
        assert all(tick.isdigit() for tick in ticks)
        cut = visit.page.evaluate(
            "(() => { const box = document.querySelector('#chart-skyline').getBoundingClientRect();"
            " return [...document.querySelectorAll('#chart-skyline .point')].filter(p => {"
            " const r = p.getBoundingClientRect();"
            " return r.left < box.left || r.right > box.right || r.bottom > box.bottom; }).length;"
            "})()"
        )
        assert cut == 0
        assert visit.page.locator("#chart-skyline [clip-path] .point").count() == 0
        paths = visit.page.evaluate(
            "[...document.querySelectorAll('#chart-skyline .js-line')]"
            ".map(p => p.getAttribute('d'))"
        )
        assert paths
        assert all(map(is_stepped, paths))


def is_stepped(path):
    """Whether a path of lines never slopes."""
    x = y = None
    for kind, numbers in re.findall(r"([MLHV])([-\d.,]*)", path):
        given = [float(n) for n in numbers.split(",")]
        to = {"H": (given[0], y), "V": (x, given[0])}.get(kind, (given[0], given[-1]))
        if kind == "L" and abs(to[0] - x) > 0.01 and abs(to[1] - y) > 0.01:
            return False
        x, y = to
    return True
