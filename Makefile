# Hippocampus. `make demo` shows it, `make test` proves it; `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCE ?=
FUZZ_SECONDS ?= 60
TORTURE_SECONDS ?= 7200
SIMULATE_S ?= 60
SIMULATE ?=
CHAOS_S ?= 600
CHAOS ?=
DOCS_VERSION ?= dev
EXAMPLES ?= commit
NATIVE := $(shell find native -path native/tests -prune -o \( -name '*.hpp' -o -name '*.cpp' -o -name CMakeLists.txt \) -print)
PACKAGES := $(shell find src -name __init__.py)
BENCH  := packages/hippocampus-bench
CODE   := src tests bench packages release conftest.py
SYSTEMS := src/hippocampus/core/system.py $(BENCH)/src/hippocampus_bench/machine.py
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

# Tests start hundreds of processes: without bytecode on disk each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE
# A worker has a core. Threads of its matrix products would wait for work by spinning on another's.
test test-wheel test-bench test-slow test-night: export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help setup model model-multilingual demo test test-wheel test-bench test-slow test-night lint format stubs sbom native fuzz fuzz-native fuzz-readers torture simulate chaos docs pages bench peers peers-suites reports wheel wheel-bench release changelog lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

$(VENV)/.locked: requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the pinned lock into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.built: $(VENV)/.locked pyproject.toml $(NATIVE) $(PACKAGES)
	@echo "building the native extension ..."
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.benched: $(VENV)/.built $(BENCH)/pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable $(BENCH)
	@touch $@

setup: $(VENV)/.built $(VENV)/.benched  ## make .venv, install the lock, build the native extension

model: setup  ## install the default embedding model and the English parse (pinned, hash-checked)
	@$(BIN)/hippocampus models install --quiet
	@$(BIN)/hippocampus models install english --quiet

model-multilingual: model  ## install the multilingual embedding model as well (pinned, hash-checked)
	@$(BIN)/hippocampus models install multilingual --quiet

demo: model  ## remember the histories under examples/ (or SOURCE=path) and answer from them
	@$(BIN)/hippocampus demo $(if $(SOURCE),$(SOURCE),--examples examples)

test: model  ## run the tests; EXAMPLES=ci tries each property with more examples
	@$(PYTEST) --hypothesis-profile=$(EXAMPLES)

WHEEL ?= .
TESTS ?= tests
WHEEL_VENV = build/installed-$(notdir $(PYTHON))

