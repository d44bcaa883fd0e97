"""Fabrics with a cabling file, for the tests."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from fabric.core.errors import InputError
from fabric.intent.inventory import load
from fabric.topology import Fabric, realise
from tests.topology.fabrics import document

HEADER = "device,port,peer_device,peer_port"


def folder_of(text: str | bytes, name: str = "cabling.csv", **changes: Any) -> Fabric:
    """Return the fabric of an inventory with a cabling file."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "fabric.yaml").write_text(yaml.safe_dump(document(**changes)), encoding="utf-8")
        raw = text.encode() if isinstance(text, str) else text
        (folder / name).write_bytes(raw)
        return realise(load(folder, "inventory"))


def csv(*rows: str, header: str = HEADER) -> str:
    """Return the text of a cabling file."""
    return "\n".join([header, *rows, ""])


def cables(built: Fabric) -> set[tuple[str, str]]:
    """Return both ends of every enabled cable as text, the lower one first."""
    switches, nics, up = built.switches, built.nics, built.uplinks

    def port(row: int, number: int) -> str:
        return f"{switches.names[row]} {switches.skus[row].port(number)}"

    result = set()
    for row in np.flatnonzero(nics.enabled).tolist():
        end = f"{built.hosts.names[int(nics.host[row])]} eth{row % built.nics_per_host + 1}"
        result.add((end, port(int(nics.leaf[row]), int(nics.port[row]))))
    for row in np.flatnonzero(up.enabled).tolist():
        lower = port(int(up.lower[row]), int(up.lower_port[row]))
        result.add((lower, port(int(up.upper[row]), int(up.upper_port[row]))))
    return result


def refused(text: str | bytes, name: str = "cabling.csv", **changes: Any) -> list[str]:
    """Return the findings of a cabling file that is refused."""
    with pytest.raises(InputError) as raised:
        folder_of(text, name, **changes)
    return [str(finding) for finding in raised.value.findings]
