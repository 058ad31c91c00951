"""How commands end: exit codes and one line for whoever made the mistake."""

import os
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["simulat"], "simulat"),
        (["claims", "--nope"], "--nope"),
        (["claims", "nowhere"], "nowhere/claims.csv"),
        (["verify", "nowhere"], "nowhere/manifest.json"),
        (["simulate", "--limit", "x"], "--limit"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, complaint, refused):
    assert complaint in refused(*arguments)


def test_help_lists_the_commands_the_documentation_promises(run):
    code, told = run("--help")
    assert code == 0
    for name in ("simulate", "bound", "sources", "claims", "cite", "doctor", "verify"):
        assert name in told.out


def test_interrupt_ends_with_130_and_one_line(tmp_path):
    """Ctrl-C is no crash: no traceback, and the shell learns what happened."""
    code = (
        "import rarlib.cli.main as m, signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a run in the background ignores Ctrl-C
        "m.app.registered_commands.clear()\n"
        "@m.app.command()\n"
        "def wait():\n"
        "    print('ready', flush=True); time.sleep(60)\n"
        "m.main(['wait'])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "interrupted\n")
