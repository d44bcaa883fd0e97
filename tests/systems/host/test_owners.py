"""Files of other tools on a host: which win over ours, and what a plan says of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.artefact import Artefact
from fabric.core.errors import NotPlannedError
from fabric.systems.host.adapters.owners import SERVICES, other_files
from fabric.workflow.verify import drift
from tests.cases import each
from tests.change import labs
from tests.change.labs import planned

SYSCTL = "/etc/sysctl.d/zz-rocefab.conf"
OURS = {
    "netplan": ["/etc/netplan/60-rocefab.yaml"],
    "networkd": ["/etc/systemd/network/05-rocefab-eth1.network"],
    "networkmanager": ["/etc/NetworkManager/system-connections/rocefab-eth1.nmconnection"],
}
CLOUD = "/etc/netplan/50-cloud-init.yaml:    eth1:"
SITE = "/etc/netplan/90-site.yaml"
LATER = f"{SITE}:    eth1:"
FIRST = "/etc/systemd/network/01-site.network:Name=bond0 e?h1"
AFTER = "/usr/lib/systemd/network/80-site.network:Name=eth1"
PROFILE = "/etc/NetworkManager/system-connections/wired.nmconnection:interface-name=eth1"
IFCFG = "/etc/sysconfig/network-scripts/ifcfg-eth1:DEVICE=eth1"
IFACE = "/etc/network/interfaces:iface eth1 inet dhcp"
KEY = "net.ipv4.conf.eth1.arp_ignore"


def ours(stack: str) -> dict[str, Artefact]:
    paths = [*OURS[stack], SYSCTL]
    text = f"{KEY} = 1\n".encode()
    return {path: Artefact("h", "host", "x", f"rootfs{path}", text) for path in paths}


def judged(stack: str, *lines: str, active: tuple[str, ...] = ()) -> str:
    """Return ``conflict``, ``note``, both or nothing."""
    states = "\n".join("active" if name in active else "inactive" for name in SERVICES)
    system = {"owners": "\n".join(lines), "services": states}
    others = other_files(system, ours(stack), ["eth1", "eth2"])
    return " ".join([*("conflict" for _ in others.conflicts), *("note" for _ in others.notes)])


@each(
    ("line", "active", "netplan", "networkd", "networkmanager"),
    [
        (CLOUD, (), "note", "", "conflict"),
        (LATER, (), "conflict", "", "conflict"),
        (
            "/etc/netplan/90-site.yaml:  ethernets: {eth1: {dhcp4: true}}",
            (),
            "conflict",
            "",
            "conflict",
        ),
        (f"{SITE}:      set-name: eth1", (), "conflict", "", "conflict"),
        (f"{SITE}:    eth10:", (), "", "", ""),
        (FIRST, (), "conflict", "conflict", "note"),
        (FIRST, ("systemd-networkd",), "conflict", "conflict", "conflict"),
        (AFTER, (), "", "", "note"),
        ("/etc/systemd/network/07-site.network:Name=eth1", (), "conflict", "", "note"),
        ("/etc/systemd/network/01-site.link:OriginalName=eth1", (), "", "", ""),
        ("/run/systemd/network/10-netplan-eth1.network:Name=eth1", (), "", "", ""),
        (PROFILE, (), "note", "note", "conflict"),
        (PROFILE, ("NetworkManager",), "conflict", "conflict", "conflict"),
        (IFCFG, ("NetworkManager",), "conflict", "conflict", "conflict"),
        (PROFILE.replace("interface-name", "id"), ("NetworkManager",), "", "", ""),
        (IFACE, (), "note", "note", "note"),
        (IFACE, ("networking",), "conflict", "conflict", "conflict"),
        (f"/etc/sysctl.d/zzz.conf:{KEY}=0", (), *["conflict"] * 3),
        ("/etc/sysctl.d/zzz.conf:-net/ipv4/conf/eth1/arp_ignore = 0", (), *["conflict"] * 3),
        (f"/etc/sysctl.d/zzz.conf:{KEY} = 1", (), "", "", ""),
        (f"/etc/sysctl.d/99-site.conf:{KEY} = 0", (), "", "", ""),
        ("/etc/sysctl.d/zzz.conf:net.ipv4.conf.eth9.arp_ignore=0", (), "", "", ""),
        ("/etc/rc.local:mlnx_qos -i eth1 --trust pcp", (), *["note"] * 3),
        (
            "/etc/systemd/system/qos.service:ExecStart=cma_roce_tos -d mlx5_0 -t 96",
            (),
            *["note"] * 3,
        ),
        ("/etc/systemd/system/rocefab-nic@.service:ExecStart=mlnx_qos", (), "", "", ""),
        ("/etc/netplan/60-rocefab-storage.yaml:    eth1:", (), "", "", ""),
        ("no line of grep", (), "", "", ""),
    ],
)
def test_files_win_or_not(line, active, netplan, networkd, networkmanager) -> None:
    by_stack = {"netplan": netplan, "networkd": networkd, "networkmanager": networkmanager}
    assert {stack: judged(stack, line, active=active) for stack in OURS} == by_stack


def test_the_file_of_cloud_init_comes_with_what_stops_it() -> None:
    (note,) = other_files({"owners": CLOUD}, ours("netplan"), ["eth1"]).notes
    assert "/etc/cloud/cloud.cfg.d/99-disable-network-config.cfg" in note


LINE = st.text(max_size=60) | st.sampled_from([CLOUD, LATER, FIRST, PROFILE, IFACE])


@given(st.lists(LINE, max_size=8), st.sampled_from(sorted(OURS)), st.text(max_size=20))
def test_whatever_a_host_says_only_its_paths_and_values_are_printed(lines, stack, services) -> None:
    system = {"owners": "\n".join(lines), "services": services}
    others = other_files(system, ours(stack), ["eth1"])
    assert all(text.isprintable() and len(text) < 600 for text in others.conflicts + others.notes)


def netplan(line: str) -> str:
    return f"network:\n  ethernets:\n    eth1:\n      {line}\n"


def test_a_plan_is_blocked_until_the_file_is_gone(tmp_path, monkeypatch) -> None:
    with labs.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        fs = lab[labs.HOST].fs
        fs.put("/etc/netplan/50-cloud-init.yaml", netplan("dhcp4: true"))
        (note,) = planned(project, connections).devices[labs.HOST].notes
        assert note.startswith("/etc/netplan/50-cloud-init.yaml configures eth1: its addresses")
        fs.put(SITE, netplan("mtu: 1500"))
        with pytest.raises(NotPlannedError, match=f"{SITE} configures eth1 and is merged after"):
            planned(project, connections)
        (host,) = [
            item
            for item in drift(project, connections, labs.ALL, labs.silent)
            if item.device == labs.HOST
        ]
        (deviation,) = [one for one in host.deviations if one.subject == "conflict"]
        assert SITE in deviation.message
        fs.local(SITE).unlink()
        assert labs.HOST in planned(project, connections).devices
