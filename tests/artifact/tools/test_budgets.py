"""What the budgets of the house count, in a small house."""

import subprocess
from pathlib import Path

from tools.budgets import main, measured


def house(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def test_lines_words_and_targets_are_those_of_the_files(tmp_path: Path) -> None:
    """What git ignores counts for nothing, what is new and not ignored does."""
    made = house(
        tmp_path,
        {
            "rarlib/a.py": "1\n2\n", "artifact/b.py": "1\n2\n3\n4\n", "tests/t.py": "1\n",
            "tools/x/y.py": "1\n" * 7,
            "benchmarks/z.py": "1\n", "docs/page.md": "three plain words\n", "README.md": "one",
            "ignored/big.py": "1\n" * 99,
            ".gitignore": "ignored/\n",
            "Makefile": "a: ## one\n\techo\nb-c: d ## two\nd: e\nX := y\n", "tests/not.md": "a b",
        },
    )  # fmt: skip
    assert measured(made) == {
        "rarlib": 2, "artifact": 4, "tests": 1, "tools": 8, "python": 15, "longest_file": 7, "median_file": 3.0,
        "words": 4, "targets": 2, "top_entries": 9,
    }  # fmt: skip


def test_the_house_keeps_its_budgets(capsys) -> None:
    """Remedy: delete what no reader would miss."""
    assert main() == 0, capsys.readouterr().out