test-wheel: model  ## run TESTS against the installed wheel, PYTHON=python3.13 on another Python
	@test -x $(WHEEL_VENV)/bin/python || $(PYTHON) -m venv $(WHEEL_VENV)
	@echo "installing the pinned lock and $(WHEEL) into $(WHEEL_VENV) ..."
	@$(WHEEL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@PATH="$(abspath $(WHEEL_VENV)/bin):$$PATH" $(WHEEL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall $(WHEEL)
	@$(WHEEL_VENV)/bin/python -P -c "import hippocampus as h; assert 'site-packages' in h.__file__, h.__file__"
	@$(WHEEL_VENV)/bin/python -m pytest -n auto --maxprocesses 4 --dist worksteal --hypothesis-profile=$(EXAMPLES) $(TESTS)

test-bench: model  ## run the tests of packages/hippocampus-bench
	@$(PYTEST) --hypothesis-profile=$(EXAMPLES) $(BENCH)/tests

test-slow: model  ## run the tests that `test` leaves out: kill -9, browsers, models, big stores
	@$(PYTEST) --slow -m slow --hypothesis-profile=$(EXAMPLES) tests $(BENCH)/tests

test-night: model  ## run every test, the slow ones too, with many examples of each property
	@$(PYTEST) --slow tests $(BENCH)/tests

lint: setup  ## format check, ruff, mypy, import contracts, stub and bill of materials
	@$(BIN)/ruff format --check --quiet $(CODE)
	@$(BIN)/ruff check --quiet $(CODE)
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/mypy --no-error-summary --platform win32 $(SYSTEMS)
	@$(BIN)/mypy --no-error-summary --platform darwin $(SYSTEMS)
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python bench/tools/stubs.py --check
	@$(BIN)/python bench/tools/sbom.py --check

format: setup  ## format the code
	@$(BIN)/ruff format --quiet $(CODE)
	@$(BIN)/ruff check --quiet --fix $(CODE)

stubs: setup  ## rewrite the stub of the native module
	@$(BIN)/python bench/tools/stubs.py

sbom: setup  ## rewrite the bill of materials, docs/sbom.cdx.json
	@$(BIN)/python bench/tools/sbom.py

SANITIZED := -std=c++20 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-psabi -Inative/include

native:  ## check the C++ kernels under the address and undefined-behaviour sanitizers
	@mkdir -p build
	@c++ $(SANITIZED) native/tests/sanitize.cpp -o build/sanitize && build/sanitize
	@c++ $(SANITIZED) native/tests/allocate.cpp -o build/allocate && build/allocate

fuzz: fuzz-native fuzz-readers  ## change bytes that others may have made, for FUZZ_SECONDS twice

fuzz-native:  ## run random operations and bytes through the wavelet matrices for FUZZ_SECONDS
	@mkdir -p build
	@c++ $(SANITIZED) -DHIPPO_DRIVER native/tests/fuzz_wavelet.cpp -o build/fuzz_wavelet
	@build/fuzz_wavelet $(FUZZ_SECONDS)

fuzz-readers: setup  ## feed every reader of files, rows and requests for FUZZ_SECONDS, on all cores
	@$(BIN)/python tests/fuzz/fuzz.py $(FUZZ_SECONDS)

torture: setup  ## kill processes, fail disks and damage files under every verb, TORTURE_SECONDS each
	@$(BIN)/python tests/faults/campaign.py --seconds $(TORTURE_SECONDS) --report bench/results/torture.json
	@$(BIN)/python tests/faults/orders.py --seconds $(TORTURE_SECONDS) --report bench/results/orders.json
	@$(BIN)/python tests/faults/damage.py --seconds $(TORTURE_SECONDS) --report bench/results/damage.json

simulate: setup  ## servers on one store behind a bad network for SIMULATE_S; SIMULATE="--report FILE --postgres"
	@$(BIN)/python tests/faults/simulator.py --seconds $(SIMULATE_S) $(SIMULATE)

chaos: setup  ## kill databases, servers, workers and etcd under writers for CHAOS_S; CHAOS="--report FILE"
	@$(BIN)/python tests/chaos/campaign.py --seconds $(CHAOS_S) $(CHAOS)

docs: setup  ## build the documentation site into build/site, and check every link in it
	@$(BIN)/python -m bench.tools.site
	@$(BIN)/zensical build --strict
	@$(BIN)/python bench/tools/links.py

pages: docs  ## put the site beside those of other versions, in build/pages; DOCS_VERSION=0.2.0
	@$(BIN)/python bench/tools/publish.py $(DOCS_VERSION)

reports: model  ## make committed reports that are stale; data by HIPPOCAMPUS_BENCH_DATA_LOCOMO=FILE and the like
	@$(BIN)/python -m bench.reports --make

bench: model  ## measure speed and memory into bench/results/
	@$(BIN)/python -m bench

peers: setup  ## make an environment, in build/peers, for each store and engine that ours stands beside
	@$(BIN)/python -m bench.peers.environments

peers-suites: model  ## run others' own suites (LangGraph, LangChain, OpenAI, MCP, OpenAPI) against ours; needs the network
	@$(BIN)/python -m bench.suites --report bench/results/suites.json

wheel: setup  ## build a wheel into dist/
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m build --wheel --no-isolation --outdir dist . >/dev/null

wheel-bench: setup  ## build the wheel of packages/hippocampus-bench into dist/
	@rm -rf $(BENCH)/build
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist $(BENCH) >/dev/null
	@rm -rf $(BENCH)/build

TOOLS := build/release-tools
RELEASE ?=

$(TOOLS)/.locked: release/requirements.lock
	@test -x $(TOOLS)/bin/python || $(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r release/requirements.lock
	@touch $@

release: $(TOOLS)/.locked  ## build, check and try all that is published, into dist/; RELEASE="--once" and the like
	@$(TOOLS)/bin/python -m release $(RELEASE)

changelog:  ## make changelog.d the section of this version in CHANGELOG.md
	@$(PYTHON) -m release.changelog --write

lock: setup  ## resolve the dependencies again and pin them
	@$(BIN)/python -m pip install --quiet uv==0.13.9
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
	  --no-emit-index-url --no-emit-find-links pyproject.toml --group dev --output-file requirements.lock
	@for pair in build:build release:requirements; do $(BIN)/uv pip compile --quiet --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header \
	  --constraint requirements.lock --group $${pair%%:*} --output-file release/$${pair##*:}.lock; done

clean:  ## remove everything that was built
	@rm -rf $(VENV) build dist $(BENCH)/build
