"""Steps of long work, counted for whoever watches: a loop says where it is, and prints nothing."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
#: Takes what is counted, how many are done and how many there are.
Watcher: TypeAlias = "Callable[[str, int, int], None]"

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def steps(what: str, items: Sequence[T]) -> Iterator[T]:
    """Yield items, and report the start, with 0 done, and each one that is done.

    Parameters
    ----------
    what : str
        What is counted, in the plural.
    items : sequence
        The work; its length is the total.
    """
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, 0, len(items))
    for number, item in enumerate(items, 1):
        yield item
        if watcher is not None:
            watcher(what, number, len(items))


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Report the steps of this thread to a watcher while the body runs."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)
