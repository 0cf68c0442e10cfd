# Each target works on a fresh clone with no other command before it: Python >= 3.11 is all it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := UV_PYTHON_DOWNLOADS=never $(BIN)/uv
READY  := $(VENV)/.ready
UV_VERSION := $(shell sed -n 's/^uv==\([0-9.]*\).*/\1/p' requirements.lock)
ARGS   ?=
DATA   ?=
URL    ?=
JOBS   ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo serve test stress schedules check lint types contracts drift openapi lock clean chaos fuzz

help: ## Say what there is.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(READY) ## See the whole loop on real evidence: remember, dream, review, recall. ARGS=--keep leaves it serving.
	@$(BIN)/densemem demo $(ARGS)

.PHONY: evaluate evaluate-large
evaluate: $(READY) ## Measure dreams on public triples. DATA=folder has them, or URL=address fetches them; ARGS=--quick.
	@$(BIN)/densemem evaluate-published $(if $(DATA),--data $(DATA)) $(if $(URL),--url $(URL)) $(ARGS)

evaluate-large: $(READY) ## Measure whole cycles of synthetic teams of 10 000 to 300 000 edges.
	@$(BIN)/densemem evaluate-large $(ARGS)

serve: $(READY) ## Serve the API with its workers, on an embedded PostgreSQL unless DATABASE_URL is set.
	@$(BIN)/densemem serve $(ARGS)

test: $(READY) ## Run every test on a real PostgreSQL.
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

schedules: $(READY) ## Hold thousands of schedules against the clock on the wall, minute by minute.
	DENSEMEM_SCHEDULE_EXAMPLES=3000 $(BIN)/python -m pytest -q tests/unit/test_schedule_oracle.py

stress: $(READY) ## The long forms: 8 writers, 50 rounds of kill -9, 1000 of two sweeps, 60 random histories and merges, 50 as of then.
	DENSEMEM_WRITERS_SECONDS=60 DENSEMEM_KILL_ROUNDS=50 DENSEMEM_SWEEP_ROUNDS=1000 DENSEMEM_HISTORIES=60 \
	    DENSEMEM_AS_OF_EXAMPLES=50 $(BIN)/python -m pytest -q -p no:cacheprovider $(ARGS) \
	    tests/concurrency/test_writers.py tests/concurrency/test_killed_workers.py tests/integration/test_sweep.py \
	    tests/integration/test_random_histories.py tests/integration/test_merges_at_random.py \
	    tests/integration/test_conflicts_merged_at_random.py tests/integration/test_as_of.py tests/integration/test_as_it_was.py

fuzz: $(READY) ## Generated requests against every operation and tool. EXAMPLES=300 draws more of each.
	DENSEMEM_FUZZ_EXAMPLES=$(or $(EXAMPLES),100) $(BIN)/python -m pytest -q -p no:cacheprovider $(ARGS) tests/api/test_fuzzed.py \
	    tests/api/test_mcp_hostile.py

chaos: $(READY) ## The lease protocol in 300 histories, then 200 rounds of real faults on real workers. ARGS="--rounds 20" plays fewer.
	DENSEMEM_PROTOCOL_EXAMPLES=300 $(BIN)/python -m pytest -q -p no:cacheprovider tests/concurrency/test_lease_protocol.py
	@$(BIN)/python -m tests.chaos $(ARGS)

.PHONY: load bench-plans
bench-plans: $(READY) ## The plans of the frequent requests in an instance of a million Hypotheses and Relationships.
	DENSEMEM_PLAN_ROWS=1000000 $(BIN)/python -m pytest -q -p no:cacheprovider $(ARGS) tests/integration/test_hot_plans.py

load: $(READY) ## 1000 clients for 60 s against one API process with a pool of 10. ARGS="--clients 100 --seconds 5" is less.
	@$(BIN)/python -m tests.load $(ARGS)

check: lint types contracts drift test test-embed ## Everything that a change must pass.

lint: $(READY) ## Style.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## Types.
	$(BIN)/mypy

contracts: $(READY) ## Who may import whom.
	$(BIN)/lint-imports --no-cache

drift: $(READY) ## The committed OpenAPI and the migrations match the code.
	$(BIN)/python -m pytest -q tests/integration/test_migrations.py tests/api/test_contract.py

openapi: $(READY) ## Write openapi/densemem.json and the client's types anew.
	$(BIN)/densemem openapi --output openapi/densemem.json
	$(BIN)/densemem openapi --client-types --output app/client/types.py

.PHONY: embed test-embed
embed: $(READY) ## Add the libraries of recall by meaning to the environment.
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements-embed.lock

test-embed: $(READY) ## Test recall by meaning with its libraries beside the environment, which stays as it is.
	$(UV) pip install --quiet --python $(BIN)/python --target $(VENV)/embed --require-hashes -r requirements-embed.lock
	PYTHONPATH=$(VENV)/embed $(BIN)/python -m pytest -q -p no:cacheprovider tests/unit/test_onnx_embedder.py

lock: $(READY) ## Resolve all dependencies anew.
	$(UV) pip compile pyproject.toml --extra dev --extra demo --universal --generate-hashes --python-version 3.11 \
	    --no-header --no-annotate --no-emit-index-url --quiet --upgrade --output-file requirements.lock
	$(UV) pip compile pyproject.toml --constraint requirements.lock --universal --generate-hashes --python-version 3.11 \
	    --no-header --no-annotate --no-emit-index-url --quiet --output-file requirements-runtime.lock
	$(UV) pip compile pyproject.toml --extra embed --constraint requirements.lock --universal --generate-hashes \
	    --python-version 3.11 --no-header --no-annotate --no-emit-index-url --quiet --output-file requirements-embed.lock

clean: ## Remove the environment; the data folder stays.
	rm -rf $(VENV)

# Made anew whenever the lock file or the project changes; the stamp comes last, so a broken attempt is repeated.
$(READY): requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed.")'
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $(READY)
