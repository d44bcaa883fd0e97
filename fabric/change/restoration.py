"""The rollback of one device: to the state that the journal kept."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.journal import State
from fabric.change.saving import save
from fabric.core.errors import DeviceError, RefusedError, StalePlanError
from fabric.devices.driver import script_net
from fabric.observe.snapshot import Running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan
    from fabric.change.session import Session

#: What becomes of a device that somebody else changed too, and what to do.
LEFT_ALONE = (
    "the device is left as it is, because a rollback would remove that change too; ask its author "
    "to remove it, then try again; `rocefab plan` shows what differs from the inventory"
)


@dataclass(frozen=True)
class Restoration:
    """Restores the earlier states of devices; each attempt is written into the journal first.

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

    def undo(self, session: Session, before: Running) -> str:
        """Roll an unfinished change back by any means that is left, and verify it.

        What somebody else changed meanwhile stays; the answer says what that is.

        Raises
        ------
        StalePlanError
            When somebody else changed the device too, and some of our change is left: a
            rollback would undo both.
        DeviceError
            When somebody else is at work on the device, or the state before could not be fully
            restored.
        """
        armed = self.abort_own(session)
        now = session.running()
        note = ""
        if now.fingerprint != before.fingerprint:
            note = self._undo_ours(session, before, now)
        _disarm(session, armed)
        return note

    def _undo_ours(self, session: Session, before: Running, now: Running) -> str:
        """Restore what is ours; return what somebody else changed and stays."""
        apart = session.adapter.apart(before, now)
        planned = _planned(session)
        if apart and not apart & planned:
            return f"{some(apart)} changed outside this run meanwhile and is kept"
        if apart - planned:
            raise StalePlanError(
                f"{session.name}: it was changed outside this run during or after it "
                f"({some(apart - planned)}): {LEFT_ALONE}"
            )
        session.check_alone(self.journal.tokens(session.name))
        if left := self._restore(session, before, now, keep=True):
            message = "the state before the run could not be fully restored"
            raise DeviceError(session.name, f"{message}: {some(left)}")
        return ""

    def restore(self, session: Session, before: Running, now: Running) -> None:
        """Restore a state after a change that was finished.

        Raises
        ------
        DeviceError
            When that cannot be done whole; the device is left as it was.
        """
        if apart := self._restore(session, before, now, keep=False):
            message = "the earlier state could not be fully restored"
            raise DeviceError(session.name, f"{message}: {some(apart)}")

    def abort_own(self, session: Session) -> list[str]:
        """Roll back every change of this journal that waits on the device, the last one first.

        Return those whose own rollback failed: they are still armed, and the caller compares and
        restores what is left.
        """
        armed = []
        waiting = set(session.driver.foreign_sessions())
        for token in reversed(self.journal.tokens(session.name)):
            if token in waiting or session.driver.pending(token):
                try:
                    session.driver.rollback(token)
                except RefusedError:
                    armed.append(token)
        return armed

    def clear_orphans(self, session: Session) -> Sequence[str]:
        """Remove what an earlier run of this journal left staged, or waiting, on the device.

        No run is under way: whoever calls holds the lock of the journal. Return what is under way
        on the device after that.
        """
        waiting = session.driver.foreign_sessions()
        orphans = [token for token in self.journal.tokens(session.name) if token in waiting]
        for token in reversed(orphans):
            self.journal.record(self.run, session.name, State.PENDING, f"removes {token}")
            session.driver.rollback(token)
        return session.driver.foreign_sessions() if orphans else waiting

    def _restore(self, session: Session, before: Running, now: Running, *, keep: bool) -> set[str]:
        """Change a device to an earlier state; return what differs afterwards.

        ``keep`` says whether an incomplete restoration is better than none.
        """
        driver = session.driver
        candidate = session.adapter.restore(before, now)
        token = self.journal.next_token(self.run, session.name)
        self.journal.record(self.run, session.name, State.ROLLING_BACK, token)
        # Rolled back by its own net, a half restored device would run the refused change again.
        bare = keep and script_net(driver) is not None
        try:
            driver.stage(candidate, token)
            driver.commit(candidate, token, 0 if bare else session.plan.timer_s(self.timer_s))
        except RefusedError:
            with suppress(DeviceError):  # the next run of this journal clears what is left
                if token in driver.foreign_sessions() or driver.pending(token):
                    driver.rollback(token)
            raise
        after, apart = session.running(), set[str]()
        if after.fingerprint != before.fingerprint:
            apart = session.adapter.apart(before, after) or {"its running state"}
        if apart and not keep:
            driver.rollback(token)
            return apart
        if bare:
            _disarm(session, [token])
        else:
            driver.confirm(token)
        save(session)
        return apart


def _disarm(session: Session, tokens: list[str]) -> None:
    """Remove safety nets of changes that were rolled back by other means, and read back."""
    net = script_net(session.driver)
    for token in tokens:
        if net:
            net.disarm(token)


def changed_since(session: Session, before: Running, now: Running) -> set[str]:
    """Return the paths that are neither as before a run nor as it planned: others changed them."""
    apart = session.adapter.apart(before, now)
    left = {change.path for change in session.draft(now).changes}
    return (apart - _planned(session)) | (apart & left)


def _planned(session: Session) -> set[str]:
    """Return the paths that a run changes on a device."""
    changes = {change.path for change in session.plan.changes}
    return changes | session.adapter.effects(session.plan.artefacts)


def some(paths: set[str]) -> str:
    """Return the first of some paths, for a message."""
    names = sorted(paths)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004
    return f"{', '.join(names[:3])}{more}"


def kept_text(before: Running) -> str:
    """Return the form in which the journal keeps a state."""
    return json.dumps({
        "config": before.config,
        "canonical": before.canonical,
        "files": dict(before.files),
        "kernel": dict(before.kernel),
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
        kernel=data.get("kernel", {}),  # a run of before these were read has none
    )
