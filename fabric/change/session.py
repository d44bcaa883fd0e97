"""One device of a plan while it is worked on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar, cast

from fabric.change.adapter import Adapter, adapters
from fabric.change.fence import FencedDriver
from fabric.change.planner import check_identity, open_driver
from fabric.change.rounding import settled
from fabric.core.counts import noun
from fabric.core.errors import (
    ConnectionLostError,
    FabricError,
    ForeignSessionError,
    PlanError,
    StalePlanError,
)
from fabric.devices.driver import OWN_TOKEN
from fabric.observe import read_running

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from fabric.change.adapter import Draft
    from fabric.change.fence import Fence
    from fabric.change.model import DevicePlan
    from fabric.devices.driver import Connection, Driver
    from fabric.observe.snapshot import Running


T = TypeVar("T")
#: Places that a message names.
_NAMED = 3


class Session:
    """An open driver, of which it is known that the planned device answers.

    Parameters
    ----------
    plan : DevicePlan
        What is to happen to the device.
    connections : mapping
        Connection by device.
    fence : Fence, optional
        The lock of the run; held before each write.

    Raises
    ------
    PlanError
        When there is no connection for the device.
    DeviceError
        When it cannot be reached, or another device answers.
    """

    driver: Driver

    def __init__(
        self,
        plan: DevicePlan,
        connections: Mapping[str, Connection],
        fence: Fence | None = None,
    ) -> None:
        if plan.device not in connections:
            raise PlanError(f"{plan.device}: no connection data")
        self.plan = plan
        self.name = plan.device
        self._connection = connections[plan.device]
        self._fence = fence
        self._held = False
        self._planned: tuple[object, Draft] | None = None
        self._open()

    @property
    def adapter(self) -> Adapter:
        """What the platform knows about changing it."""
        return adapters[self.plan.platform]

    def _open(self) -> None:
        driver = open_driver(self._connection)
        self._fenced = FencedDriver(driver, self._fence) if self._fence else None
        self.driver = cast("Driver", self._fenced) if self._fenced else driver
        try:
            plan = self.plan
            check_identity(self.driver.identify(), plan.hostname, plan.serial, plan.mac)
        except BaseException:
            self.driver.close()
            raise

    def hold(self) -> None:
        """Take the lock of the device before anything is written to it.

        Raises
        ------
        ForeignSessionError
            When another run holds it.
        """
        if self._fenced:
            self._fenced.hold()

    def close(self) -> None:
        """Remove the lock of the device and close the driver; never raises."""
        if self._fence and (self._held or (self._fenced and self._fenced.holds)):
            self._fence.drop(self.driver)
        self.driver.close()

    def reopen(self) -> None:
        """Open a new session in place of a broken one; who answers is checked again."""
        self._held = self._held or bool(self._fenced and self._fenced.holds)
        self.driver.close()
        self._open()

    def running(self) -> Running:
        """Return the running state."""
        artefacts = self.plan.artefacts
        return read_running(
            self.driver, self.adapter.files(artefacts), self.adapter.subjects(artefacts)
        )

    def draft(self, running: Running) -> Draft:
        """Return what is still to change.

        A device that was as planned is not compared again while it runs the same.
        """
        state = (running.fingerprint, dict(running.kernel), dict(running.system))
        if self._planned and self._planned[0] == state:
            return self._planned[1]
        draft = self.adapter.draft(running, self.plan.artefacts, self.driver)
        draft = settled(draft, self.plan.platform, self.plan.expected.quantum_bytes)
        self._planned = None if draft.changes else (state, draft)
        return draft

    def unchanged(self, foreign: Collection[str] | None = None) -> Running:
        """Return the running state, which must be the one that was planned for.

        Parameters
        ----------
        foreign : collection of str, optional
            What is under way on the device, where that was just read; else it is asked.

        Raises
        ------
        ForeignSessionError
            When somebody else is at work on the device.
        StalePlanError
            When its state is another one.
        """
        self.check_alone(foreign=foreign)
        before = self.running()
        if before.fingerprint != self.plan.fingerprint:
            raise StalePlanError(
                f"{self.name}: its configuration changed after it was planned"
                f"{self._since(before)}; run `rocefab plan` again"
            )
        return before

    def _since(self, now: Running) -> str:
        """Return what is to change now and was not planned, and the other way round."""
        try:
            drafted = self.draft(now).changes
        except FabricError:
            return ""
        planned, left = (
            {(one.path, one.before, one.after): one.path for one in changes}
            for changes in (self.plan.changes, drafted)
        )
        more = [left[key] for key in left.keys() - planned.keys()]
        done = {planned[key] for key in planned.keys() - left.keys()} - {*more}
        texts = [
            f"{_some(sorted(paths))} {noun(len(paths), *words)}"
            for paths, words in (
                (more, ("differs now", "differ now")),
                (done, ("is as planned already", "are as planned already")),
            )
            if paths
        ]
        return f": {'; '.join(texts)}" if texts else ""

    def check_alone(
        self, own: Collection[str] = (), foreign: Collection[str] | None = None
    ) -> None:
        """Refuse a device on which somebody else is at work; ``own`` are tokens of ours.

        ``foreign`` is as for `unchanged`.

        Raises
        ------
        ForeignSessionError
            Naming the session or timer, or who locked the device.
        """
        if self._fence:
            self._fence.look(self.driver, self.name)
        if foreign is None:
            foreign = self.driver.foreign_sessions()
        others = [_holder(name) for name in foreign if name not in own]
        if others:
            raise ForeignSessionError(
                self.name, f"another configuration session is active on it: {', '.join(others)}"
            )

    def patiently(self, step: Callable[[], T], patience_s: float, poll_s: float) -> T:
        """Do a step on a fresh session; a device that is away gets time to come back."""
        deadline_s = time.monotonic() + patience_s
        while True:
            try:
                self.reopen()
                return step()
            except ConnectionLostError:
                if time.monotonic() >= deadline_s:
                    raise
                time.sleep(poll_s)


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _holder(name: str) -> str:
    """Return what to call somebody else's change; one that is named as ours is another journal's.

    The run in its name is a number of that journal.
    """
    return f"{name} (rocefab with another state folder)" if name.startswith(OWN_TOKEN) else name
