PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The constraints also hold for what builds the package, so that a build is the same everywhere.
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo quick test test-engines test-slow test-lowest test-python hard bench bench-long lint kernels format docs clean chromium postgres spark corpus r

demo: $(VENV)/.installed  ## anonymize the bundled sample, check it, say where the release is
	$(BIN)/sfumato demo

# Many tests and benchmarks start Python: with compiled files kept, whatever the environment says, that is faster.
test test-every quick test-engines test-slow test-lowest hard bench bench-long: export PYTHONDONTWRITEBYTECODE :=
# What is long tries every example that its tests ask for (tests/profiles.py).
test-slow hard: export HYPOTHESIS_PROFILE ?= all

test: $(VENV)/.installed-test chromium postgres spark  ## lint, types, and every test
	@$(MAKE) --no-print-directory -j 2 -O lint kernels
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not engines and not rest"

test-every: $(VENV)/.installed-test chromium  ## all cases of what is tried with every method and criterion
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "every and not slow" tests

test-engines: $(VENV)/.installed-test postgres spark  ## every method and type on a cluster and on a server
	$(BIN)/python -m pytest -m "engines and not slow"

quick: $(VENV)/.installed-test lint  ## lint, types, and the tests that matter while working
	$(BIN)/python -m pytest -n 2 -q --quick

test-slow: $(VENV)/.installed-test chromium postgres r spark  ## the long and statistical checks too
	$(BIN)/python -m pytest -n 2 -m "not engines"

test-lowest: .venv-lowest/.installed  ## every test with the lowest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -n 2 -m "not slow and not engines"

test-python:  ## what make test does, with another Python: make test-python PYTHON=python3.13
	$(MAKE) test VENV=.venv-$(notdir $(PYTHON))

hard: $(VENV)/.installed-test  ## bad input, canaries, crashes, exactness: hundreds of kills, and counts
	$(BIN)/python -m pytest -n 2 tests/hard

bench: $(VENV)/.installed  ## the table of ratios, plots, and what got worse than recorded; minutes
	$(BIN)/python bench/run.py

bench-long: bench .venv-rivals/.installed  ## every benchmark in detail, other tools and plain twins too; hours
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/lattice.py
	$(BIN)/python bench/values.py
	$(BIN)/python bench/mondrian.py
	$(BIN)/python bench/local.py
	$(BIN)/python bench/mask.py
	$(BIN)/python bench/k_optimize.py
	$(BIN)/python bench/cells.py
	$(BIN)/python bench/algorithms.py
	$(BIN)/python bench/split.py
	$(BIN)/python bench/attacks.py
	$(BIN)/python bench/credibility.py
	$(BIN)/python bench/audit.py
	$(BIN)/python bench/knowledge.py --once
	$(BIN)/python bench/methods.py
	$(BIN)/python bench/bcf.py
	$(BIN)/python bench/ten_million.py
	$(BIN)/python bench/engines.py duckdb 1000000
	$(BIN)/python bench/skyline_mondrian.py
	$(BIN)/python bench/mechanism.py
	$(BIN)/python bench/series.py 20000 6
	$(BIN)/python bench/save_audit.py

corpus: .venv-corpus/.installed  ## roles proposed for tables of other packages, judged by roles written down before
	.venv-corpus/bin/python tools/corpus.py --docs

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A minute on a fresh machine, for a core that linting leaves idle.
kernels: $(VENV)/.installed-test
	$(BIN)/python tools/compile_kernels.py

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.installed  ## write the generated tables of the documentation
	$(BIN)/python tools/write_docs.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sfumato needs Python 3.11 or later; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP) -e '.[lint,test]'
	@touch $@

.venv-lowest/.installed: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv --clear .venv-lowest
	PIP_CONSTRAINT=constraints-lowest.txt .venv-lowest/bin/python -m pip install --quiet \
	  --disable-pip-version-check -e '.[test]'
	@touch $@

# Reports are opened in Debian's Chromium. Where it may not be installed their tests are skipped by
# name; with CI=true a skipped test fails.
chromium:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && echo "installing Debian's Chromium" && apt-get update -qq >/dev/null \
	  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "no Chromium, and no right to install it: tests/report/test_browser.py will be skipped"

# Databases are read from Debian's PostgreSQL: the tests start a server of their own, as an
# unprivileged user. Where it may not be installed their tests are skipped by name, as above.
postgres:
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && echo "installing Debian's PostgreSQL" && apt-get update -qq >/dev/null \
	  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null; } \
	  || echo "no PostgreSQL, and no right to install it: tests/engines/postgres will be skipped"

# The lines that a release's README.txt has for R are run in Debian's R, by the slow tests.
r:
	@command -v Rscript >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && echo "installing Debian's R" && apt-get update -qq >/dev/null \
	  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends r-base-core >/dev/null; } \
	  || echo "no R, and no right to install it: the lines in R of tests/release/test_package.py will be skipped"

# Spark is no part of the extra `test`: it is large, and it needs Java; nor is what Connect needs. Where that may not be installed
# its tests are skipped by name; with CI=true a skipped test fails.
spark: $(VENV)/.installed-spark
	@command -v java >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && echo "installing Debian's Java 17" && apt-get update -qq >/dev/null \
	  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; } \
	  || echo "no Java, and no right to install it: tests/engines/spark will be skipped"

$(VENV)/.installed-spark: $(VENV)/.installed-test
	$(PIP) -e '.[spark]' 'pyspark[connect]'
	@touch $@

# The rivals pin other versions of what we use, so they live apart.
.venv-rivals/.installed: bench/rivals.txt
	$(PYTHON) -m venv .venv-rivals
	.venv-rivals/bin/python -m pip install --quiet --disable-pip-version-check -r bench/rivals.txt
	@touch $@

# The packages are unpacked for their tables alone, without what they need to run.
.venv-corpus/.installed: tests/corpus_packages.txt pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv-corpus
	PIP_CONSTRAINT=constraints.txt .venv-corpus/bin/python -m pip install --quiet --disable-pip-version-check \
	  -e . pandas || { echo "make corpus fetches packages, and there is no network or no index"; exit 1; }
	.venv-corpus/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  -r tests/corpus_packages.txt || { echo "make corpus fetches packages, and there is no network or no index"; exit 1; }
	@touch $@

clean:
	rm -rf $(VENV) .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
