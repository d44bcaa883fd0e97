"""A small fabric of memory devices and a plan for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.change.adapter import adapters
from fabric.change.expectation import Expectation
from fabric.change.model import DevicePlan, Plan
from fabric.change.planner import Target, read
from fabric.core.artefact import Artefact
from fabric.devices import drivers
from fabric.devices.driver import Connection
from tests.devices.memory import MemoryDriver

if TYPE_CHECKING:
    import pytest

Waves = tuple[tuple[str, ...], ...]
WAVES: Waves = (("spine01",), ("leaf1", "leaf2"))
BEFORE = {
    "DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN4700", "mac": "02:00:00:00:00:01"}},
    "MGMT_INTERFACE": {"eth0|192.0.2.2/24": {}},
    "WRED_PROFILE": {"AZURE_LOSSLESS": {"green_min_threshold": "1", "green_max_threshold": "2"}},
    "NTP_SERVER": {"192.0.2.9": {}},
}
INTENDED = {
    "DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN4700"}},
    "WRED_PROFILE": {"AZURE_LOSSLESS": {"green_min_threshold": "1", "green_max_threshold": "3"}},
    "NTP_SERVER": {"192.0.2.10": {}},
}


def use_memory_drivers(
    patch: pytest.MonkeyPatch, driver: type[MemoryDriver] = MemoryDriver
) -> None:
    """Let the platform ``sonic`` mean memory devices for as long as the patch holds."""
    assert "sonic" in drivers  # the first look fills the registry
    patch.setitem(drivers._items, "sonic", driver)


def names(waves: Waves = ()) -> list[str]:
    return [name for wave in waves or WAVES for name in wave]


def connection(folder: Path, name: str) -> Connection:
    return Connection(name, "sonic", str(folder / f"{name}.json"), 0, "nobody")


def connections(folder: Path, waves: Waves = ()) -> dict[str, Connection]:
    return {name: connection(folder, name) for name in names(waves)}


def create(folder: Path, waves: Waves = ()) -> None:
    for name in names(waves):
        MemoryDriver.create(folder / f"{name}.json", name, BEFORE)


def state(folder: Path, name: str) -> dict:
    return json.loads((folder / f"{name}.json").read_text())


def make_plan(folder: Path, waves: Waves = ()) -> Plan:
    """Return a plan made against the devices in a folder."""
    plans = {}
    for name in names(waves):
        artefacts = (
            Artefact(
                name,
                "sonic",
                "config_db",
                f"switches/{name}/config_db.json",
                json.dumps(INTENDED).encode(),
            ),
        )
        target = Target(connection(folder, name), "leaf", artefacts, Expectation())
        reading = read(target, MemoryDriver(target.connection))
        plans[name] = DevicePlan(
            device=name,
            platform="sonic",
            role="leaf",
            hostname=name,
            serial="",
            mac="",
            fingerprint=reading.running.fingerprint,
            method=reading.draft.candidate.method,
            changes=reading.draft.changes,
            diff=reading.draft.diff,
            artefacts=artefacts,
        )
    return Plan("memory", waves or WAVES, plans)


def wanted() -> dict:
    """Return what every device is to run in the end."""
    return {
        "DEVICE_METADATA": BEFORE["DEVICE_METADATA"],
        "MGMT_INTERFACE": BEFORE["MGMT_INTERFACE"],
        "WRED_PROFILE": INTENDED["WRED_PROFILE"],
        "NTP_SERVER": INTENDED["NTP_SERVER"],
    }


__all__ = ["adapters"]
