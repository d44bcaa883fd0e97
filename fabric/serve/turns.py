"""Shares of what is limited, and turns at what is done one after the other, for each token.

A token that asks for more than others waits for itself: the next work is that of the token which
has waited longest for a turn. Requests without tokens have one share, which is all there is.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

from fabric.serve.problem import refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

T = TypeVar("T")
#: Share of one token, our choice: it takes four of them to fill what there is.
_TOKENS = 4


class Shares:
    """Counts what is in use, of all and of each token.

    Parameters
    ----------
    most : int
        How many may be in use at a time; a token may have a quarter.
    what : str
        What is counted, for the message: "clients listen".
    fix : str
        What to do instead.

    Attributes
    ----------
    share : int
        How many a token may have.
    """

    def __init__(self, most: int, what: str, fix: str) -> None:
        self._most, self.share = most, -(-most // _TOKENS)
        self._what, self._fix = what, fix
        self._used: Counter[str] = Counter()

    def check(self, caller: str) -> None:
        """Raise Problem (503) where a caller gets no more."""
        if self._used.total() >= self._most:
            self._refuse(f"{self._most} {self._what} already")
        if caller and self._used[caller] >= self.share:
            self._refuse(f"{self.share} {self._what} already with this token")

    def _refuse(self, message: str) -> None:
        problem = refused(HTTPStatus.SERVICE_UNAVAILABLE, "SRV009", "", message, self._fix)
        problem.headers["Retry-After"] = "5"
        raise problem

    def take(self, caller: str) -> None:
        """Use one more; raise Problem (503) as `check` does."""
        self.check(caller)
        self._used[caller] += 1

    def give(self, caller: str) -> None:
        """Use one less."""
        self._used[caller] -= 1
        self._used += Counter()  # forgets those who have nothing

    @contextmanager
    def held(self, caller: str) -> Iterator[None]:
        """Use one more while the body runs."""
        self.take(caller)
        try:
            yield
        finally:
            self.give(caller)


class Turns:
    """Lets one work go on at a time, and callers in rotation."""

    def __init__(self) -> None:
        self._is_busy = False
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def take(self, caller: str) -> None:
        """Wait for a turn, which `give` ends."""
        if not self._is_busy:
            self._is_busy = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(caller, turn)
            else:
                self.give()  # the turn had come
            raise

    def _forget(self, caller: str, turn: asyncio.Future[None]) -> None:
        turns = self._waiting.get(caller, deque())
        if turn in turns:  # else `give` has passed it over already
            turns.remove(turn)
        if not turns:
            self._waiting.pop(caller, None)

    def give(self) -> None:
        """Let the next one work."""
        while self._waiting:
            caller, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[caller] = turns
            if not turn.done():
                turn.set_result(None)
                return
        self._is_busy = False

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[None]:
        """Work while the body runs."""
        await self.take(caller)
        try:
            yield
        finally:
            self.give()


class Lane:
    """A thread that does one work after the other.

    Parameters
    ----------
    shares : Shares or None
        How much may wait; None is no limit.
    """

    def __init__(self, name: str, shares: Shares | None = None) -> None:
        self._threads = ThreadPoolExecutor(1, name)
        self._turns, self._shares = Turns(), shares

    async def do(self, caller: str, work: Callable[[], T]) -> T:
        """Return what a work returns; one that has begun is in the way until it has ended.

        Raises
        ------
        Problem
            503 when too much waits.
        """
        if self._shares:
            self._shares.take(caller)
        try:
            await self._turns.take(caller)
        except asyncio.CancelledError:
            self._end(caller)
            raise
        future = self._threads.submit(work)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._end_turn, caller))
        return await asyncio.wrap_future(future)

    def _end_turn(self, caller: str) -> None:
        self._turns.give()
        self._end(caller)

    def _end(self, caller: str) -> None:
        if self._shares:
            self._shares.give(caller)

    def close(self) -> None:
        """End the thread, after the work that has begun."""
        self._threads.shutdown(wait=True, cancel_futures=True)
