"""The SONiC driver on a stand-in without a network: fast enough for many models and releases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.core.errors import RefusedError
from fabric.devices.driver import Connection
from fabric.lab.clock import LabClock
from fabric.lab.spec import StandInSpec
from fabric.observe import read_running
from fabric.render import render_device
from fabric.systems.sonic.drivers import SonicDriver
from fabric.systems.sonic.lab import SonicStandIn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.design.model import DeviceDesign


class _LocalShell:
    """What the driver asks of a shell, asked of the stand-in itself."""

    def __init__(self, device: SonicStandIn) -> None:
        self._device = device

    def run(self, command: str, quiet_s: float = 0) -> tuple[int, str]:
        return self._device.run_detached(command)

    def run_each(self, commands: dict[str, str]) -> dict[str, tuple[int, str]]:
        return {name: self.run(f"{{ {line}; }} 2>/dev/null") for name, line in commands.items()}

    def check(self, command: str, quiet_s: float = 0) -> str:
        return self.checked(command, *self.run(command, quiet_s))

    def checked(self, command: str, status: int, text: str) -> str:
        if status:
            raise RefusedError(self._device.spec.name, f"{command!r}: {text}")
        return text

    def check_in_turn(self, *commands: str, quiet_s: float = 0) -> None:
        for command in commands:
            self.check(command, quiet_s)

    def upload(self, contents: dict[str, bytes]) -> None:
        for path, content in contents.items():
            self._device.fs.put(path, content.decode())


class Bench:
    """A switch with a configuration, and a driver for it.

    Parameters
    ----------
    config : dict
        CONFIG_DB that runs.
    """

    def __init__(self, config: dict, release: str = "202405") -> None:
        row = config["DEVICE_METADATA"]["localhost"]
        spec = StandInSpec(
            name=row["hostname"],
            platform="sonic",
            username="admin",
            password="",
            mac="52:54:00:00:00:01",
            serial="MT0001",
            model=row["hwsku"],
            running=config,
            neighbours=(),
            options={"release": release, "platform": row.get("platform", "")},
        )
        self.switch = SonicStandIn(spec, LabClock())
        self.driver = SonicDriver(Connection(spec.name, "sonic", "192.0.2.1", 22, "admin"))
        self.driver._shell = _LocalShell(self.switch)

    def running(self):
        """Return what observe reads."""
        return read_running(self.driver, [])


def config_of(design: DeviceDesign) -> dict:
    """Return the rendered CONFIG_DB of a switch."""
    return json.loads(render_device(design)[0].text)


def whole(design: DeviceDesign) -> dict:
    """Return a running CONFIG_DB that is as planned: with what the device itself knows."""
    config = config_of(design)
    row = config["DEVICE_METADATA"]["localhost"]
    row.update(mac="52:54:00:00:00:01", platform=design.sku.facts["platform"])
    return config


def folders(target: Path) -> Iterator[Path]:
    """Yield new folders below one."""
    number = 0
    while True:
        number += 1
        yield target / str(number)
