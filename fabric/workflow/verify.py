"""verify and drift: compare what runs with the inventory; nothing is written."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.change.expectation import WATCHED, Deviation, deviations
from fabric.change.planner import open_driver, read
from fabric.core.errors import DeviceError
from fabric.observe import read_snapshot
from fabric.workflow.devices import Selection, executor, targets
from fabric.workflow.origin import Origins

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.change.model import Change
    from fabric.change.planner import Target
    from fabric.workflow.explain import Answer
    from fabric.workflow.project import Project

__all__ = ["Health", "Selection", "drift", "verify"]


_PAUSE_S = 0.5


@dataclass(frozen=True)
class Health:
    """What a look at a device found.

    Parameters
    ----------
    drift : tuple of Change
        Where the running configuration is not as the inventory says; ``after`` is the inventory.
    deviations : tuple of Deviation
        Sessions, neighbours and PFC that are not as expected.
    origins : tuple of Answer or None
        Of each change in ``drift``: the rendered line and the inventory values that it comes from;
        None where nothing is planned, or nothing is known of it.
    error : str
        Why the device could not be read, or empty.
    """

    device: str
    platform: str
    drift: tuple[Change, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    error: str = ""
    origins: tuple[Answer | None, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything was read and is as it should be."""
        return not (self.drift or self.deviations or self.error)


def drift(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
) -> list[Health]:
    """Compare the running configuration of every selected device with the inventory."""
    return _looks(project, connections_file, selection, progress, _drift_of)


def verify(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
    *,
    wait_s: float = 0.0,
) -> list[Health]:
    """Look at configuration, saved configuration, BGP, LLDP and PFC of every selected device.

    Parameters
    ----------
    wait_s : float
        How long what is not as planned is looked at again: sessions that were just changed need
        some seconds to come up.
    """
    deadline_s = time.monotonic() + wait_s
    found = _looks(project, connections_file, selection, progress, _health_of)
    latest = {item.device: item for item in found}
    while (late := [name for name, item in latest.items() if not item.ok]) and (
        time.monotonic() < deadline_s
    ):
        time.sleep(_PAUSE_S)
        again = replace(selection, only=",".join(late))
        found = _looks(project, connections_file, again, progress, _health_of)
        latest |= {item.device: item for item in found}
    return list(latest.values())


def _looks(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
    look: Callable[[Target], Health],
) -> list[Health]:
    wanted = targets(project, connections_file, selection)
    with executor(len(wanted)) as pool:
        futures = {name: pool.submit(_safely, look, target) for name, target in wanted.items()}
        found = []
        for name, future in futures.items():
            found.append(_with_origins(project, future.result()))
            progress(name, "ok" if found[-1].ok else "not as planned")
    return found


def _with_origins(project: Project, item: Health) -> Health:
    if not item.drift:
        return item
    origins = Origins(project, item.device)
    return replace(item, origins=tuple(origins.of(change) for change in item.drift))


def _safely(look: Callable[[Target], Health], target: Target) -> Health:
    try:
        return look(target)
    except DeviceError as error:
        connection = target.connection
        return Health(connection.device, connection.platform, error=error.reason)


def _drift_of(target: Target) -> Health:
    driver = open_driver(target.connection)
    try:
        reading = read(target, driver)
    finally:
        driver.close()
    name = target.connection.device
    return Health(name, target.connection.platform, drift=reading.draft.changes)


def _health_of(target: Target) -> Health:
    driver = open_driver(target.connection)
    try:
        reading = read(target, driver)
        seen = read_snapshot(driver, WATCHED)
    finally:
        driver.close()
    name = target.connection.device
    found = deviations(target.expected, seen)
    if reading.running.saved is False:
        message = "the running configuration is not the saved one"
        found.append(Deviation(name, "saved", "configuration", message))
    return Health(
        name, target.connection.platform, drift=reading.draft.changes, deviations=tuple(found)
    )
