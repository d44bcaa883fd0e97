"""Outputs of LLDP in a folder, a file for each device, as ``rocefab observe`` would print them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.device_names import DeviceNames, label
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable
from fabric.exchange.values import is_management, text_of
from fabric.intent.yaml.file import input_error
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import neighbours_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.observe.parsers.lldp import Neighbours

#: Endings of files with outputs; what stands before them is the name of the device.
_ENDINGS = {".json", ".txt", ".xml", ".log", ".out", ".lldp"}
_MAX_FILES = 20_000
_MAC = re.compile(r"[0-9A-Fa-f]{2}(?:[:.-]?[0-9A-Fa-f]{2}){5}")
#: A name of a port: ports that are numbers alone are indices (RFC 2863, ifIndex).
_PORT = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9/:_.-]{0,31}")


def read_folder(folder: Path) -> list[dict[str, Any]]:
    """Return what the device of each file sees, and devices that only others see.

    Raises
    ------
    InputError
        With a finding for each file that no system prints, and for devices with two files.
    """
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    findings: list[Finding] = []
    seen: dict[str, dict[str, Any]] = {}
    if not files or len(files) > _MAX_FILES:
        message = f"{counted(len(files), 'file')}, and at most {_MAX_FILES:,} are read"
        findings.append(_finding(folder, message if files else "the folder has no files"))
    for path in files[:_MAX_FILES]:
        name = path.stem if path.suffix.lower() in _ENDINGS else path.name
        try:
            systems, neighbours = neighbours_of(text_of(path))
        except UnreadableError as error:
            findings.append(_finding(path, str(error)))
            continue
        except InputError as error:
            findings += error.findings
            continue
        if name in seen:
            findings.append(_finding(path, f"{printable(name)} has two files"))
        seen[name] = _device(name, systems, neighbours)
    if findings:
        raise input_error(findings, str(folder))
    return [*seen.values(), *_unread(seen)]


def _finding(path: Path, message: str) -> Finding:
    fix = "provide one output of LLDP for each device, in a file with its name"
    place = Position(printable(str(path)))
    return Finding("EXC006", Severity.ERROR, message, fix, position=place)


def _device(name: str, systems: frozenset[str], neighbours: Neighbours) -> dict[str, Any]:
    lldp = {port: [asdict(item) for item in mine] for port, mine in neighbours.items()
            if not is_management(port)}  # fmt: skip
    return {
        "device": name,
        "platform": next(iter(systems)) if len(systems) == 1 else "",
        "kind": "" if "host" in systems else "switch",
        "state": {"facts": {"hostname": name}, "interfaces": {}, "lldp": lldp},
        "notes": [
            ("management ports are ignored", "rename them if they are part", f"{name} {port}")
            for port in sorted(neighbours.keys() - lldp.keys())
        ],
    }


def _unread(seen: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield devices that have no file, with the ports that the others see of them.

    A switch adds its domain to what it says by LLDP, so that the domain is removed unless it is
    what distinguishes two devices.
    """
    known = DeviceNames(seen)
    ports = [
        (far["system_name"], port)
        for item in seen.values()
        for neighbours in item["state"]["lldp"].values()
        for far in neighbours
        if (port := _named(far)) and far["system_name"] and not known.match(far["system_name"])
    ]
    domains = Counter(label(name) for name in {name.lower() for name, _ in ports} if "." in name)
    devices: dict[str, dict[str, Any]] = {}
    for name, port in ports:
        short = name if domains[label(name)] > 1 else name.partition(".")[0]
        devices.setdefault(short, {})[port] = {}
    for name, interfaces in devices.items():
        state = {"facts": {"hostname": name}, "interfaces": interfaces, "lldp": {}}
        yield {"device": name, "platform": "", "kind": "", "state": state, "unread": True}


def _named(far: Mapping[str, str]) -> str:
    """Return the name of a port: its id, or its description where the id is a MAC or an index."""
    words = (far["port_id"], far["description"])
    fitting = (word for word in words if _PORT.fullmatch(word) and not _MAC.fullmatch(word))
    return next(fitting, "")
