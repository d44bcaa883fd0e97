"""What runs left on devices: locks, changes that wait, folders; and the removal of orphans.

An orphan is what a run of this journal left that has ended, or a lock that expired. What belongs to
an interrupted run is for ``apply --resume`` or ``rollback``; what another journal made is for its
owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.journal import State
from fabric.devices.device_lock import device_lock
from fabric.devices.driver import OWN_TOKEN, script_net

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.crew import Crew
    from fabric.change.journal import Journal
    from fabric.change.model import DevicePlan
    from fabric.change.session import Session

_OTHERS = "another state folder"
_OPEN = "interrupted run: resume it or roll it back"
_ENDED = "orphan"


@dataclass(frozen=True)
class Leftover:
    """One thing on one device.

    Parameters
    ----------
    kind : str
        ``lock``, ``change`` (a session, timer or revision that waits) or ``folder``.
    state : str
        Whether it may be removed, and else why not.
    detail : str
        Who holds a lock.
    removed : bool
        Whether it was removed.
    """

    device: str
    kind: str
    name: str
    state: str
    detail: str = ""
    removed: bool = False

    @property
    def is_orphan(self) -> bool:
        """Whether it may be removed."""
        return self.state == _ENDED


def left_on(session: Session, journal: Journal) -> list[Leftover]:
    """Return what is left on a device; nothing is changed."""
    return [*_locks(session, journal), *_changes(session, journal)]


def _locks(session: Session, journal: Journal) -> Iterator[Leftover]:
    lock = device_lock(session.driver)
    held = lock.claimed() if lock else None
    if held is None:
        return
    runs = {token: run for run, token in journal.fences().items()}
    state = _state(journal, runs.get(held.token))
    ended = held.expired and state == _OTHERS
    yield Leftover(session.name, "lock", held.token, _ENDED if ended else state, str(held))


def _changes(session: Session, journal: Journal) -> Iterator[Leftover]:
    """Yield changes that wait, and folders of changes that no longer do."""
    waiting = [name for name in session.driver.foreign_sessions() if name.startswith(OWN_TOKEN)]
    net = script_net(session.driver)
    folders = [name for name in (net.folders() if net else []) if name not in waiting]
    ours = set(journal.tokens(session.name))
    for kind, names in (("change", waiting), ("folder", folders)):
        for name in names:
            run = int(name.removeprefix(OWN_TOKEN).partition("-")[0]) if name in ours else None
            yield Leftover(session.name, kind, name, _state(journal, run))


def _state(journal: Journal, run: int | None) -> str:
    if run is None:
        return _OTHERS
    return _OPEN if run == journal.unfinished() else _ENDED


def clean(crew: Crew, plan: DevicePlan) -> list[Leftover]:
    """Remove the orphans of a device; return all that was there.

    The caller holds the state folder: no run of this journal is in progress.
    """
    session = crew.session(plan)
    try:
        return [_without(crew, session, item) for item in left_on(session, crew.journal)]
    finally:
        session.close()


def _without(crew: Crew, session: Session, item: Leftover) -> Leftover:
    if not item.is_orphan:
        return item
    crew.record(item.device, State.PENDING, f"removes {item.kind} {item.name}")
    lock, net = device_lock(session.driver), script_net(session.driver)
    if item.kind == "lock" and lock:
        lock.unclaim(item.name)
    elif item.kind == "folder" and net:
        net.forget(item.name)
    else:
        session.driver.rollback(item.name)
    return Leftover(item.device, item.kind, item.name, item.state, item.detail, removed=True)
