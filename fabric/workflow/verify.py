"""verify and drift: compare what runs with the inventory; nothing is written."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from fabric.change.expectation import WATCHED, Deviation, deviations
from fabric.change.planner import open_driver, read
from fabric.core.errors import DeviceError
from fabric.observe import read_snapshot
from fabric.report.drifted import drifted_settings
from fabric.report.origin import Origins
from fabric.workflow.devices import Selection, executor, targets
from fabric.workflow.explain import device_artefacts
from fabric.workflow.nics import CounterWatch, NicLooks
from fabric.workflow.planned_release import off_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from fabric.change.model import Change
    from fabric.change.planner import DeviceReading, Target
    from fabric.devices.driver import Driver
    from fabric.observe.hostfacts.facts import HostFacts
    from fabric.report.drifted import DriftedSetting
    from fabric.report.explain import Answer
    from fabric.workflow.nics import NicHealth
    from fabric.workflow.project import Project

__all__ = ["Health", "Selection", "compared", "drift", "verify", "with_origins"]


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
    nics : tuple of NicHealth
        Verdicts on the NICs of a host, when counters were watched.
    facts : HostFacts or None
        What was read of the NICs of a host.
    skipped : tuple of str
        What could not be checked, because a snapshot does not hold it.
    uncompared : tuple of str
        What is not known well enough to be compared, in words.
    is_checked : bool
        Whether anything of the device was compared.
    time : datetime or None
        When it was read, where a snapshot says it.
    """

    device: str
    platform: str
    drift: tuple[Change, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    error: str = ""
    origins: tuple[Answer | None, ...] = ()
    nics: tuple[NicHealth, ...] = ()
    facts: HostFacts | None = None
    skipped: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    is_checked: bool = True
    time: datetime | None = None

    @cached_property
    def settings(self) -> tuple[DriftedSetting, ...]:
        """What of the configuration is not as planned: a line in place of another once."""
        return tuple(drifted_settings(self.drift, self.origins))

    @property
    def suspects(self) -> tuple[str, ...]:
        """Who may have changed a host, as far as anything on it tells."""
        own = self.facts.own_check if self.facts else None
        return own.suspects if own and (self.drift or self.deviations) else ()

    @property
    def ok(self) -> bool:
        """Whether everything was read and is as it should be, and no NIC loses packets."""
        sick = any(nic.bad for nic in self.nics)
        return self.is_checked and not (self.drift or self.deviations or self.error or sick)


def drift(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
) -> list[Health]:
    """Compare configuration, and the NICs of hosts, of every selected device with the inventory."""
    nics = NicLooks(project)
    health = _looks(project, connections_file, selection, progress, partial(_drift_of, nics))
    return _with_firmware(health, nics)


def verify(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
    *,
    wait_s: float = 0.0,
    window_s: float = 0.0,
) -> list[Health]:
    """Look at configuration, saved configuration, BGP, LLDP and PFC of every selected device.

    Of hosts it looks at every NIC too.

    Parameters
    ----------
    wait_s : float
        How long what is not as planned is looked at again: sessions that were just changed need
        some seconds to come up.
    window_s : float
        How long the counters of NICs are watched; 0 does not. With a window the PCI tree and the
        matrix of GPUs are read as well.
    """
    nics = NicLooks(project, hardware=window_s > 0)
    watch = None
    if window_s > 0:
        hosts = targets(project, connections_file, selection)
        watch = CounterWatch(project, hosts, selection.parallel)
    look = partial(_health_of, nics)
    health = _looks(project, connections_file, selection, progress, look)
    latest = {item.device: item for item in health}
    deadline_s = time.monotonic() + wait_s  # each device was looked at once by now
    while (late := [name for name, item in latest.items() if not item.ok]) and (
        time.monotonic() < deadline_s
    ):
        time.sleep(_PAUSE_S)
        again = replace(selection, only=",".join(late))
        health = _looks(project, connections_file, again, progress, look)
        latest |= {item.device: item for item in health}
    seen = _with_firmware(list(latest.values()), nics)
    if watch is None:
        return seen
    verdicts = watch.finish(window_s)
    return [replace(item, nics=verdicts.get(item.device, ())) for item in seen]


def _with_firmware(health: list[Health], nics: NicLooks) -> list[Health]:
    """Return the same, with the NICs whose firmware is not that of their rail."""
    odd = nics.firmware({item.device: item.facts for item in health if item.facts})
    return [
        replace(item, deviations=(*item.deviations, *odd.get(item.device, ()))) for item in health
    ]


def _looks(
    project: Project,
    connections_file: Path | None,
    selection: Selection,
    progress: Callable[[str, str], None],
    look: Callable[[Target], Health],
) -> list[Health]:
    by_name = targets(project, connections_file, selection)
    with executor(len(by_name), selection.parallel) as pool:
        futures = {name: pool.submit(_safely, look, target) for name, target in by_name.items()}
        health = []
        for name, future in futures.items():
            health.append(with_origins(project, future.result()))
            progress(name, "ok" if health[-1].ok else "not as planned")
    return health


def with_origins(project: Project, item: Health) -> Health:
    """Return the same with where each planned value comes from."""
    if not item.drift:
        return item
    origins = Origins(project, item.device, device_artefacts(project, item.device))
    return replace(item, origins=tuple(origins.of(change) for change in item.drift))


def _safely(look: Callable[[Target], Health], target: Target) -> Health:
    try:
        return look(target)
    except DeviceError as error:
        connection = target.connection
        return Health(connection.device, connection.platform, error=error.reason)


def _drift_of(nics: NicLooks, target: Target) -> Health:
    driver = open_driver(target.connection)
    try:
        return compared(nics, target, driver)
    finally:
        driver.close()


def compared(nics: NicLooks, target: Target, driver: Driver) -> Health:
    """Compare configuration, and the NICs of a host, by an open session.

    Raises
    ------
    DeviceError
        When the device cannot be read.
    """
    reading = read(target, driver)
    facts = _facts(nics, target, driver)
    name = target.connection.device
    off, unknown = off_release(target, reading.running, driver)
    deviant = (*_passed_over(target, reading), *(nics.deviations(facts) if facts else ()), *off)
    platform, changes = target.connection.platform, reading.draft.changes
    return Health(name, platform, changes, deviant, facts=facts, uncompared=unknown)


def _health_of(nics: NicLooks, target: Target) -> Health:
    driver = open_driver(target.connection)
    try:
        reading = read(target, driver)
        seen = read_snapshot(driver, WATCHED)
        facts = _facts(nics, target, driver)
    finally:
        driver.close()
    name = target.connection.device
    deviant = deviations(target.expected, seen)
    deviant += [*_passed_over(target, reading), *(nics.deviations(facts) if facts else ())]
    if reading.running.saved is False:
        message = "the running configuration is not saved"
        deviant.append(Deviation(name, "saved", "configuration", message))
    return Health(
        name,
        target.connection.platform,
        drift=reading.draft.changes,
        deviations=tuple(deviant),
        facts=facts,
    )


def _passed_over(target: Target, reading: DeviceReading) -> list[Deviation]:
    """Return what others configured against the plan, and what the device does not have.

    Whether what it does not have matters is not known.
    """
    name, message = target.connection.device, "not available on this host"
    return [
        *(Deviation(name, "conflict", "", text) for text in reading.draft.conflicts),
        *(
            Deviation(name, "skipped", item, message, unknown=True)
            for item in reading.draft.passed_over
        ),
    ]


def _facts(nics: NicLooks, target: Target, driver: Driver) -> HostFacts | None:
    return nics.read(driver, target.connection.device) if target.role == "host" else None
