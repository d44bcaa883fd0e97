"""Output that comes as a fault says: without end, drop by drop, or with a pause in the middle."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fabric.lab.faults import Fault, FaultScript

_PIECE = 65_536


async def pour(
    faults: FaultScript,
    line: str,
    write: Callable[[str], None],
    drain: Callable[[], Awaitable[object]],
) -> None:
    """Print for ever in place of an answer, when ``drip`` or ``endless`` strikes at a line."""
    fault = faults.strike(line, "drip", "endless")
    while fault is not None:
        write("." if fault.kind == "drip" else f"{'x' * 79}\n" * (_PIECE // 80))
        await drain()
        await asyncio.sleep(fault.seconds)


class PausingOutput:
    """Passes texts on; after ``count`` characters of an answer it holds the rest for a while.

    Parameters
    ----------
    send : callable
        Takes a text.
    """

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._fault: Fault | None = None
        self._left = 0
        self._held: list[str] | None = None

    def pause(self, fault: Fault) -> None:
        """Pause once, in the output that comes from now on."""
        self._fault, self._left = fault, fault.count

    def write(self, text: str) -> None:
        """Send a text, or hold it while the pause lasts."""
        if self._held is not None:
            self._held.append(text)
            return
        fault = self._fault
        if fault is None or len(text) <= self._left:
            self._left -= len(text)
            self._send(text)
            return
        self._send(text[: self._left])
        self._fault, self._held = None, [text[self._left :]]
        asyncio.get_running_loop().call_later(fault.seconds, self._go_on)

    def _go_on(self) -> None:
        held, self._held = self._held, None
        self._send("".join(held or ()))
