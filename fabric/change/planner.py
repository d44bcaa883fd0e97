"""Makes a plan: reads every device, compares, orders."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fabric.change.adapter import Draft, adapters
from fabric.change.model import DevicePlan, Missing, Plan
from fabric.change.rounding import settled
from fabric.core.device_names import is_same_device
from fabric.core.errors import (
    DeviceError,
    ForeignSessionError,
    IdentityMismatchError,
    NotPlannedError,
)
from fabric.devices import drivers
from fabric.devices.candidate import SonicLive
from fabric.devices.driver import OWN_TOKEN, script_net
from fabric.devices.limits import timed
from fabric.devices.secrets import reveal
from fabric.observe import read_running

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Executor

    from fabric.change.expectation import Expectation
    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Connection, Driver, Identity
    from fabric.observe.snapshot import Running


@dataclass(frozen=True)
class Target:
    """A device that may change: how to reach it, who it must be, what it is to become.

    ``release`` is what the inventory plans for it; empty where it says none.
    """

    connection: Connection
    role: str
    artefacts: tuple[Artefact, ...]
    expected: Expectation
    serial: str = ""
    mac: str = ""
    release: str = ""


@dataclass(frozen=True)
class DeviceReading:
    """What a device said, and what follows."""

    identity: Identity
    running: Running
    draft: Draft
    no_net: str = ""


@dataclass(frozen=True)
class DeviceVerdict:
    """What somebody says of what a device is to become.

    Parameters
    ----------
    refusals : tuple of str
        Why nothing may be planned for it.
    notes : tuple of str
        What a person is to know.
    one_way : str
        Why it must not be undone; empty where it may be.
    """

    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    one_way: str = ""


def open_driver(
    connection: Connection,
    within_s: float = math.inf,
    make: Callable[[Connection], Any] | None = None,
) -> Driver:
    """Return an open session with a device, which is cut after ``within_s`` seconds.

    Its password is asked for now, where the connections file has a reference. ``make`` makes
    another driver than that of the platform.
    """
    if connection.secret:
        password = reveal(connection.secret, connection.device)
        connection = replace(connection, password=password, secret=None)
    driver: Driver = timed((make or drivers[connection.platform])(connection), within_s)
    driver.open()
    return driver


def check_identity(
    identity: Identity, name: str, serial: str, mac: str, *, with_domain: bool = False
) -> None:
    """Refuse a device that is not the planned one; an empty serial or MAC is not compared.

    Parameters
    ----------
    with_domain : bool
        Whether the host name may have a domain that the name lacks, or lack one.

    Raises
    ------
    IdentityMismatchError
        When host name, serial number or chassis MAC differ.
    """
    same = with_domain and is_same_device(identity.hostname, name)
    pairs = (
        ("host name", name if same else identity.hostname, name),
        ("serial number", identity.serial, serial),
        ("chassis MAC", identity.mac, mac),
    )
    for what, actual, expected in pairs:
        if expected and actual.lower() != expected.lower():
            raise IdentityMismatchError(
                name, f"{what} is {actual!r}, expected {expected!r}; the device is not changed"
            )


def read(target: Target, driver: Driver) -> DeviceReading:
    """Return identity, running state and draft of a device."""
    adapter = adapters[target.connection.platform]
    identity = driver.identify()
    is_host = target.connection.platform == "host"
    check_identity(
        identity, target.connection.device, target.serial, target.mac, with_domain=is_host
    )
    running = read_running(
        driver, adapter.files(target.artefacts), adapter.subjects(target.artefacts)
    )
    draft = adapter.draft(running, target.artefacts, driver)
    settled_draft = settled(draft, target.connection.platform, target.expected.quantum_bytes)
    return DeviceReading(
        identity, running, settled_draft, driver.missing_timer() if settled_draft.changes else ""
    )


def _check_confirmed(driver: Driver) -> None:
    """Refuse a device on which a change of ours waits: what runs there may go at any time.

    Raises
    ------
    ForeignSessionError
        Naming the change.
    """
    waiting = [
        name
        for name in driver.foreign_sessions()
        if name.startswith(OWN_TOKEN) and (script_net(driver) or driver.pending(name))
    ]
    if waiting:
        wait = "" if driver.missing_timer() else "wait until its commit timer expires, or "
        raise ForeignSessionError(
            driver.connection.device,
            f"an unconfirmed change is pending on it: {', '.join(waiting)}; {wait}roll back its "
            "run with `rocefab rollback`, with the state folder of that run",
        )


def make_plan(
    fabric: str,
    waves: Sequence[Sequence[str]],
    targets: dict[str, Target],
    executor: Executor,
    progress: Callable[[str, str], None],
    judge: Callable[[Target, DeviceReading], DeviceVerdict] = lambda _target, _reading: (
        DeviceVerdict()
    ),
    *,
    allow_missing: bool = False,
) -> tuple[Plan | None, list[DeviceError]]:
    """Return a plan, if there is one, and the errors of the devices that could not be read.

    Parameters
    ----------
    waves : sequence of sequences of str
        Order of change.
    targets : dict
        Every device of the waves.
    executor : Executor
        Runs the readings.
    progress : callable
        Called with a device and no text when its reading ends.
    judge : callable
        Judges what each device is to become.
    allow_missing : bool
        Whether the others are planned when some devices cannot be read.
    """
    futures = {
        name: executor.submit(_plan_device, target, judge) for name, target in targets.items()
    }
    plans: dict[str, DevicePlan] = {}
    errors = []
    for name, future in futures.items():
        try:
            plans[name] = future.result()
        except DeviceError as error:
            errors.append(error)
        progress(name, "")
    missing = {error.device: error for error in errors if not isinstance(error, NotPlannedError)}
    if errors and not (allow_missing and plans and len(missing) == len(errors)):
        return None, errors
    changed = {name: plan for name, plan in plans.items() if _changes(plan)}
    ordered = tuple(tuple(name for name in wave if name in changed) for wave in waves)
    return (
        Plan(
            fabric=fabric,
            waves=tuple(wave for wave in ordered if wave),
            devices=changed,
            unchanged=tuple(name for name in plans if name not in changed),
            missing={
                name: Missing(error.reason, _risk_without(name, targets, changed))
                for name, error in missing.items()
            },
        ),
        errors,
    )


def _risk_without(name: str, targets: dict[str, Target], changed: Collection[str]) -> str:
    """Return what it risks to change the others and not this one."""
    peers = {peer for peer, _ in targets[name].expected.lldp.values()}
    peers |= {
        other
        for other, target in targets.items()
        if name in {peer for peer, _ in target.expected.lldp.values()}
    }
    touched = sorted(peers.intersection(changed))
    if not touched:
        return "it keeps its configuration; no device that it is cabled to changes"
    return (
        "it keeps its configuration while devices that it is cabled to change: "
        f"{', '.join(touched)}; what must be the same at both ends may differ"
    )


def _changes(plan: DevicePlan) -> bool:
    return bool(plan.changes)


def _plan_device(
    target: Target, judge: Callable[[Target, DeviceReading], DeviceVerdict]
) -> DevicePlan:
    driver = open_driver(target.connection)
    try:
        _check_confirmed(driver)
        reading = read(target, driver)
    finally:
        driver.close()
    candidate = reading.draft.candidate
    verdict = judge(target, reading)
    conflicts = reading.draft.conflicts if reading.draft.changes else ()
    if refusals := (*conflicts, *verdict.refusals):
        raise NotPlannedError(
            target.connection.device, f"it cannot be planned: {'; '.join(refusals)}"
        )
    return DevicePlan(
        device=target.connection.device,
        platform=target.connection.platform,
        role=target.role,
        hostname=reading.identity.hostname,
        serial=reading.identity.serial,
        mac=reading.identity.mac,
        fingerprint=reading.running.fingerprint,
        method=candidate.method,
        changes=reading.draft.changes,
        diff=reading.draft.diff,
        artefacts=target.artefacts,
        expected=target.expected,
        no_net=reading.no_net,
        notes=(*reading.draft.notes, *verdict.notes),
        takes_s=candidate.takes_s if isinstance(candidate, SonicLive) else 0,
        one_way=verdict.one_way,
    )
