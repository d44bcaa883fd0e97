"""What a switch does not answer costs what depends on it, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from fabric.core.errors import RefusedError
from fabric.devices.driver import Connection
from fabric.systems.eos.drivers import EosDriver


def test_a_rejected_command_costs_its_subject_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = EosDriver(Connection("leaf1", "eos", "192.0.2.1", 443, "admin"))

    def show(command: str) -> dict[str, Any]:
        if "lldp" in command:
            raise RefusedError("leaf1", "invalid command")
        return {"command": command}

    monkeypatch.setattr(driver, "_show", show)
    assert set(driver.read_state(["version", "lldp", "bgp"])) == {"version", "bgp"}
