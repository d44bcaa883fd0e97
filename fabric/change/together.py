"""Work that many threads ask for at once, done together by one of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class _Item(Generic[T, R]):
    given: T
    result: R | None = None
    is_done: bool = False


class Together(Generic[T, R]):
    """Collects what threads give while another one works, and does it as one batch.

    Parameters
    ----------
    work : callable
        Takes a batch and returns a result for each item, or raises an error and has done nothing.
    most : int
        How many items a batch may have, >= 1; 0 for any number.

    Examples
    --------
    >>> Together(lambda batch: [item + 1 for item in batch]).do(1)
    2
    """

    def __init__(self, work: Callable[[Sequence[T]], Sequence[R]], most: int = 0) -> None:
        self._work = work
        self._most = most
        self._waiting: deque[_Item[T, R]] = deque()
        self._turn = Lock()

    def do(self, given: T) -> R:
        """Return the result for an item, once the batch that has it is done.

        An error is raised for the item of the thread that met it; the others are tried again.
        """
        item: _Item[T, R] = _Item(given)
        self._waiting.append(item)
        with self._turn:
            while not item.is_done:
                self._do_batch(item)
        return cast("R", item.result)

    def _do_batch(self, own: _Item[T, R]) -> None:
        number = min(len(self._waiting), self._most or len(self._waiting))
        batch = [self._waiting.popleft() for _ in range(number)]
        try:
            results = self._work([item.given for item in batch])
        except BaseException:
            self._waiting.extendleft(item for item in reversed(batch) if item is not own)
            if own not in batch:
                self._waiting.remove(own)
            raise
        for item, result in zip(batch, results, strict=True):
            item.result, item.is_done = result, True
