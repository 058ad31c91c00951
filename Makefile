# The two main commands are `make reproduce` and `make test`. Every target builds .venv from requirements.lock when it is
# missing or older than the lock; nothing outside this folder is changed.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup lab smoke reproduce report full paper archive lint check test release docs lock clean

VENV := .venv
DOCS := .venv-docs
ARCHIVE := .venv-archive
READY := $(VENV)/.built-from-lock
BIN := $(VENV)/bin
# Commands in notebooks and rules find the environment's programs first.
export PATH := $(CURDIR)/$(BIN):$(PATH)
RUN := $(BIN)/python workflow/scripts/run.py

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): requirements.lock
	@sh workflow/scripts/bootstrap.sh

setup: $(READY) ## build .venv from requirements.lock (1 to 3 minutes, once)
	@echo "The environment is ready: . $(VENV)/bin/activate"

lab: $(READY) ## JupyterLab with the figures' notebooks; it opens notebooks/00-start-here.ipynb
	@JUPYTER_CONFIG_PATH="$(CURDIR)/config/jupyter$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}" $(BIN)/jupyter lab $(ARGS)

smoke: $(READY) ## kick the tyres: every rule once on tiny inputs, without network, compared with its ledger (2 minutes)
	@echo "Smoke run: every rule once and a table of every paper, without network and recorded data; about 2 minutes on 2 cores."
	@RARLIB_OFFLINE=1 RARLIB_MIRROR= $(RUN) --configfile config/smoke.yaml $(ARGS)
	@cmp results/smoke/claims.csv results/expected/smoke.csv
	@echo "Agrees: results/smoke/claims.csv is results/expected/smoke.csv; open results/smoke/report.html."

reproduce: $(READY) ## every figure, table and claim into results/ (about 11 minutes on 2 cores, once)
	@echo "Reproducing: simulations, figures, claims and results/report.html. About 11 minutes on 2 cores the first time;"
	@echo "later runs make only what has changed. It may be interrupted at any time and resumes where it stopped."
	@$(RUN) $(ARGS)
	@echo "Done: open results/report.html; the claims are in results/claims.csv (rarlib claims prints them)."

report: $(READY) ## the report of the accepted results, drawn from their tables without simulating (5 minutes)
	@echo "Drawing the report of the accepted results, which a run with recorded data has made: about 5 minutes on 2 cores."
	@$(BIN)/python -m zipfile -e results/expected/tables.zip results
	@$(RUN) --configfile config/accepted.yaml --allowed-rules all figure claims manifest report pages $(ARGS)
	@echo "Done: open results/accepted/report.html."

full: $(READY) ## also what the default leaves out: all instances and workload files for every scheduler (many hours)
	@echo "All of config/full.yaml, about 7 hours on 2 cores. It may be interrupted at any time and resumes where it stopped."
	@$(RUN) --configfile config/full.yaml $(ARGS)
	@echo "Done: results/full/report.html."

paper: $(READY) ## results as parts of a LaTeX document: figures (PDF), tables, numbers, captions (3 minutes more)
	@echo "Making results/paper: every figure as PDF, tables, numbers, captions, references. About 3 minutes on"
	@echo "2 cores once the results are there; otherwise they are made first (make reproduce says how long that takes)."
	@$(RUN) paper
	@echo "Done: docs/your-study.md says how to use results/paper; rarlib cite FIGURE prints what must be cited."

$(ARCHIVE)/.built-from-lock: workflow/archive/tools.lock | $(READY)
	@rm -rf $(ARCHIVE)
	@$(BIN)/python -m venv $(ARCHIVE)
	@$(ARCHIVE)/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r workflow/archive/tools.lock
	@touch $@

archive: $(READY) $(ARCHIVE)/.built-from-lock ## a deposit to cite: results, source and a verifier, into build (5 minutes more)
	@echo "Making build/rarlib-VERSION and .zip of the commit that is checked out: results are made first if they"
	@echo "are not there (make reproduce says how long that takes), then the figures as PDF and the deposit (5 minutes)."
	@$(RUN) archive $(ARGS)
	@echo "Done: docs/cite.md says how to deposit and how to check it."

lint: $(READY) ## style, types, import directions, workflow (1 minute)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/python -m tools.budgets

check: lint ## lint, and the tests nearest to what has changed since main (under 3 minutes)
	@$(BIN)/python -m tools.check $(ARGS)

# Those that failed last come first; in CI the run ends after a few failures.
test: lint ## lint, and all tests that a change can break: code, notebooks, pages (about 12 minutes)
	@echo "Testing: about 12 minutes on 2 cores. Tests of recorded traces run when RARLIB_MIRROR names a folder with them;"
	@echo "tests in a browser need Chromium (make test ARGS=\"-m 'not browser'\" leaves them out)."
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder $(if $(CI),--maxfail=5,--ff) $(ARGS)

release: $(READY) ## what a release has to show, in stages (many hours; resumes; ARGS=--list prints them)
	@$(BIN)/python -m tools.release $(ARGS)

$(DOCS)/.built-from-lock: docs/site/tools.lock | $(READY)
	@rm -rf $(DOCS)
	@$(BIN)/python -m venv $(DOCS)
	@$(DOCS)/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r docs/site/tools.lock
	@touch $@

docs: $(READY) $(DOCS)/.built-from-lock ## the manual as a site that can be searched, with executed tutorials, into build/site (1 minute)
	@echo "Building build/site: tutorials are executed first. About a minute on 2 idle cores, without a network."
	@mkdir -p build
	@$(BIN)/python -m docs.site.build --sphinx $(DOCS)/bin/python >build/docs.log 2>&1 || { tail -n 20 build/docs.log >&2; exit 1; }
	@echo "Done: open build/site/index.html, or python -m http.server --directory build/site."

lock: $(READY) ## tools/requirements.in -> requirements.lock, and the other locks (needs uv; about 20 seconds)
	@echo "Locking tools/requirements.in and the other lists for Python 3.11 to 3.13: about 20 seconds."
	@command -v uv >/dev/null || { echo "error: make lock needs uv (https://docs.astral.sh/uv/)" >&2; exit 2; }
	uv pip compile --universal --python-version 3.11 --generate-hashes tools/requirements.in -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes workflow/archive/tools.in -o workflow/archive/tools.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes docs/site/tools.in -o docs/site/tools.lock
	$(BIN)/python -m tools.wheels

clean: ## remove results/ (except results/expected) and caches; keeps .venv and data/raw (a second)
	@echo "Removing results (not results/expected), Snakemake's records and caches; .venv and data/raw stay."
	@if [ -d results ]; then find results -mindepth 1 -maxdepth 1 ! -name expected -exec rm -rf {} +; fi
	@rm -rf .snakemake build .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find rarlib artifact tests workflow -name __pycache__ -type d -prune -exec rm -rf {} +
