"""What all steps of one run share: its number, the journal, and the workers."""

from __future__ import annotations

import re
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from fabric.change.fence import Fence
from fabric.change.journal import State
from fabric.change.session import Session
from fabric.change.stop import POLL_S, StopRequestedError
from fabric.core.errors import DeviceError, FabricError
from fabric.devices.redaction import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor

    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan
    from fabric.change.options import Options
    from fabric.devices.driver import Connection

#: Ends the first part of an error, which is the same on devices that fail alike.
_CLAUSE_END = re.compile(r"[:;] ")
_STOPPING = (
    "stopping after the current step on each device; the wave in progress is then rolled back; "
    "press Ctrl-C again to stop immediately (commit timers then roll back unconfirmed changes, "
    "where they are set)"
)
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Crew:
    """Works on the devices of one run.

    Parameters
    ----------
    run : int
        Number of the run in the journal.
    progress : callable
        Called with device (``""`` for the run) and what happens.
    stop : Event
        Set when the user stops the run: steps forward end, a rollback does not.
    """

    run: int
    journal: Journal
    connections: Mapping[str, Connection]
    executor: Executor
    progress: Callable[[str, str], None]
    options: Options
    stop: Event = field(default_factory=Event)

    def session(self, plan: DevicePlan) -> Session:
        """Return an open session with a device of the plan."""
        return Session(plan, self.connections, self.fence)

    @cached_property
    def fence(self) -> Fence:
        """The lock of this run.

        It outlasts the verification of a wave, and the timers on the devices.
        """
        ttl_s = int(self.options.timer_s + self.options.verify_s)
        fences = self.journal.fences()
        return Fence(fences[self.run], self.run, self.journal.actor, ttl_s, set(fences.values()))

    def record(self, device: str, state: State, detail: str = "") -> None:
        """Write down that a device enters a state; nothing happens to it before."""
        self.journal.record(self.run, device, state, detail)

    def tell_failure(self, device: str, error: FabricError) -> None:
        """Say in short that a step failed; the end of the run has the whole reason."""
        whole = str(error).removeprefix(f"{device}: ")
        brief = first_clause(whole)
        self.progress(device, f"failed: {brief}{'; more at the end' if brief != whole else ''}")

    def check_going(self, device: str) -> None:
        """Refuse a step forward after the user stopped the run.

        Raises
        ------
        DeviceError
            When the user did.
        """
        if self.stop.is_set():
            raise DeviceError(device, "interrupted by the user")

    def check_stop(self) -> None:
        """End the run as Ctrl-C does, where somebody asked for it.

        Raises
        ------
        StopRequestedError
            When somebody did.
        """
        if self.stop.is_set():
            return
        request = self.journal.stops.asked(self.run)
        if request is not None:
            self.stop.set()
            self.record("", State.PENDING, str(request))
            self.progress("", f"{request}; stopping after the current step on each device")
            raise StopRequestedError(str(request))

    def side_by_side(
        self, items: Sequence[T], step: Callable[[T], R]
    ) -> tuple[list[tuple[T, R]], list[tuple[T, FabricError]]]:
        """Do a step with every item; return what worked and what did not.

        All workers have ended when this returns or raises: nobody uses a session any more.
        """
        self.check_stop()
        futures = [self.executor.submit(step, item) for item in items]
        try:
            while wait(futures, POLL_S).not_done:
                self.check_stop()
        except StopRequestedError:
            wait(futures)
            raise
        except KeyboardInterrupt:
            self.stop.set()
            self.progress("", _STOPPING)
            wait(futures)
            raise
        pairs = list(zip(items, futures, strict=True))
        errors = [(item, error) for item, future in pairs if (error := _error_of(future))]
        done = [(item, future.result()) for item, future in pairs if not future.exception()]
        return done, errors


def first_clause(text: str) -> str:
    """Return the first part of an error, without a bracket that ends after it."""
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    is_open = clause.count("(") > clause.count(")")
    return clause.rpartition(" (")[0] if is_open else clause


def _error_of(future: Future[R]) -> FabricError | None:
    error = future.exception()
    if error is None or isinstance(error, FabricError):
        return error
    return FabricError(f"internal error, {type(error).__name__}: {shortened(str(error))}")
