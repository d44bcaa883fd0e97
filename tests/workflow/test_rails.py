"""Cables that are swapped in a lab: a NIC on a wrong rail is withdrawn, and comes back."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from fabric.core.exports import export, exporters
from fabric.topology.rails import RailState
from fabric.workflow.apply import Options, apply
from fabric.workflow.cabling import Selection
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import plan
from fabric.workflow.project import Project
from fabric.workflow.rails import Rails, rails
from tests.change import labs
from tests.cli.runs import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.topology.cabling import End

INVENTORY = (
    labs.INVENTORY
    .replace("rails: 1", "rails: 2")
    .replace("hosts: gpu1}", 'hosts: "gpu[1-2]"}')
    .replace(
        "host: {gpus: 1, interfaces: eth1, rdma_devices: mlx5_1}",
        'host: {gpus: 2, interfaces: "eth[1-2]", rdma_devices: "mlx5_[1-2]",\n'
        '  nic: {pci_addresses: ["0000:18:00.0", "0000:3a:00.0"]}}',
    )
)
HOSTS, LEAVES = ("gpu1", "gpu2"), ("su1-rail0", "su1-rail1")
SWAPS = 100


class Cables:
    """The cables of NICs in a lab, and what LLDP says at both of their ends."""

    def __init__(self, built: Mapping[str, Any]) -> None:
        self._built = built
        self._at_host = {
            (host, item.local_port): item for host in HOSTS for item in built[host].spec.neighbours
        }
        self._at_leaf = {
            (leaf, port): seen[0]
            for leaf in LEAVES
            for port, seen in built[leaf].neighbours.items()
            if seen[0].system_name in HOSTS
        }
        nics = {(seen.system_name, seen.port_id): end for end, seen in self._at_leaf.items()}
        self.planned: dict[End, End] = {nic: nics[nic] for nic in self._at_host}
        self.ends = dict(self.planned)

    def swap(self, first: End, second: End) -> None:
        """Swap the plugs of two NICs at the leaves."""
        self.ends[first], self.ends[second] = self.ends[second], self.ends[first]
        self._announce()

    def repair(self) -> None:
        self.ends = dict(self.planned)
        self._announce()

    def _announce(self) -> None:
        by_end = {end: nic for nic, end in self.planned.items()}
        for nic, (leaf, port) in self.ends.items():
            seen = replace(self._at_leaf[self.planned[nic]], local_port=port)
            self._built[leaf].neighbours[port] = [seen]
        for host in HOSTS:
            seen_by_host = tuple(
                replace(self._at_host[by_end[end]], local_port=nic[1])
                for nic, end in self.ends.items()
                if nic[0] == host
            )
            self._built[host].spec = replace(self._built[host].spec, neighbours=seen_by_host)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cables, Project, Path, Any]]:
    folder = tmp_path_factory.mktemp("rails")
    project = Project(labs.write_inventory(folder / "inventory", INVENTORY))
    connections = folder / "lab" / CONNECTIONS
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", "lab-password")
        with laboratory(project, folder / "lab") as built:
            result = plan(project, connections, Selection(hosts=False), "rail", labs.silent)
            options = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
            assert apply(result, folder / "state", connections, options, labs.silent).ok
            yield Cables(built), project, connections, built


@pytest.fixture
def lab(built: tuple[Cables, Project, Path, Any]) -> tuple[Cables, Project, Path, Any]:
    built[0].repair()
    return built


def confirmed(read: Rails) -> dict[str, set[End]]:
    """Return the NICs that each export names: labels, features, attributes, mapping."""

    def objects(part: str) -> list[dict[str, Any]]:
        files = export(read, exporters["rails"], (part,)).files
        return [one for file in files for one in yaml.safe_load_all(file.text)]

    def by_label(node: str, labels: Mapping[str, str]) -> set[End]:
        rails = {key.partition("/")[2]: leaf for key, leaf in labels.items() if "/rail-" in key}
        assert all(leaf == f"su1-rail{key[-1]}" for key, leaf in rails.items())
        whole = labels.get("lldp.rocefab.io/all-rails") == "true"
        assert whole == (len(rails) == len(LEAVES))
        return {(node, f"eth{int(key[-1]) + 1}") for key in rails}

    nodes = {
        nic
        for one in objects("rail-labels")
        for nic in by_label(one["metadata"]["name"], one["metadata"].get("labels", {}))
    }
    features, elements = set(), set()
    for one in objects("rail-features"):
        node = one["metadata"]["labels"]["nfd.node.kubernetes.io/node-name"]
        features |= by_label(node, one["spec"]["labels"])
        for instances in one["spec"].get("features", {"instances": {}})["instances"].values():
            elements |= {(node, item["attributes"]["interface"]) for item in instances["elements"]}
    devices = {
        (one["spec"]["pool"]["name"], device["attributes"]["interface"]["string"])
        for one in objects("rail-slices")
        for device in one["spec"]["devices"]
    }
    mapping = {
        (file.path.partition(".")[0], record["interface"])
        for file in export(read, exporters["rails"], ("rail-mapping",)).files
        for record in json.loads(file.text)["status"]["nics"].values()
        if record
    }
    return {
        "labels": nodes,
        "features": features,
        "elements": elements,
        "devices": devices,
        "mapping": mapping,
    }


def check(cables: Cables, read: Rails) -> None:
    """Check that all exports name the NICs whose leaf is planned, and no other."""
    true = {nic for nic, end in cables.ends.items() if end[0] == cables.planned[nic][0]}
    assert all(nics == true for nics in confirmed(read).values())


def test_each_wrong_rail_is_withdrawn_at_the_next_reading_and_comes_back(lab) -> None:
    """Random swaps, two before each reading; half of the time, the cables are repaired before."""
    cables, project, connections, _ = lab
    check(cables, rails(project, connections))
    chance, crossed = random.Random(44), 0
    for _ in range(SWAPS // 2):
        if chance.random() < 1 / 2:
            cables.repair()
        cables.swap(*chance.sample(sorted(cables.ends), 2))
        cables.swap(*chance.sample(sorted(cables.ends), 2))
        crossed += any(end[0] != cables.planned[nic][0] for nic, end in cables.ends.items())
        check(cables, rails(project, connections))
    assert crossed > SWAPS / 4
    cables.repair()
    check(cables, rails(project, connections))


def test_ends_that_disagree_are_no_rail(lab) -> None:
    cables, project, connections, built = lab
    old = built["gpu1"].spec
    cables.swap(("gpu1", "eth1"), ("gpu1", "eth2"))
    built["gpu1"].spec = old  # the host still sees what was there before
    read = rails(project, connections)
    states = {(nic.host, nic.interface): nic.state for nic in read.nics}
    assert states["gpu1", "eth1"] is states["gpu1", "eth2"] is RailState.DISAGREE
    assert confirmed(read)["labels"] == {("gpu2", "eth1"), ("gpu2", "eth2")}


def test_command_line(lab, tmp_path, monkeypatch) -> None:
    """From a file of readings as from the devices; what is withdrawn is said on stderr."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    cables, _, connections, _ = lab
    inventory, file = connections.parents[1] / "inventory", tmp_path / "readings.jsonl"
    cables.swap(("gpu1", "eth1"), ("gpu1", "eth2"))
    words = ("export", "rails", inventory)
    live = run(*words, "--connections", connections)
    assert live.code == 0
    assert "gpu1: eth1 is withdrawn, wrong rail: LLDP sees it at su1-rail1 Ethernet0" in live.err
    assert "planned: su1-rail0 Ethernet0" in live.err
    assert run("observe", inventory, "--connections", connections, "--out", file).code == 0
    recorded = run(*words, "--snapshot", file)
    assert recorded.code == 0
    times = {"lldp.rocefab.io/read-at"}
    for before, after in zip(
        yaml.safe_load_all(live.out), yaml.safe_load_all(recorded.out), strict=True
    ):
        assert set(after["metadata"]["annotations"]) == times
        assert before["metadata"].get("labels") == after["metadata"].get("labels")
    stale = run(*words, "--snapshot", file, "--snapshot-max-age", "0s")
    assert stale.code == 2
    assert (stale.out, "none may be older than 0 s" in stale.err) == ("", True)
