"""Sessions that a switch is expected to have are those of its file: over cables and loopbacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.change.expectation import of_switch
from fabric.observe.configuration import WHOLE, readers
from fabric.workflow.project import Project
from tests.cases import each
from tests.systems.tenant_fabrics import SYSTEMS, project
from tests.topology.fabrics import INVENTORY

EXAMPLES = (
    *("demo", "dual-stack", "ipv6", "mixed", "tenants", "three-tier", "unnumbered", "dual-tor"),
)
MODELS: dict[str, dict[str, Any]] = {
    "eos": {"speeds": {"host_gbps": 100, "uplink_gbps": 100}},
    "junos": {"platforms": {"leaf": {"sku": "QFX5130-32CD"}, "spine": {"sku": "QFX5220-32CD"}}},
    "cumulus": {"platforms": {"leaf": {"sku": "SN4700"}, "spine": {"sku": "SN4700"}}},
    "nxos": SYSTEMS["nxos"],
    "esonic": SYSTEMS["esonic"],
}


def differences(planned: Project) -> dict[str, set[str]]:
    """Return by switch the sessions that are in its file or in its expectation alone."""
    sessions = {}
    for name, files in planned.switch_artefacts.items():
        system = planned.devices[name].platform
        texts = dict.fromkeys(WHOLE, files[0].text)
        process = readers[system](texts).bgp
        expected = of_switch(planned.devices[name], {}).bgp.keys()
        assert expected, name
        sessions[name] = expected ^ (process.peers.keys() if process else set())
    return {name: odd for name, odd in sessions.items() if odd}


@each("example", EXAMPLES)
def test_of_the_examples(example: str) -> None:
    assert differences(Project(INVENTORY / example)) == {}


@pytest.mark.parametrize(
    ("system", "peering"),
    [
        *((system, "numbered") for system in MODELS),
        *((system, "unnumbered") for system in MODELS if system != "junos"),  # BGP007
    ],
)
def test_of_tenants(
    system: str, peering: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SYSTEMS, system, MODELS[system])
    bgp = {"spine_asn": 65100, "leaf_asn_first": 65101, "peering": peering}
    planned = project(tmp_path / "inventory", system, "evpn", bgp=bgp)
    assert differences(planned) == {}
