"""Where a pipeline may be cut: sets of finished layers, each closed under predecessors.

Source: Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training", SOSP 2019,
doi 10.1145/3341301.3359646; the states (antichains) are those of the authors' optimizer.

A state is a set of layers that contains every predecessor of its members; a stage is the difference of two states, one
inside the other. The first state holds the first layer without predecessors; a state grows by a layer that follows a
member, together with all that layer needs. A chain has one state per layer. Parallel branches multiply: b branches of n
layers have about n^b states, which Inception and NASNet take beyond any table. So there are three families of states;
the first that stays within the limit is used:

| method | states | missing cuts |
|---|---|---|
| `antichains` | all | none |
| `branches` | those that split no unbranched run of layers, and those of `order` | inside runs of parallel branches |
| `order` | one growth from first to last layer, smallest next layer first | all but one through parallel branches |

The latter two are subsets of the first, so their plans are real plans, perhaps not the fastest. All three hold every
cut that a single layer makes (one that precedes or follows every other layer), such as those between blocks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.jit import kernel
from rarlib.pipeline.graph import LayerGraph


class States(NamedTuple):
    """States in topological order: each comes after all states inside it. Arrays have shape (states,) unless said."""

    method: str  # `antichains`, `branches` or `order`
    done: NDArray[np.bool_]  # whether a layer is finished, shape (states, layers)
    inside: NDArray[np.bool_]  # whether a state is a proper part of another, shape (states, states), [part, whole]
    compute_s: NDArray[np.float64]  # forward and backward time of its layers
    parameter_bytes: NDArray[np.float64]  # weights of its layers
    activation_bytes: NDArray[np.float64]  # outputs of its layers
    leaving_bytes: NDArray[np.float64]  # outputs of its layers that layers outside read
    # the same as the authors' optimizer counts it: an output also counts while it has readers outside the predecessors
    # of one of the state's last layers, even if these readers are done
    frontier_bytes: NDArray[np.float64]


def trimmed(graph: LayerGraph) -> LayerGraph:
    """The graph as the optimizer sees it: no inputs, whose time is data loading, and no unread tuple entries.

    Raises:
        InputError: nothing is left.
    """
    ends = zip(graph.layers, graph.before, graph.after, strict=True)
    gone = [
        layer.name
        for layer, before, after in ends
        if (not before and layer.description.startswith("Input"))
        or (not after and layer.description.startswith("__getitem__"))
    ]
    if len(gone) == len(graph):
        raise InputError("must hold a layer that is not an input")
    return graph.without(gone) if gone else graph


def states_of(graph: LayerGraph, limit: int) -> States:
    """The states of a trimmed graph, at most `limit` of them.

    Raises:
        InputError: a layer is not connected to the first one, or even `order` has more states.
    """
    needs, follow = _masks(graph)
    order = _grow(needs, follow, limit, only_first=True)
    if order is None:
        raise InputError(f"a pipeline of {len(graph)} layers has more than {limit} states", field="--max-states")
    _check_connected(graph, order)
    method, found = "antichains", _grow(needs, follow, limit)
    if found is None:
        end = [_end_of_run(graph, at) for at in range(len(graph))]
        runs = _grow([needs[at] for at in end], [follow[at] for at in end], limit - len(order))
        method, found = ("order", order) if runs is None else ("branches", runs | order)
    return _table(graph, needs, method, sorted(found, key=lambda state: (state.bit_count(), state)))


def _masks(graph: LayerGraph) -> tuple[list[int], list[int]]:
    """Each layer with all its predecessors, and the layers that follow one of these directly; as bits."""
    needs: list[int] = []
    follow: list[int] = []
    for at, (before, after) in enumerate(zip(graph.before, graph.after, strict=True)):
        need, next_ = 1 << at, sum(1 << later for later in after)
        for earlier in before:
            need |= needs[earlier]
            next_ |= follow[earlier]
        needs.append(need)
        follow.append(next_)
    return needs, follow


def _grow(step: list[int], follow: list[int], limit: int, *, only_first: bool = False) -> set[int] | None:
    """States as bits, reached from the first; None when there are more than `limit`.

    `step` is what a state grows by with each layer, `follow` the layers that follow one of these directly.
    """
    found = {step[0]: follow[0]}  # state -> layers that follow one of its members
    queue = [step[0]]
    for state in queue:
        next_ = found[state] & ~state
        while next_:
            at = (next_ & -next_).bit_length() - 1
            grown = state | step[at]
            if grown not in found:
                found[grown] = found[state] | follow[at]
                queue.append(grown)
            next_ = 0 if only_first else next_ & (next_ - 1)
        if len(found) > limit:
            return None
    return set(found)


def _end_of_run(graph: LayerGraph, at: int) -> int:
    while len(graph.after[at]) == 1 and len(graph.before[graph.after[at][0]]) == 1:
        at = graph.after[at][0]
    return at


def _check_connected(graph: LayerGraph, order: set[int]) -> None:
    last = max(order, key=int.bit_count)
    lost = [layer.name for at, layer in enumerate(graph.layers) if not last >> at & 1]
    if lost:
        raise InputError(f"is not connected to the first layer, {graph.layers[0].name}", field=lost[0])


def _table(graph: LayerGraph, needs: list[int], method: str, order: list[int]) -> States:
    n = len(graph)
    done, closed = _matrix(order, n), _matrix(needs, n)
    inside = _inside(_words(order, n))
    leaving = done & _followed(graph, ~done)
    last = done & ~_followed(graph, done)
    read_elsewhere = closed & ~np.eye(n, dtype=np.bool_) & _followed(graph, ~closed)
    frontier = last | _share(last, read_elsewhere.T)
    return States(
        method=method,
        done=done,
        inside=inside,
        compute_s=done @ (graph.forward_s + graph.backward_s),
        parameter_bytes=done @ graph.parameter_bytes,
        activation_bytes=done @ graph.activation_bytes,
        leaving_bytes=leaving @ graph.activation_bytes,
        frontier_bytes=frontier @ graph.activation_bytes,
    )


def _words(masks: list[int], n: int) -> NDArray[np.uint64]:
    """Bit masks as rows of 64-bit words, shape (masks, words)."""
    size = 8 * ((n + 63) // 64)
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), dtype="<u8")
    return packed.astype(np.uint64).reshape(len(masks), size // 8)


@kernel
def _inside(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether one set of bits is a proper part of another, all different, shape (sets, sets)."""
    sets, size = words.shape
    found = np.empty((sets, sets), np.bool_)
    for i in range(sets):
        for j in range(sets):
            outside = np.uint64(0)
            for w in range(size):
                outside |= words[i, w] & ~words[j, w]
            found[i, j] = outside == 0 and i != j
    return found


def _matrix(masks: list[int], n: int) -> NDArray[np.bool_]:
    """Bit masks as rows of Booleans, shape (masks, n)."""
    size = (n + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(masks), size), axis=1, count=n, bitorder="little").astype(np.bool_)


def _followed(graph: LayerGraph, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a direct follower of a layer is in a row, shape (rows, layers)."""
    by_layer = np.ascontiguousarray(rows.T)
    found = np.zeros_like(by_layer)
    for at, after in enumerate(graph.after):
        for later in after:
            found[at] |= by_layer[later]
    return np.ascontiguousarray(found.T)


def _share(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a row of `a` and a row of `b` have a member in common, shape (rows of a, rows of b)."""
    return np.asarray(a.astype(np.float32) @ b.T.astype(np.float32) > 0.0)  # counts up to 2**24 are exact
