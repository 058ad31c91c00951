"""Runs the code blocks of a page of the manual, in the order of the page, in a copy of the checkout.

The word after the fence's three ticks says what a block is, and what follows it what to do:

sh              each command must succeed
console         commands after `$ `, and what they print; `...` stands for anything, `error:` for exit code 2
python          runs, in one namespace per page
text output     what the block before it prints
text            a picture: nothing to run
diff            changes files of the copy; commands that follow run in the changed copy, in processes of their own
ANY file: PATH  is written there
ANY append: PATH is appended there
ANY no-run: covered by WHERE    where this is run instead: `tests/file.py::test`, or a script that holds every line
"""

import ast
import contextlib
import doctest
import importlib
import io
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from rarlib import discovery
from rarlib.cli.main import main

ROOT = Path(__file__).parents[3]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_PARTS = ("rarlib", "artifact", "workflow", "config", "notebooks", "docs", "profiles")
_DATA = ("data/standin", "results/expected")
_FILES = ("Snakefile", "environment.yml", "data/published.csv", "data/statements.csv", "data/sources.tsv")
_INFO = re.compile(r"(?P<language>\w+)(?: (?P<what>file|append|no-run): (?P<argument>.+)| (?P<output>output))?")
_COVER = re.compile(r"covered by (?P<path>[^\s:]+)(?:::(?P<test>\w+))?")


class Block(NamedTuple):
    """A fenced block: its language, what to do with it (`output`, `file`, ... or empty), and where it stands."""

    language: str
    what: str
    argument: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """The blocks of a page; code that is only indented has no language, so it is refused."""
    found = []
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        line = token.map[0] + 1 if token.map else 0
        assert token.type != "code_block", f"{page.name}:{line}: indented code; write a fence with its language"
        if token.type == "fence":
            info = _INFO.fullmatch(token.info.strip())
            assert info, (
                f"{page.name}:{line}: fence {token.info!r} says not what to do; see tests/artifact/docs/pages.py"
            )
            what, argument = info["what"] or info["output"] or "", info["argument"] or ""
            found.append(Block(info["language"], what, argument, token.content, line))
    return found


def check_cover(block: Block) -> None:
    """Where a block that is not run here says it is run: that must be so."""
    named = _COVER.fullmatch(block.argument)
    assert named, f"{block.argument!r}: write `covered by PATH` or `covered by PATH::test`"
    text = (ROOT / named["path"]).read_text(encoding="utf-8")
    if named["test"]:
        functions = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
        assert named["test"] in functions, block.argument
    else:
        missing = [command for command in commands(block.text) if command not in text]
        assert missing == [], f"not in {named['path']}"


def commands(text: str) -> list[str]:
    """Lines of a shell block, without comments; a backslash joins a line to the next."""
    lines = (re.sub(r"\s+# .*|^#.*", "", line).strip() for line in text.replace("\\\n", " ").splitlines())
    return [line for line in lines if line]


class Runner:
    """The state of one page: its folder, its namespace, what was printed last."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.changed = False
        self.printed = ""
        self.module = types.ModuleType("page_of_the_manual")

    def run(self, block: Block) -> None:
        """Do what the block says.

        Raises:
            AssertionError: it does not do what the page says.
        """
        if block.what == "no-run":
            check_cover(block)
        elif block.what in ("file", "append"):
            self._write(block)
        elif block.what == "output":
            _same(block.text, self.printed)
        elif block.language == "diff":
            subprocess.run(["patch", "--quiet", "-p1"], input=block.text, text=True, cwd=self.root, check=True)
            self.changed = True
        elif block.language == "python":
            with _captured() as printed:
                exec(compile(block.text, f"line {block.line}", "exec"), self.module.__dict__)
            self.printed = printed.getvalue()
        elif block.language == "sh":
            for command in commands(block.text):
                code, self.printed = self._command(command)
                assert code == 0, f"{command}\n{self.printed}"
        elif block.language == "console":
            self._transcript(block.text)
        else:
            assert block.language == "text", (
                f"{block.language}: nothing says how to run this; see tests/artifact/docs/pages.py"
            )

    def _write(self, block: Block) -> None:
        path = self.root / block.argument
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if block.what == "append" else "w", encoding="utf-8") as file:
            file.write(block.text)
        if path.suffix == ".py" and block.argument.startswith(("rarlib/", "artifact/")):
            # The running rarlib is not the copy: its packages are told to look there, too.
            package = importlib.import_module(".".join(path.relative_to(self.root).parent.parts))
            package.__path__.append(str(path.parent))
            importlib.invalidate_caches()
            discovery.schedulers.cache_clear()

    def _transcript(self, text: str) -> None:
        assert text.startswith("$ "), "a console block starts with `$ `"
        for part in re.split(r"(?m)^\$ ", text)[1:]:
            command, _, expected = part.partition("\n")
            code, printed = self._command(command)
            assert code == (2 if expected.startswith("error:") else 0), f"{command}\n{printed}"
            _same(expected, printed)

    def _command(self, command: str) -> tuple[int, str]:
        words = shlex.split(command)
        if words[0] == "rarlib" and not self.changed:
            with _captured() as printed:
                try:
                    main(words[1:])
                except SystemExit as ended:
                    return int(ended.code or 0), printed.getvalue()
        folders = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        # Compiling kernels anew would take longer than anything a page runs in its copy.
        environment = {**os.environ, "PATH": folders, "PYTHONPATH": str(self.root), "NUMBA_DISABLE_JIT": "1"}
        words = [sys.executable, "-m", "rarlib.cli.main", *words[1:]] if words[0] == "rarlib" else ["sh", "-c", command]
        done = subprocess.run(
            words, cwd=self.root, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout


@contextlib.contextmanager
def copy_of_the_checkout(root: Path) -> Iterator[Runner]:
    """A reader's checkout without recorded traces and network; what a page adds to rarlib is forgotten afterwards."""
    for part in (*_PARTS, *_DATA):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _FILES:
        shutil.copy(ROOT / name, root / name)
    runner = Runner(root)
    paths = {
        name: list(m.__path__)
        for name, m in sys.modules.items()
        if name.startswith(("rarlib", "artifact")) and _is_package(m)
    }
    sys.modules[runner.module.__name__] = runner.module
    try:
        with contextlib.chdir(root):
            yield runner
    finally:
        for name, path in paths.items():
            sys.modules[name].__path__[:] = path
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(f"{root}{os.sep}"):
                del sys.modules[name]
        del sys.modules[runner.module.__name__]
        discovery.schedulers.cache_clear()


def _is_package(module: types.ModuleType) -> bool:
    return isinstance(getattr(module, "__path__", None), list)


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    printed = io.StringIO()
    # What Python does with warnings of the log where nobody else listens: the text alone, to standard error.
    handler, log = logging.StreamHandler(printed), logging.getLogger("rarlib")
    log.addHandler(handler)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield printed
    finally:
        log.removeHandler(handler)


def _same(expected: str, printed: str) -> None:
    checker, flags = doctest.OutputChecker(), doctest.ELLIPSIS
    # Whether kernels are compiled depends on what ran before on this machine.
    printed = re.sub(r"^compiling, once: .*\n", "", printed, flags=re.MULTILINE)
    want, got = (re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE) for text in (expected, printed))
    assert checker.check_output(want, got, flags), f"the page says\n{want}\nprinted was\n{got}"
