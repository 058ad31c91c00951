"""Binary heaps in compiled code: items are numbers, smallest key first, ties by item.

A heap is an array whose first entries are in use. `place` holds the position of each item in its heap, so that an item
can be moved when its key changes, or removed from the middle. Python code uses `heapq`.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel


@hot_kernel
def before(key: NDArray[np.float64], a: int, b: int) -> bool:
    """Whether item a comes before item b."""
    return key[a] < key[b] or (key[a] == key[b] and a < b)


@hot_kernel
def rise(heap: NDArray[np.int64], key: NDArray[np.float64], place: NDArray[np.int64], at: int) -> None:
    """Restore the order above position `at`."""
    item = heap[at]
    while at > 0:
        parent = (at - 1) // 2
        if not before(key, item, heap[parent]):
            break
        heap[at] = heap[parent]
        place[heap[at]] = at
        at = parent
    heap[at] = item
    place[item] = at


@hot_kernel
def sink(heap: NDArray[np.int64], key: NDArray[np.float64], place: NDArray[np.int64], size: int, at: int) -> None:
    """Restore the order below position `at` of a heap of `size` items."""
    item = heap[at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and before(key, heap[child + 1], heap[child]):
            child += 1
        if not before(key, heap[child], item):
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at = child
    heap[at] = item
    place[item] = at


@hot_kernel
def pop(heap: NDArray[np.int64], key: NDArray[np.float64], place: NDArray[np.int64], size: int) -> int:
    """Take the first item out of a heap of `size` items."""
    item = heap[0]
    heap[0] = heap[size - 1]
    sink(heap, key, place, size - 1, 0)
    return int(item)
