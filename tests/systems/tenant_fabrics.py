"""Small fabrics with tenants: who has which NIC before and after a change, on any system."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from fabric.design.model import DeviceDesign
from fabric.workflow.project import Project
from tests.render.designs import INVENTORY
from tests.witness.changes import drafted, fresh, laid, owned, step
from tests.witness.faults import Fault, _of_switch

Data = dict[str, Any]
#: What an inventory of a system says beside that of `inventory/tenants`.
SYSTEMS: dict[str, Data] = {
    "nxos": {
        "platforms": {
            "leaf": {"sku": "N9K-C9332D-GX2B", "host_ports": 16},
            "spine": {"sku": "N9K-C9364D-GX2A"},
        },
        "lossless": {"cnp_traffic_class": 7, "cnp_queue": 7, "mtu": {"port_bytes": 9216}},
        "tenancy": {"vteps": "10.253.0.0/24"},
    },
    "sonic": {
        "platforms": {
            "leaf": {"sku": "ACS-MSN4700", "host_ports": 16},
            "spine": {"sku": "ACS-MSN4700"},
        },
    },
    "esonic": {
        "platforms": {
            "leaf": {"sku": "Z9432F-ON", "host_ports": 16},
            "spine": {"sku": "Z9432F-ON"},
        },
    },
}
RED, BLUE = {"name": "red", "id": 17}, {"name": "blue", "id": 18}
#: Tenants before and after a change.
STATES: dict[str, list[Data]] = {
    "two": [RED | {"hosts": "gpu[001,003]"}, BLUE | {"hosts": "gpu002", "nics": {"gpu004": [0]}}],
    "moved": [RED | {"hosts": "gpu[001-002]"}, BLUE | {"hosts": "gpu003", "nics": {"gpu004": [0]}}],
    "swapped": [
        RED | {"hosts": "gpu002", "nics": {"gpu004": [0]}},
        BLUE | {"hosts": "gpu[001,003]"},
    ],
    "one": [RED | {"hosts": "gpu[001-004]"}],
    "quarantine": [RED | {"hosts": "gpu001"}],
}
#: Changes from one state to another, and back.
MOVES = [
    ("two", "moved"),
    ("two", "swapped"),
    ("two", "one"),
    ("two", "quarantine"),
    ("moved", "quarantine"),
    ("one", "quarantine"),
]
FORMS = ("evpn", "local")
ROLES = ("leaf", "spine")
#: What rows of `tests/witness/tables.py` say of fabrics without tenants.
_KNOWN = re.compile(
    r".*hash_fields.*|gateway of VLAN \d+ is not read|VLANs: .* is read as set\(\)"
    r"|(ARP|MAC) ageing is not read"
    r"|.*headroom_bytes.3: .* is shown as None"
)


def project(folder: Path, system: str, form: str, state: str = "two", **more: Any) -> Project:
    """Return a fabric whose switches are all of one system."""
    data = yaml.safe_load((INVENTORY / "tenants" / "fabric.yaml").read_text(encoding="utf-8"))
    data["speeds"] = {"host_gbps": 400, "uplink_gbps": 400}
    for fields in (SYSTEMS[system], more):
        for name, value in fields.items():
            known = data.get(name)
            both = isinstance(known, dict) and isinstance(value, dict)
            data[name] = {**known, **value} if both else value
    data["tenancy"]["form"] = form
    data["tenants"] = more.get("tenants", STATES[state])
    folder.mkdir(parents=True)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return Project(folder)


def faults(one: Project) -> Iterator[tuple[str, Fault]]:
    """Yield what contradicts itself in the files of each switch, and is so with tenants alone."""
    for name, files in one.switch_artefacts.items():
        for fault in _of_switch(one.devices[name], files):
            if not _KNOWN.fullmatch(fault.text):
                yield name, fault


def around(before: Project, after: Project) -> Iterator[tuple[str, Fault]]:
    """Yield what is wrong with a change of each switch, and with the way back."""
    for name, files in before.switch_artefacts.items():
        target = after.switch_artefacts[name]
        box = laid(before.devices[name], files)
        yield from ((name, fault) for fault in step(box, target, "there"))
        yield from ((name, fault) for fault in step(box, files, "back"))


def from_the_box(one: Project) -> Iterator[tuple[str, Fault]]:
    """Yield what is wrong with a first change of each switch, and top-level lines of others."""
    for name, files in one.switch_artefacts.items():
        yield from ((name, fault) for fault in step(fresh(one.devices[name]), files, "there"))
        yield from ((name, fault) for fault in owned(one.devices[name], files[0].text))


def sent(before: Project, after: Project, switch: str) -> list[str]:
    """Return the lines of a change, as they are sent."""
    design: DeviceDesign = before.devices[switch]
    box = laid(design, before.switch_artefacts[switch])
    draft = drafted(box, after.switch_artefacts[switch])
    return str(draft.candidate.lines).splitlines()


def left_of_a_merge(folder: Path, system: str, form: str) -> dict[str, list[str]]:
    """Return the words of a tenant that is gone, by switch, where others own the rest."""
    scope = {role: {**SYSTEMS[system]["platforms"][role], "scope": "merge"} for role in ROLES}
    before, after = (
        project(folder / state, system, form, state, platforms=scope) for state in ("two", "one")
    )
    left = {}
    for name, files in before.switch_artefacts.items():
        box = laid(before.devices[name], files)
        assert list(step(box, after.switch_artefacts[name], "there")) == []
        text = str(box.config)
        left[name] = [word for word in ("Vrf18", "50018", "3018") if word in text]
    return left
