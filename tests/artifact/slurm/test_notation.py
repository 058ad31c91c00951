"""Lists of nodes as Slurm writes them."""

import pytest

from artifact.slurm.notation import host_names
from rarlib.model.errors import InputError


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3,7],gpu-a", ["n1", "n2", "n3", "n7", "gpu-a"]),
        ("r[1-2]n[08-10]", ["r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"]),
        ("", []),
    ],
)
def test_lists_of_nodes(text, names):
    assert host_names(text) == names


@pytest.mark.parametrize("text", ["n[1-x]", "n[]", "n[1-2-3]", "n[0-999999999]", "[1-9999][1-9999][1-9999]"])
def test_lists_of_nodes_that_are_none_are_refused(text):
    """Also those of more nodes than a cluster may have, before they are written out."""
    with pytest.raises(InputError, match=r"lists numbers as|names more than 20,000 nodes"):
        host_names(text)
