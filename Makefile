# `make demo` and `make test` are all a new machine needs: Python 3.11, make and a package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PLAIN := $(VENV)/.installed
STAMP := $(VENV)/.installed-dev


# `make test LOCKED=1` installs exactly the files whose hashes stand in requirements/dev.txt, for CI. Without it the newest
# versions that pyproject.toml allows are taken, so that a machine for which a pinned file does not exist works too.
ifdef LOCKED
INSTALL_PLAIN := $(PIP) --require-hashes -r requirements/dev.txt && $(PIP) --no-deps --no-build-isolation -e .
INSTALL_DEV := true
else
INSTALL_PLAIN := $(PIP) -e .
INSTALL_DEV := $(PIP) -e '.[dev]'
endif

.PHONY: demo test test-slow test-attacks test-frameworks test-clients lint format bench docs audit third-party lock clean browser

$(PLAIN): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Assay needs Python 3.11 or newer; run: make PYTHON=python3.11 " + "…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(INSTALL_PLAIN)
	touch $@

$(STAMP): $(PLAIN)
	$(INSTALL_DEV)
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

# Hostile inputs, slow patterns and faults, then attacks on evidence: bounded, with a fixed seed. The attacks on all pairs,
# which take minutes and write docs/security.md, are `python -m bench.attacks --judge cascade`.
test-attacks: $(STAMP)
	$(BIN)/python -m bench.attacks --tests
	$(BIN)/python -m bench.attacks --pairs 6 --judge small --no-write

# The adapters against the real LangChain and LlamaIndex, which nothing else here needs (some 30 MB).
test-frameworks: $(STAMP)
	$(PIP) -e '.[langchain,llamaindex]'
	$(BIN)/python -m pytest tests/integrations/test_langchain.py tests/integrations/test_llamaindex.py

# The guard with clients of others: LangChain's, and the official ones of Node (node and npm are needed).
test-clients: $(STAMP)
	$(PIP) langchain-openai -e '.[otlp]'
	npm install --prefix tests/clients --no-audit --no-fund --silent
	$(BIN)/python -m pytest tests/server/test_guard_clients.py tests/server/test_tracing.py

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

# Pins with hashes of everything CI installs, on any platform and Python from 3.11 on; torch, which only training/ needs, is
# not part of it.
lock: $(STAMP)
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml requirements/build.in --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-annotate --no-header --upgrade --quiet --output-file requirements/dev.txt

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis site build dist
