"""Steps and stages of long work, for whoever watches: nothing is printed here."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
#: Takes what is counted, how many are done and how many there are.
Watcher: TypeAlias = "Callable[[str, int, int], None]"

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


class Stages:
    """Seconds of each stage of a command; a stage inside another one counts for itself alone."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._since_s = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the body as that of a stage."""
        self._count()
        self._open.append(name)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def _count(self) -> None:
        now_s = time.monotonic()
        if self._open:
            name = self._open[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now_s - self._since_s
        self._since_s = now_s


_stages: ContextVar[Stages | None] = ContextVar("stages", default=None)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Say that the body is a stage of the command, such as ``render``."""
    stages = _stages.get()
    if stages is None:
        yield
    else:
        with stages.stage(name):
            yield


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Measure the stages of this thread while the body runs: seconds by name, in order."""
    stages = Stages()
    token = _stages.set(stages)
    try:
        yield stages.seconds
    finally:
        _stages.reset(token)


def steps(what: str, items: Sequence[T]) -> Iterator[T]:
    """Yield items, and report the start, with 0 done, and each one that is done.

    Parameters
    ----------
    what : str
        What is counted, in the plural.
    items : sequence
        The work; its length is the total.
    """
    report(what, 0, len(items))
    for number, item in enumerate(items, 1):
        yield item
        report(what, number, len(items))


def report(what: str, done: int, total: int) -> None:
    """Report how many are done; for work that does many at once."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)


@contextmanager
def watched(watcher: Watcher | None) -> Iterator[None]:
    """Report the steps of this thread to a watcher, or to none, while the body runs."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)
