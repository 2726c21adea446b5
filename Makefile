# Everything a contributor needs. `make test` on a fresh machine does all set-up itself.

PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_VENV := .venv-bench
BENCH_STAMP := $(BENCH_VENV)/.installed
PIP_FLAGS := --disable-pip-version-check --quiet -c constraints.txt
WORKERS ?= 2

# Test workers share the cores: one thread each keeps their times steady.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help setup check test soak demo bench format clean

help:
	@echo "make demo    set up, show base parameters, check the dynamics, write a page"
	@echo "make test    set up, format check, lint, types, tests"
	@echo "make check   format check, lint, types"
	@echo "make format  rewrite the sources in the project's format"
	@echo "make soak    the long runs left out of 'make test'"
	@echo "make bench   benchmarks beside their peers, in an environment of their own"
	@echo "make clean   remove environments and caches"

setup: $(STAMP)

# build_env FOLDER EXTRAS: a virtual environment with the pinned packages and this project, editable.
define build_env
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Jointwise needs Python 3.11 or newer, and '$(PYTHON)' is not; set PYTHON=/path/to/python3.11." >&2; exit 1; }
	@test -x $(1)/bin/pip || { rm -rf $(1); $(PYTHON) -m venv $(1); } || { rm -rf $(1); \
	  echo "No virtual environment could be made with '$(PYTHON) -m venv'; on Debian and Ubuntu install the package python3-venv." >&2; exit 1; }
	@echo "Installing the pinned packages into $(1) (once; a few minutes)"
	@$(1)/bin/python -m pip install $(PIP_FLAGS) hatchling editables setuptools wheel
	@$(1)/bin/python -m pip install $(PIP_FLAGS) --no-build-isolation -e '.[$(2)]'
	@touch $(1)/.installed
endef

$(STAMP): pyproject.toml constraints.txt
	$(call build_env,$(VENV),dev)

$(BENCH_STAMP): pyproject.toml constraints.txt
	$(call build_env,$(BENCH_VENV),$(comma_extras))

comma := ,
comma_extras := dev$(comma)bench

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: check
	$(BIN)/pytest -n $(WORKERS) -m "not soak"

soak: setup
	$(BIN)/pytest -m soak
	$(BIN)/pytest -n $(WORKERS) --hypothesis-profile=search -m "not soak" tests/test_estimators_physical.py \
	  tests/test_hysteresis.py tests/test_hostile_files.py tests/test_import_hostile.py tests/contracts

demo: setup
	$(BIN)/jointwise demo

bench: $(BENCH_STAMP)
	@set -e; for script in benchmarks/[!_]*.py; do \
	  echo "== $$script"; $(BENCH_VENV)/bin/python "$$script"; done

clean:
	rm -rf $(VENV) $(BENCH_VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist out
