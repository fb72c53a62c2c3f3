# Everything from a fresh clone, with Python 3.11 or newer and make: each target sets up .venv first if need be.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
DEMO := reports/demo
BENCH_OUT ?= reports/bench.json

.PHONY: demo test test-boundscheck test-nojit balance baseline mutants bench lint format sample clean

demo: $(READY)
	$(BIN)/bhsim sweep examples/bots.toml --out $(DEMO)/bots --force
	$(BIN)/bhsim report $(DEMO)/bots
	$(BIN)/bhsim sweep examples/gh0st.toml --out $(DEMO)/gh0st --force
	$(BIN)/bhsim report $(DEMO)/gh0st
	@echo
	@echo "The reports are ready, open them in a browser:"
	@echo "  $(CURDIR)/$(DEMO)/bots/report.html   the starter match-up for all five bots"
	@echo "  $(CURDIR)/$(DEMO)/gh0st/report.html  Gh0st's attack 1-4 against three crews"

# Compiling first keeps two test processes from compiling the same kernels.
test: $(READY)
	$(BIN)/bhsim warmup
	$(BIN)/bhsim warmup --game tricks
	$(BIN)/python -m pytest -n 2

# Every access of every kernel looked at: the whole suite, or what PYTEST names.
test-boundscheck: $(READY)
	NUMBA_BOUNDSCHECK=1 $(BIN)/bhsim warmup
	NUMBA_BOUNDSCHECK=1 $(BIN)/bhsim warmup --game tricks
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 $(PYTEST)

# The kernels as Python, a hundred times slower: what needs few games.
PLAIN_TESTS := tests/test_kernel_modes.py tests/test_rule_positions.py tests/test_rules_*.py tests/test_effects.py \
	tests/test_golden_logs.py tests/test_properties.py tests/test_luck.py tests/tricks/test_tricks_rules_*.py
test-nojit: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 $(PLAIN_TESTS) -k "not mirror"

# The project's own gate: do the files as they are move a match-up of the starter crews?
balance: $(READY)
	$(BIN)/bhsim check reports/baseline --out reports/check --force

# After a change that means to move the balance, with a line in CHANGELOG.md.
baseline: $(READY)
	$(BIN)/bhsim baseline purple green amber cobalt --out reports/baseline --force

# Small deliberate errors, one at a time: does the suite notice each? A quarter of an hour.
mutants: $(READY)
	$(BIN)/python benchmarks/mutants.py --out docs/proof.md
	$(BIN)/python benchmarks/mutants.py --game tricks --out docs/tricks-rules.md

bench: $(READY)
	$(BIN)/python benchmarks/run.py --out $(BENCH_OUT)

lint: $(READY)
	$(BIN)/ruff check .

format: $(READY)
	$(BIN)/ruff format .

# The picture in README.md, after the numbers on the cards or the bots have changed.
sample: demo
	cp $(DEMO)/gh0st/plots/curve.png reports/sample/gh0st-attack.png

clean:
	rm -rf $(VENV) $(DEMO)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; make PYTHON=/path/to/python names one"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test,lint]'
	@touch $@
