"""Ports whose policy differs are bound to other objects only where the content differs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fabric.render import render_device
from tests.change import labs
from tests.render.designs import designer

#: Objects of the second policy, by the lossless values of one port.
ECN, PFC, DSCP = "ecn: {kmax_bytes: 9000000}", "pfc: false", "roce_dscp: 24"
CASES = {
    "sonic": (
        labs.INVENTORY,
        "Ethernet0",
        {
            ECN: {"WRED_PROFILE AZURE_LOSSLESS_1"},
            PFC: set(),
            DSCP: {"DSCP_TO_TC_MAP AZURE_1"},
        },
    ),
    "esonic": (
        labs.ESONIC,
        "Ethernet0",
        {
            ECN: {"qos wred-policy ROCE_1"},
            PFC: set(),
            DSCP: {"qos map dscp-tc ROCE_1"},
        },
    ),
    "junos": (
        labs.JUNOS,
        "et-0/0/0",
        {
            ECN: {"drop-profiles ECN_1", "schedulers LOSSLESS_1", "scheduler-maps ROCE_1"},
            PFC: set(),
            DSCP: {"classifiers dscp ROCE_1", "congestion-notification-profile ROCE_1"},
        },
    ),
    "vrp8": (
        labs.VRP8,
        "100GE1/0/1",
        {
            ECN: {"drop-profile roce-ecn_1"},
            PFC: set(),
            DSCP: {"diffserv domain roce_1"},
        },
    ),
    "nxos": (labs.NXOS, "Ethernet1/1", {ECN: {"policy-map type queuing ROCE-OUT_1"}}),
}
#: Objects of a second policy in lines.
_OBJECT = {
    "esonic": r"^(qos .* ROCE_1)$",
    "junos": r"^set class-of-service ((?!interfaces).*?_1)\b",
    "vrp8": r"^((?:drop-profile|diffserv domain) \S+_1)$",
    "nxos": r"^(policy-map type queuing \S+_1)$",
}


def _objects(system: str, text: str) -> set[str]:
    """Return the objects of a second policy."""
    if system != "sonic":
        return set(re.findall(_OBJECT[system], text, re.MULTILINE))
    return {
        f"{table} {name}"
        for table, rows in json.loads(text).items()
        for name in rows
        if name.endswith("_1")
    }


@pytest.mark.parametrize("system", CASES)
def test_only_what_differs_is_another_object(system: str, tmp_path: Path) -> None:
    text, port, changes = CASES[system]
    for number, (lossless, names) in enumerate(changes.items()):
        folder = labs.write_inventory(tmp_path / f"{system}-{number}", text)
        (folder / "devices").mkdir()
        override = f"{{names: {labs.LEAF}, ports: {{{port!r}: {{lossless: {{{lossless}}}}}}}}}"
        (folder / "devices" / "own.yaml").write_text(f"devices:\n  - {override}\n")
        designs, rows = designer(folder)
        lines = render_device(designs.design(rows[labs.LEAF]))[0].text
        assert _objects(system, lines) == names, lossless
