"""Server-sent events (WHATWG HTML, section 9.2): changes of the state, jobs, reloads."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fabric.serve.problem import Problem
from fabric.serve.turns import Shares

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

#: Events that a client which comes back can still get, and that a slow one may lag behind.
KEPT = 256
#: A comment is sent when nothing happened for so long, so that proxies keep the connection.
BEAT_S = 15.0


class Events:
    """Hands each event to all who listen.

    Parameters
    ----------
    most : int
        Listeners at a time.
    """

    def __init__(self, most: int) -> None:
        self._shares = Shares(most, "clients listen", "try again later, or poll /v1/state")
        self._last: deque[tuple[int, bytes]] = deque(maxlen=KEPT)
        self._queues: set[asyncio.Queue[bytes | None]] = set()
        self._number = 0
        self._is_closed = False

    def tell(self, kind: str, data: dict[str, Any]) -> None:
        """Send an event; a listener that is too far behind is disconnected."""
        self._number += 1
        text = f"id: {self._number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()
        self._last.append((self._number, text))
        for queue in self._queues:
            if queue.qsize() < KEPT:
                queue.put_nowait(text)
            else:
                queue.put_nowait(None)

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._is_closed = True
        for queue in self._queues:
            queue.put_nowait(None)

    def check_room(self, caller: str) -> None:
        """Raise Problem (503) when too many listen, of all or of a token."""
        self._shares.check(caller)

    async def stream(self, after: int | None, caller: str = "") -> AsyncIterator[bytes]:
        """Yield events as they come; first those that came after one with a number."""
        # Another one may have come since there was room: a stream that has begun ends then.
        with suppress(Problem), self._shares.held(caller), self._listening() as queue:
            yield b": rocefab\n\n"
            for number, text in [*self._last]:
                if after is not None and number > after:
                    yield text
            while not self._is_closed:
                try:
                    text_or_end = await asyncio.wait_for(queue.get(), BEAT_S)
                except TimeoutError:
                    yield b": beat\n\n"
                    continue
                if text_or_end is None:
                    return
                yield text_or_end

    @contextmanager
    def _listening(self) -> Iterator[asyncio.Queue[bytes | None]]:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield queue
        finally:
            self._queues.discard(queue)
