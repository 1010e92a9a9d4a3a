# `make demo` and `make test` are all a new machine needs: Python 3.11, make and a package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PLAIN := $(VENV)/.installed
STAMP := $(VENV)/.installed-dev

.PHONY: demo test test-slow test-frameworks lint format bench docs audit third-party clean browser

$(PLAIN): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Assay needs Python 3.11 or newer; run: make PYTHON=python3.11 " + "…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) -e .
	touch $@

$(STAMP): $(PLAIN)
	$(PIP) -e '.[dev]'
	touch $@

# The page is tested in a real browser; without one (and without the right to install it) those tests say so and skip.
browser:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
		echo "chromium is not installed: the tests of the page will be skipped"

demo: $(PLAIN)
	@$(BIN)/assay check examples/everest/answer.md --sources examples/everest/sources \
		--question "How high is Mount Everest and who climbed it first?" || test $$? -eq 1

test: $(STAMP) browser
	$(BIN)/python -m pytest -n auto --dist loadfile

test-slow: $(STAMP)
	$(PIP) -e '.[ray]'
	$(BIN)/python -m pytest -m slow

# The adapters against the real LangChain and LlamaIndex, which nothing else here needs (some 30 MB).
test-frameworks: $(STAMP)
	$(PIP) -e '.[langchain,llamaindex]'
	$(BIN)/python -m pytest tests/integrations/test_langchain.py tests/integrations/test_llamaindex.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(PIP) -e '.[bench]'
	$(BIN)/python -m bench

docs: $(STAMP)
	$(PIP) -e '.[docs]'
	$(BIN)/mkdocs build --strict

# Known weaknesses of what is installed; needs the network, as the list of them does.
audit: $(STAMP)
	$(PIP) pip-audit
	$(BIN)/pip-audit --local --skip-editable

third-party: $(STAMP)
	$(BIN)/python docs/third_party.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis site build dist
