"""The wheel and the environments that tests of the library share; each is made once for all test processes."""

import os
from pathlib import Path

import pytest

from tests.rarlib.library.clean import ROOT, Clean, Shared, built, kept


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Environments are made anew, and pip needs the package index: `make release` does so."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.release)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def builder(shared: Path) -> Clean:
    """An environment with the build backend."""
    return kept(shared / "builder", "hatchling>=1.27,<2")


@pytest.fixture(scope="session")
def distributions(shared: Path, builder: Clean) -> list[Path]:
    """The sdist and the wheel of this checkout."""
    with Shared(shared / "distributions") as made:
        out = shared / "distributions" / "dist"
        return sorted(out.iterdir()) if made else built(builder, ROOT, out)


@pytest.fixture(scope="session")
def wheel(distributions: list[Path]) -> Path:
    """The wheel."""
    return next(path for path in distributions if path.suffix == ".whl")


@pytest.fixture(scope="session")
def core(shared: Path, wheel: Path) -> Clean:
    """An environment with the wheel and what it requires."""
    return kept(shared / "core", str(wheel))


@pytest.fixture(scope="session")
def with_figures(shared: Path, wheel: Path) -> Clean:
    """An environment with the wheel, the extra `figures`, and pytest."""
    return kept(shared / "with-figures", f"{wheel}[figures]", "pytest")
