"""The switch systems, each with a small fabric of its own, and what a setting makes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from fabric.core.artefact import Artefact
from fabric.core.errors import FabricError
from fabric.core.findings import Severity
from fabric.design.model import DeviceDesign
from fabric.platforms.catalogue import sku
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.witness.settings import SETTINGS, Setting

Data = dict[str, Any]
#: Rules of the inventory that are waived: what they are about is rendered all the same.
WAIVED = ("HST017", "QOS004")


#: Settings whose lines depend on the model of a switch.
_BY_MODEL = re.compile(
    r"base|breakout|override of a breakout|ecmp|fec|PFC|ECN|watchdog|no watchdog|two classes"
    r"|buffer|shared headroom|dynamic threshold|policy of a port|WRED|unnumbered|shares|port off"
)


@dataclass(frozen=True, kw_only=True)
class System:
    """A switch system.

    Parameters
    ----------
    fast, slow : int
        Speeds of its ports in Gb/s.
    mode : str
        How a cage is broken out.
    part : str
        First port of the first cage then.
    base : dict
        What its inventory says beside that of all systems.
    is_variant : bool
        Whether it is another model of a system that stands here already.
    """

    name: str
    nos: str
    sku: str
    release: str
    fast: int = 400
    slow: int = 100
    mode: str = "2x200G"
    part: str = ""
    base: Data = field(default_factory=dict)
    is_variant: bool = False

    @property
    def settings(self) -> dict[str, Setting]:
        """The settings that it is tried with; a variant has those that models differ in."""
        if not self.is_variant:
            return SETTINGS
        return {name: one for name, one in SETTINGS.items() if _BY_MODEL.match(name)}

    @cached_property
    def words(self) -> dict[str, Any]:
        """What the words of a setting stand for."""
        model = sku(self.sku)
        half = model.port_count // 2
        return {
            "port": model.port(1),
            "second": model.port(2),
            "spare": model.port(3),
            "uplink": model.port(half + 1),
            "last": model.port(half + 2),
            "part": self.part or model.port(1),
            "sku": self.sku,
            "release": self.release,
            "mode": self.mode,
            "part_gbps": int(self.mode.partition("x")[2].removesuffix("G")),
            "fast": self.fast,
            "slow": self.slow,
        }


_ECN = {"kmin_bytes": 750_000, "kmax_bytes": 7_500_000}
_TIMES = {"detection_ms": 200, "restoration_ms": 200, "poll_ms": 100}

SYSTEMS = {
    system.name: system
    for system in (
        System(name="sonic", nos="sonic", sku="ACS-MSN4700", release="202405"),
        System(name="esonic", nos="esonic", sku="Z9332F-ON", release="4.4.0"),
        System(name="cumulus", nos="cumulus", sku="SN4700", release="5.14", part="swp1s0"),
        System(name="eos", nos="eos", sku="7060X6-64PE", release="4.32.1F", mode="2x400G"),
        System(
            name="nxos",
            nos="nxos",
            sku="N9K-C9364D-GX2A",
            release="10.5.1",
            mode="4x100G",
            part="Ethernet1/1/1",
            base={
                "lossless": {
                    "cnp_traffic_class": 7,
                    "cnp_queue": 7,
                    "mtu": {"port_bytes": 9216},
                }
            },
        ),
        System(
            name="junos",
            nos="junos",
            sku="QFX5240-64OD",
            release="23.4X100",
            mode="2x400G",
            part="et-0/0/0:0",
            base={"lossless": {"ecn": _ECN, "watchdog": _TIMES}},
        ),
        System(
            name="vrp8",
            nos="vrp8",
            sku="CE8855-32CQ4BQ",
            release="V300R023C00",
            fast=100,
            mode="4x25G",
        ),
        System(
            name="comware7",
            nos="comware7",
            sku="S9820-64H",
            release="R6710",
            fast=100,
        ),
        System(
            name="sonic, Broadcom",
            nos="sonic",
            sku="DellEMC-Z9332f-O32",
            release="202405",
            is_variant=True,
        ),
        System(
            name="eos, DNX",
            nos="eos",
            sku="7280CR3-32P4",
            release="4.32.1F",
            fast=100,
            is_variant=True,
        ),
        System(
            name="vrp8, family A",
            nos="vrp8",
            sku="CE8851-32CQ8DQ-P",
            release="V300R023C00",
            fast=100,
            mode="4x25G",
            part="100GE1/0/1:1",
            is_variant=True,
        ),
    )
}

#: What is said by every inventory before a setting.
BASE: Data = {
    "name": "witness",
    "design": "rail-optimised",
    "rails": 2,
    "units": [{"name": "su1", "hosts": "gpu[1-2]"}],
    "spines": {"count": 2, "links_per_leaf": 1},
    "platforms": {"leaf": {"sku": "{sku}"}, "spine": {"sku": "{sku}"}},
    "speeds": {"host_gbps": "{fast}", "uplink_gbps": "{fast}"},
    "cables": {"host_m": 5, "uplink_m": 40},
    "addressing": {
        "loopbacks": "10.255.0.0/24",
        "uplinks": "10.254.0.0/16",
        "hosts": "10.64.0.0/16",
    },
    "arp": {"timeout_s": 240},
    "host": {
        "gpus": 2,
        "interfaces": "eth[1-2]",
        "rdma_devices": "mlx5_[1-2]",
        "management_rdma_device": "mlx5_0",
    },
}


def merged(base: Data, more: Mapping[str, Any]) -> Data:
    """Return a mapping with another one over it; None takes a field away."""
    both = dict(base)
    for name, value in more.items():
        before = both.get(name)
        if value is None:
            both.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(before, dict):
            both[name] = merged(before, value)
        else:
            both[name] = merged({}, value) if isinstance(value, Mapping) else value
    return both


def filled(value: Any, words: Mapping[str, Any]) -> Any:
    """Return a value of an inventory with its words replaced."""
    if isinstance(value, dict):
        return {filled(key, words): filled(inner, words) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(inner, words) for inner in value]
    if isinstance(value, str):
        whole = words.get(value[1:-1]) if value[:1] == "{" and value[-1:] == "}" else None
        if whole is not None:
            return whole
        for word in words:
            value = value.replace(f"{{{word}}}", str(words[word]))
    return value


def write(folder: Path, system: System, setting: Setting) -> None:
    """Write the inventory of a setting."""
    data = merged(merged(BASE, system.base), setting.fabric)
    if "classes" in data.get("lossless", {}):
        data["arp"] = data.get("arp", {})
    folder.mkdir(parents=True, exist_ok=True)
    _dump(folder / "fabric.yaml", filled(data, system.words))
    for name, overrides in (("devices", setting.devices), ("hosts", setting.hosts)):
        if overrides:
            (folder / name).mkdir()
            _dump(folder / name / "witness.yaml", {name: filled(list(overrides), system.words)})
    if setting.cabling:
        head = "device,port,peer_device,peer_port,cable_m\n"
        text = head + str(filled(setting.cabling, system.words))
        (folder / "cabling.csv").write_text(text, encoding="utf-8")


def _dump(file: Path, data: Any) -> None:
    text = yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False)
    file.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Witnessed:
    """A setting on a system: its designs and files, or why it is refused.

    ``is_waived``: it is rendered although `check` has errors.
    """

    system: System
    name: str
    project: Project | None
    files: dict[str, list[Artefact]] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    is_waived: bool = False

    @property
    def designs(self) -> Mapping[str, DeviceDesign]:
        """Designs by switch."""
        assert self.project is not None
        return self.project.devices


def witnessed(folder: Path, system: System, name: str, setting: Setting) -> Witnessed:
    """Return what a system makes of a setting."""
    write(folder, system, setting)
    try:
        project = Project(folder)
        files = project.switch_artefacts
    except FabricError as error:
        findings = tuple(str(one) for one in getattr(error, "findings", ()))
        return Witnessed(system, name, None, refused=findings or (str(error),))
    errors = [one for one in check(project).findings if one.severity >= Severity.ERROR]
    refused = tuple(f"{one.rule} {one.message}" for one in errors if one.rule not in WAIVED)
    if refused:
        return Witnessed(system, name, None, refused=refused)
    return Witnessed(system, name, project, files, is_waived=bool(errors))
