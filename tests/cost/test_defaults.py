"""Numbers of applications that cost models take from published code."""

from rarlib.cost.goodput.applications import APPLICATIONS, AS_IN_SIA, SharedCluster

PUBLISHED = """
cifar10      100   50   30  1.8
bert           2  120  120  1.2
deepspeech2   80   25   25  1.2
yolov3        50   80   45  1.2
imagenet      90  250  250  1.2
ncf           10   15   30  1.5
gpt_pmp        2   30   30  1.0
"""
"""As in Sia's artifact: epochs, seconds of a start, the same as Sia believes, slow-down in a shared cluster."""


def test_applications_are_the_published_ones():
    """Digit by digit, and no application more; the pipelines of GPT are in the same file of the artifact."""
    rows = {name: tuple(map(float, rest)) for name, *rest in map(str.split, PUBLISHED.strip().splitlines())}
    found = APPLICATIONS.items()
    assert {n: (a.epochs, a.restart_s, a.believed_restart_s, a.slowdown) for n, a in found} == rows
    assert {name: dict(app.largest_local) for name, app in found if app.largest_local} == {"deepspeech2": {"rtx": 57}}
    assert {name: (dict(app.stages), app.microbatches) for name, app in found if app.stages} == {
        "gpt_pmp": ({"rtx": 8, "a100": 2}, 48)
    }
    assert SharedCluster() == AS_IN_SIA == (True, None)
