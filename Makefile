# `make demo` and `make test` work on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Without byte code every command would compile all libraries anew: seconds a start.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test lint types imports tests test-local faults fuzz licences soak bench bench-scale bench-regional corpus lock clean

demo: $(STAMP)
	$(BIN)/auditor run runs/demo.toml

test: lint types imports tests

# uv where it is there, pip otherwise: the same pinned and hashed packages either way.
$(STAMP): requirements.lock pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
	  [ -x $(BIN)/python ] || uv venv --quiet --python $(PYTHON) $(VENV); \
	  VIRTUAL_ENV=$(VENV) uv pip sync --quiet --compile-bytecode --require-hashes requirements.lock && \
	  VIRTUAL_ENV=$(VENV) uv pip install --quiet --no-deps -e .; \
	else \
	  [ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV); \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .; \
	fi
	@touch $(STAMP)

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

tests: $(STAMP)
	$(BIN)/pytest -n 3 --dist loadscope

# Models that run in this process, tiny ones with random weights. Installs torch: a large download.
test-local: $(STAMP)
	@if command -v uv >/dev/null 2>&1; then \
	  VIRTUAL_ENV=$(VENV) uv pip install --quiet -e '.[local]'; \
	else \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local]'; \
	fi
	$(BIN)/pytest tests/local

# Faults around a run, one after the other, as a table. Takes half an hour; some need root.
faults: $(STAMP)
	$(BIN)/python -m tests.faults

# An hour at full speed: memory, open files, log and event loop. `MINUTES=3` for a look.
MINUTES ?= 60
soak: $(STAMP)
	$(BIN)/python -m tests.faults.soak --minutes $(MINUTES)

# Every parser on 10,000 hostile examples, then on texts of a megabyte. Takes half an hour and more.
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzzing
	$(BIN)/python -m tests.fuzzing --long-texts

# Of the locked packages, as their own metadata says.
licences: $(STAMP)
	$(BIN)/python -m tests.licences

bench: $(STAMP)
	$(BIN)/python -m tests.bench

# What grows with a run, and a provider's rate limit. Takes a quarter of an hour.
bench-scale: $(STAMP)
	$(BIN)/python -m tests.bench.scale
	$(BIN)/python -m tests.bench.limited

bench-regional: $(STAMP)
	$(BIN)/python -m tests.bench.regional

# A corpus collected elsewhere, at full size: 79,500 stories, then as many names. Takes minutes.
corpus: $(STAMP)
	$(BIN)/python -m tests.bench.corpus --words 1400
	$(BIN)/python -m tests.bench.corpus --words 0

# Needs uv. The lock file names no host: packages come from wherever pip is set up to look.
lock:
	uv pip compile pyproject.toml --extra dev --universal --generate-hashes --no-header --no-annotate --quiet -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
