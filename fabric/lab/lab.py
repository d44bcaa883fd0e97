"""The embedded lab: many stand-ins on one event loop in one background thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Any, Self

from fabric.lab.clock import LabClock
from fabric.lab.standin import stand_ins

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from fabric.lab.spec import StandInSpec
    from fabric.lab.standin import StandIn

_TICK_S = 0.2
_START_TIMEOUT_S = 120.0


class Lab:
    """Stand-ins of switches and hosts, by the names of the inventory.

    Parameters
    ----------
    specs : sequence of StandInSpec
        What to stand in for; names must differ.

    Examples
    --------
    >>> with Lab([]) as lab:
    ...     lab.names()
    ()
    """

    def __init__(self, specs: Sequence[StandInSpec]) -> None:
        self.clock = LabClock()
        self._devices: dict[str, StandIn] = {}
        for spec in specs:
            if spec.name in self._devices:
                raise ValueError(f"two stand-ins are called {spec.name!r}")
            self._devices[spec.name] = stand_ins[spec.platform](spec, self.clock)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ticker: asyncio.Task[None] | None = None

    def __getitem__(self, name: str) -> Any:
        """Return the stand-in of a name; its further methods depend on the platform."""
        return self._devices[name]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def names(self) -> tuple[str, ...]:
        """Return the names of the stand-ins, sorted."""
        return tuple(sorted(self._devices))

    def start(self) -> None:
        """Start all stand-ins; return when every one of them listens."""
        if self._thread is not None:
            return
        loop = asyncio.new_event_loop()
        self._loop = loop
        self._thread = threading.Thread(target=loop.run_forever, name="rocefab-lab", daemon=True)
        self._thread.start()
        try:
            self._call(self._start())
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop all stand-ins and the background thread."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        try:
            self._call(self._stop())
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
            self._loop = self._thread = None

    def _call(self, job: Coroutine[Any, Any, None]) -> None:
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(job, self._loop).result(_START_TIMEOUT_S)

    async def _start(self) -> None:
        self._ticker = asyncio.create_task(self._tick())
        await asyncio.gather(*(device.start() for device in self._devices.values()))

    async def _stop(self) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
        this = asyncio.current_task()
        for task in asyncio.all_tasks() - {this}:  # a busy session would hold up all others
            task.cancel()
        await asyncio.gather(*(device.stop() for device in self._devices.values()))
        others = [task for task in asyncio.all_tasks() if task is not this]
        for task in others:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*others, return_exceptions=True)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self.clock.run_due()
