"""The way back of one device: to the state that the journal kept."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.journal import State
from fabric.core.errors import DeviceError, RefusedError, StalePlanError
from fabric.observe.snapshot import Running

if TYPE_CHECKING:
    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan
    from fabric.change.session import Session


@dataclass(frozen=True)
class WayBack:
    """Brings devices back, and writes each attempt into the journal first.

    Parameters
    ----------
    run : int
        Run under whose number the attempts are written down.
    timer_s : int
        Commit timer of a restoration.
    """

    journal: Journal
    run: int
    timer_s: int

    def take_back(self, session: Session, before: Running, *, careful: bool = False) -> None:
        """Take an unfinished change back by whatever way is still open, and make sure.

        Parameters
        ----------
        careful : bool
            Whether to refuse when something differs that the plan does not touch: somebody
            else's work after an interrupted run.

        Raises
        ------
        StalePlanError
            When careful, and somebody else changed the device.
        DeviceError
            When the state before could not be brought back whole.
        """
        self.abort_own(session)
        now = session.running()
        if now.fingerprint == before.fingerprint:
            return
        if careful:
            _check_ours(self.run, session, before, now)
        if not self._restore(session, before, now, keep=True):
            message = "the state before the run could not be brought back whole"
            raise DeviceError(session.name, message)

    def bring_back(self, session: Session, before: Running, now: Running) -> None:
        """Restore a state after a change that was finished.

        Raises
        ------
        DeviceError
            When that cannot be done whole; the device is left as it was found.
        """
        if not self._restore(session, before, now, keep=False):
            raise DeviceError(session.name, "the earlier state could not be brought back whole")

    def abort_own(self, session: Session) -> None:
        """Take back every change of this journal that waits on the device, the last one first."""
        waiting = set(session.driver.foreign_sessions())
        for token in reversed(self.journal.tokens(session.name)):
            if token in waiting or session.driver.pending(token):
                with suppress(RefusedError):  # what it left is compared and restored by the caller
                    session.driver.rollback(token)

    def _restore(self, session: Session, before: Running, now: Running, *, keep: bool) -> bool:
        """Change a device to an earlier state; tell whether all of it came back.

        ``keep`` says whether an incomplete restoration is better than none.
        """
        driver = session.driver
        candidate = session.adapter.restore(before, now)
        token = self.journal.next_token(self.run, session.name)
        self.journal.record(self.run, session.name, State.ROLLING_BACK, token)
        driver.stage(candidate, token)
        driver.commit(candidate, token, session.plan.timer_s(self.timer_s))
        whole = session.running().fingerprint == before.fingerprint
        if not whole and not keep:
            driver.rollback(token)
            return False
        driver.confirm(token)
        driver.save()
        return whole


def _check_ours(run: int, session: Session, before: Running, now: Running) -> None:
    planned = {change.path for change in session.plan.changes}
    strange = sorted(session.adapter.apart(before, now) - planned)
    if strange:
        more = f" and {len(strange) - 3} more" if len(strange) > 3 else ""  # noqa: PLR2004
        message = (
            f"{session.name}: somebody changed it after the run was interrupted "
            f"({', '.join(strange[:3])}{more}); put that right, or `rocefab rollback {run} --force`"
        )
        raise StalePlanError(message)


def kept_text(before: Running) -> str:
    """Return the form in which the journal keeps a state."""
    return json.dumps({
        "config": before.config,
        "canonical": before.canonical,
        "files": dict(before.files),
    })


def kept_running(journal: Journal, run: int, plan: DevicePlan) -> Running:
    """Return the state of a device from before a run.

    Raises
    ------
    JournalError
        When nothing was kept, or it cannot be read.
    """
    data = journal.kept(run, plan.device)
    return Running(
        device=plan.device,
        platform=plan.platform,
        config=data["config"],
        canonical=data["canonical"],
        saved=None,
        files=data["files"],
    )
