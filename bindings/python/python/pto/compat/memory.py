"""Allocations by address: a launch passes bare addresses, and an engine must know how far they reach."""

import bisect
import weakref


class Registry:
    """Memory that is alive: objects with an address and a size, by weak reference."""

    def __init__(self):
        self._entries = {}
        self._starts = []

    def add(self, owner, address, size):
        """Remembers memory for as long as its owner lives."""
        if size == 0:
            return
        known = self._entries.get(address)
        if known is not None and known[0] >= size and known[1]() is not None:
            return
        if known is None:
            bisect.insort(self._starts, address)
        self._entries[address] = (size, weakref.ref(owner))

    def find(self, address):
        """Owner, start and size of the memory that an address lies in."""
        at = bisect.bisect_right(self._starts, address)
        for start in reversed(self._starts[max(0, at - 64) : at]):
            size, owner = self._entries[start]
            alive = owner()
            if alive is None:
                del self._entries[start]
                self._starts.remove(start)
                continue
            if start <= address < start + size:
                return alive, start, size
        return None


ALLOCATIONS = Registry()


def register(array):
    """Makes the memory of an array known, so that its bare address can be passed to a launch."""
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        size = array.nbytes
        ALLOCATIONS.add(array, interface["data"][0], size)
    else:
        storage = array.untyped_storage()
        ALLOCATIONS.add(array, storage.data_ptr(), storage.nbytes())
    return array
