#!/bin/sh
# Build .venv from the hash-pinned requirements.lock, with uv when present and with venv + pip otherwise.
# The stamp is written last: an environment without it counts as broken and is built again.
set -eu
cd "$(dirname "$0")/../.."
venv=.venv
stamp=$venv/.built-from-lock
log=build/setup.log

python_version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

find_python() {
    for candidate in ${PYTHON:-python3 python3.11 python3.12 python3.13}; do
        case "$(python_version "$candidate")" in
        3.11 | 3.12 | 3.13)
            # The first Python on the path may be that of the environment to be replaced: take the one it was made from.
            "$candidate" -c 'import sys; print(sys._base_executable)'
            return 0
            ;;
        esac
    done
    echo "error: Python 3.11, 3.12 or 3.13 is needed; ${PYTHON:-python3} is $(python_version "${PYTHON:-python3}" || echo missing)." >&2
    echo "       Install one, or name it: make PYTHON=/path/to/python3.11 ..." >&2
    return 1
}

with_uv() {
    command -v uv >/dev/null 2>&1 || return 1
    uv venv --quiet --python "$python" "$venv" &&
        with_progress uv pip sync --compile-bytecode --require-hashes --python "$venv/bin/python" requirements.lock
}

with_pip() {
    rm -rf "$venv"
    if ! "$python" -m venv "$venv"; then
        rm -rf "$venv"
        echo "error: $python cannot make virtual environments (on Debian: apt install python3-venv)." >&2
        return 1
    fi
    with_progress "$venv/bin/python" -m pip install --disable-pip-version-check --require-hashes -r requirements.lock
}

# Run an installer with its output in the log and one line of progress on the screen. If the output is not a terminal,
# that line is written once, at the end.
with_progress() {
    "$@" >>"$log" 2>&1 &
    installer=$!
    trap 'kill "$installer" 2>/dev/null; exit 130' INT TERM
    while [ -t 1 ] && kill -0 "$installer" 2>/dev/null; do
        printf '\r  %s' "$(progress)"
        sleep 1
    done
    code=0
    wait "$installer" || code=$?
    trap - INT TERM
    if [ "$code" -ne 0 ]; then return "$code"; fi
    if [ -t 1 ]; then printf '\r'; fi
    echo "  installed from requirements.lock (log: $log)"
}

progress() {
    seen=$(grep -c '^Collecting ' "$log" || true)
    if grep -q '^Installing collected' "$log"; then
        echo "installing $seen packages "
    elif [ "$seen" -eq 0 ]; then
        echo "fetching packages"
    else
        echo "$seen of at most $(grep -c '^[a-zA-Z0-9]' requirements.lock || true) packages fetched "
    fi
}

# rarlib itself is used from this folder: an edit takes effect at once, and no unpinned build tools are fetched.
link_package() {
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    pwd -P >"$site/rarlib.pth"
    # shellcheck disable=SC2016  # expanded when the command runs
    printf '#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/python" -m rarlib.cli.main "$@"\n' >"$venv/bin/rarlib"
    chmod +x "$venv/bin/rarlib"
}

# `jupyter lab` looks for settings inside its environment, and finds those of this folder: the user's own stay as they are.
link_settings() {
    mkdir -p "$venv/etc/jupyter"
    for name in jupyter_lab_config.py labconfig; do
        ln -sfn "$(pwd -P)/config/jupyter/$name" "$venv/etc/jupyter/$name"
    done
}

# A saved notebook keeps its outputs in the file, and git does not see them: a filter of this clone, where it is one.
keep_outputs_out_of_commits() {
    attributes=$(git rev-parse --git-path info/attributes 2>/dev/null) || return 0
    [ -e .git ] || return 0
    git config filter.outputs.clean 'python3 tools/strip_outputs.py'
    mkdir -p "$(dirname "$attributes")"
    grep -qs 'filter=outputs' "$attributes" || echo 'notebooks/**/*.ipynb filter=outputs' >>"$attributes"
}

digest=$(sha256sum requirements.lock | cut -d ' ' -f 1)
if [ "$(cat "$stamp" 2>/dev/null)" = "$digest" ]; then
    touch "$stamp" # the lock is newer but has the same content
    exit 0
fi
python=$(find_python)
echo "Setting up .venv from requirements.lock (about 1.3 GB; half a minute with uv, 1 to 3 minutes with pip)."
rm -rf "$venv"
mkdir -p "$(dirname "$log")"
: >"$log"
if ! { with_uv || with_pip; }; then
    if [ -s "$log" ]; then
        echo "error: the environment could not be built; the last lines of $log:" >&2
        tail -n 15 "$log" >&2
    fi
    exit 1
fi
link_package
link_settings
keep_outputs_out_of_commits
echo "$digest" >"$stamp.new"
mv "$stamp.new" "$stamp"
