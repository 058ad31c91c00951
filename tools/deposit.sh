#!/usr/bin/env bash
# The deposit of the smoke run: made, unpacked, and checked by a Python without packages. With --elsewhere
# its source is run again there (make smoke stands for make reproduce), without git and in an environment of its own, and must give the same ledger.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
unset RARLIB_MIRROR
export RARLIB_OFFLINE=1
make archive ARGS="--configfile config/smoke.yaml"
mkdir "$away/elsewhere"
python3 -m zipfile -e build/rarlib-*-smoke.zip "$away/elsewhere"
diff -r results/smoke/cells "$away"/elsewhere/rarlib-*/results/cells
cd "$away"/elsewhere/rarlib-*
python3 -I verify.py
"$root/.venv-archive/bin/python" -B source/workflow/archive/check_crate.py . "$away/cache"
if [ "${1:-}" = --elsewhere ]; then
    cd source
    make setup
    make smoke
    cmp results/smoke/claims.csv ../results/claims.csv
    diff -r results/smoke/tables ../results/tables
    diff -r results/smoke/cells ../results/cells
fi
