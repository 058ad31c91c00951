# Two commands: `make reproduce` and `make test`. Every target builds .venv from requirements.lock when it is missing
# or older than the lock; nothing outside this folder is changed.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup reproduce full smoke test lint lock clean

VENV := .venv
READY := $(VENV)/.built-from-lock
BIN := $(VENV)/bin
# Commands inside notebooks and rules find the environment's programs first.
export PATH := $(CURDIR)/$(BIN):$(PATH)
RUN := $(BIN)/python workflow/scripts/run.py

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): requirements.lock
	@sh workflow/scripts/bootstrap.sh

setup: $(READY) ## build .venv from requirements.lock (1 to 3 minutes, once)
	@echo "The environment is ready: . $(VENV)/bin/activate"

reproduce: $(READY) ## every figure, table and claim into results/ (about 16 minutes on 2 cores, once)
	@echo "Reproducing: simulations, figures, claims and results/report.html. About 16 minutes on 2 cores the first time;"
	@echo "afterwards only what changed is made again. It may be interrupted at any time and resumes where it stopped."
	@$(RUN)
	@echo "Done: open results/report.html; the claims are in results/claims.csv (rarlib claims prints them)."

full: $(READY) ## also what the default leaves out: every workload file for every policy (a few times as long as reproduce)
	@echo "Everything in config/full.yaml: a few times as long as make reproduce; results go to results/full. It resumes where it stopped."
	@$(RUN) --configfile config/full.yaml
	@echo "Done: results/full/report.html."

smoke: $(READY) ## the whole pipeline on tiny inputs, without network (about 4 minutes)
	@echo "Smoke run: every rule once on tiny inputs, without network. About 4 minutes on 2 cores; results go to results/smoke."
	@RARLIB_OFFLINE=1 $(RUN) --configfile config/smoke.yaml
	@echo "Done: results/smoke/report.html."

test: $(READY) ## unit, property, theory and pipeline tests (about 10 minutes)
	@echo "Testing: about 10 minutes on 2 cores. Tests of real traces run when RARLIB_MIRROR names a folder that has them."
	@$(BIN)/python -m pytest $(ARGS)

lint: $(READY) ## style, types, import directions, workflow (about 1 minute)
	@echo "Checking style, types, import directions and the workflow: about 1 minute."
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

lock: ## requirements.in -> requirements.lock (needs uv; about 10 seconds)
	@echo "Locking requirements.in for Python 3.11 to 3.13: about 10 seconds."
	@command -v uv >/dev/null || { echo "error: make lock needs uv (https://docs.astral.sh/uv/)" >&2; exit 2; }
	uv pip compile --universal --python-version 3.11 --generate-hashes requirements.in -o requirements.lock

clean: ## remove results/ (but results/expected) and caches; keeps .venv and data/raw (a second)
	@echo "Removing results (not results/expected), Snakemake's records and caches; .venv and data/raw stay."
	@if [ -d results ]; then find results -mindepth 1 -maxdepth 1 ! -name expected -exec rm -rf {} +; fi
	@rm -rf .snakemake build .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find rarlib tests workflow -name __pycache__ -type d -prune -exec rm -rf {} +
