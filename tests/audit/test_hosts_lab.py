"""Hosts that have their rendered files, with the files of their switches: no findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration.recognition import system_of
from fabric.workflow.audit import audit
from tests.systems.test_classes import TWO, inventory
from tests.topology.fabrics import INVENTORY
from tests.workflow.host_lab import applied_lab

#: Commands about the host, and those about a NIC or its RDMA device, by the file that is saved.
OF_HOST = {
    "show_gids.txt": "show_gids",
    "ip_addr.json": "ip -j addr show",
    "ibdev2netdev.txt": "ibdev2netdev",
}
OF_NIC = {
    "mlnx_qos-{0}.txt": "mlnx_qos -i {0}",
    "ethtool_a-{0}.txt": "ethtool -a {0}",
    "ethtool-{0}.txt": "ethtool {0}",
    "traffic_class-{1}.txt": "cat /sys/class/infiniband/{1}/tc/1/traffic_class",
}
KEYS = {
    "conf": ("arp_ignore", "arp_announce", "rp_filter"),
    "neigh": ("base_reachable_time_ms", "gc_stale_time"),
}


def save(folder: Path, host, design) -> None:
    """Save the outputs of a host as its operator would."""
    folder.mkdir(parents=True)
    commands = dict(OF_HOST)
    names = ["net.ipv4.neigh.default.gc_thresh3"]
    names += [f"net.ipv4.conf.all.{key}" for key in KEYS["conf"]]
    for nic in design.nics:
        for file, command in OF_NIC.items():
            words = nic.interface, nic.rdma_device
            commands[file.format(*words)] = command.format(*words)
        names += [
            f"net.ipv4.{group}.{nic.interface}.{key}" for group in KEYS for key in KEYS[group]
        ]
    commands["sysctl.txt"] = "sysctl " + " ".join(names)
    for file, command in commands.items():
        code, text = host.run_detached(command)
        assert code == 0, (command, text)
        (folder / file).write_text(text, encoding="utf-8")


#: Files for Comware 7 have no watchdog (rule CMW003).
NO_WATCHDOG = ("AUD006", "comware7-leaf")


@pytest.mark.parametrize("name", ["demo", "a100-pcie", "eight-slash-27", "mixed"])
def test_hosts_with_their_files(tmp_path, monkeypatch, name):
    assert findings(tmp_path, monkeypatch, INVENTORY / name) == []


def test_two_lossless_classes(tmp_path, monkeypatch):
    folder = inventory(tmp_path / "two", TWO, scheduler={"default_percent": 40})
    assert findings(tmp_path, monkeypatch, folder) == []


def _whole(text):
    """Return a configuration with what the switch itself adds: SONiC its MAC address."""
    return text.replace('"hwsku":', '"mac": "52:54:00:00:00:01",\n"hwsku":', 1)


def findings(tmp_path, monkeypatch, folder):
    """Return what the audit says of hosts and switches that have the files of an inventory."""
    with applied_lab(tmp_path, monkeypatch, folder) as (lab, project, _):
        for host, design in project.hosts.items():
            save(tmp_path / "saved" / host, lab[host], design)
        for items in project.switch_artefacts.values():
            for item in (one for one in items if system_of(one.text)):
                file = tmp_path / "saved" / item.path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(_whole(item.text), encoding="utf-8")
        audited = audit([tmp_path / "saved"], ignore=["SON040"], pairs=True)
    assert list(audited.systems.values()).count("host") >= len(project.hosts) * len(OF_HOST)
    return [item for item in audited.outcome.findings if (item.rule, item.device) != NO_WATCHDOG]
