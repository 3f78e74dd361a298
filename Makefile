PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The constraints also hold for what builds the package, so that a build is the same everywhere.
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-slow lint format clean

demo: $(VENV)/.installed  ## anonymize the bundled sample, check it, say where the release is
	$(BIN)/sfumato demo

test: $(VENV)/.installed-test lint  ## lint, types, and every test
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(VENV)/.installed-test  ## the long and statistical checks too
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sfumato needs Python 3.11 or later; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP) -e '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
