"""Saves what was confirmed, and reads back what a restart would load.

A device that says that it saved may have its old file all the same: its disk is full or read-only,
or something on it restores the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import DeviceError

if TYPE_CHECKING:
    from fabric.change.session import Session
    from fabric.observe.snapshot import Running

#: A daemon of the device may write its own rows between a save and the look at it: once more tells.
_TRIES = 2


def save(session: Session) -> Running:
    """Save the running configuration; return it as it was read afterwards.

    A system without a saved configuration of its own (Junos, hosts) is read alike: what runs and
    lies on its disk is what it starts with.

    Raises
    ------
    DeviceError
        When a restart would load another configuration.
    """
    for _ in range(_TRIES):
        session.driver.save()
        running = session.running()
        if running.saved is not False:
            return running
    raise DeviceError(
        session.name,
        "the device reports that it saved, and its saved configuration is not the one that runs: "
        "a restart would load another one; check its storage",
    )


def save_planned(session: Session) -> None:
    """Save what was confirmed, which must be what is planned.

    Raises
    ------
    DeviceError
        When a restart would load another configuration.
    """
    left = session.draft(save(session)).changes
    if left:
        raise DeviceError(
            session.name,
            f"{left[0].path} is not as planned any more once it was saved; look who changed it",
        )
