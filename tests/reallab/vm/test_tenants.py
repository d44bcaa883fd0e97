"""Tenants in a kernel with VRFs and VXLAN: `prove` and the kernel agree, also about mistakes."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

from fabric.observe.configuration import Configured
from fabric.observe.configuration.vrfs import LeakLine, TargetLine
from fabric.prove.engine import Engine
from fabric.workflow.configurations import read_files
from fabric.workflow.project import Project
from tests.reallab.conftest import require_parts
from tests.reallab.vm.kernel import require_vm_parts
from tests.reallab.vm.tenants import Machine, Seen, Site
from tests.render.designs import INVENTORY

LEAF, FAR = "su1-rail0", "su2-rail0"
RED, BLUE = "Vrf17", "Vrf18"
#: A host of blue moves to red under pings of red, as the design has it: down, no address, no VRF.
MOVE = """\
ip netns exec gpu001-eth1 ping -n -i 0.1 -c 300 {red} >/out/move.others &
OTHERS=$!
sleep 3
ip -n {leaf} link set {port} down; ip -n {leaf} addr flush dev {port}
ip -n {leaf} link set {port} nomaster
sleep 3
ip -n {far} route show vrf Vrf18 >/out/move.quarantine
ip -n {leaf} link set {port} master Vrf17; ip -n {leaf} addr add {gateway} dev {port}
ip -n {leaf} link set {port} up
sleep 5
ip -n {far} route show vrf Vrf17 >/out/move.red
ip -n {far} route show vrf Vrf18 >/out/move.blue
ip netns exec gpu002-eth1 ping -n -c 3 -W 2 {red} >/out/move.inside
wait $OTHERS
for bytes in 9022 9023; do
    ip netns exec gpu001-eth1 ping -n -M do -c 2 -W 2 -s $bytes {red} >/out/size.$bytes
done
ip netns exec {leaf} tcpdump -n -v -c 4 -i {uplink} udp port 4789 >/out/wire 2>/dev/null &
sleep 2
ip netns exec gpu001-eth1 ping -n -c 4 -Q 0x6a {red} >/dev/null
sleep 2
pkill tcpdump
"""


def inventory(folder: Path) -> Project:
    """Return two units with a leaf each, on Cumulus Linux, and one address that is there twice."""
    data = yaml.safe_load((INVENTORY / "tenants" / "fabric.yaml").read_text(encoding="utf-8"))
    data |= {
        "rails": 1,
        "spines": {"count": 1, "links_per_leaf": 1},
        "platforms": {
            "leaf": {"sku": "SN3700C", "host_ports": 16},
            "spine": {"sku": "SN3700C"},
        },
        "tenants": [
            {"name": "red", "id": 17, "hosts": "gpu[001,003]", "pools": ["10.96.0.0/16"]},
            {"name": "blue", "id": 18, "hosts": "gpu[002,004]", "pools": ["10.96.0.0/16"]},
        ],
    }
    data["host"] |= {"gpus": 1, "interfaces": "eth1", "rdma_devices": "mlx5_1"}
    folder.mkdir()
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    (folder / "devices").mkdir()
    same = {"names": FAR, "subnets": [{"slot": 1, "network": "10.96.0.32/31"}]}
    (folder / "devices" / "same.yaml").write_text(yaml.safe_dump({"devices": [same]}))
    return Project(folder)


def planted(clean: dict[str, Configured], site: Site) -> dict[str, dict[str, Configured]]:
    """Return the configurations of each phase; the last one is as designed."""

    def phase() -> dict[str, Configured]:
        phases.append(deepcopy(clean))
        return phases[-1]

    phases: list[dict[str, Configured]] = []
    red = clean[LEAF].vrfs[RED]
    wrong = phase()
    wrong[FAR].vrfs[BLUE].imports.append(TargetLine(red.exports[0].target, 1))
    leak = phase()
    leak[LEAF].vrfs[BLUE].leaks.append(LeakLine(RED, 1))
    leak[LEAF].vrfs[RED].leaks.append(LeakLine(BLUE, 1))
    loose = phase()
    loose[LEAF].ports[site.nics["gpu001-eth1"][1]].vrf = ""
    swapped = phase()
    swapped[FAR].ports[site.nics["gpu003-eth1"][1]].vrf = BLUE
    swapped[FAR].ports[site.nics["gpu004-eth1"][1]].vrf = RED
    names = ("wrong-target", "leak", "no-vrf", "swapped")
    return dict(zip((*names, "clean"), (*phases, clean), strict=True))


@pytest.fixture(scope="module")
def seen(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Site, dict[str, dict[str, Configured]], dict[str, Seen], Machine]:
    """What every phase showed."""
    require_parts()
    require_vm_parts()
    folder = tmp_path_factory.mktemp("tenants")
    project = inventory(folder / "inventory")
    site = Site(project)
    clean, unread, findings = read_files(project, None)
    assert not unread
    assert not findings
    phases = planted(clean, site)
    leaf, port, _, gateway = site.nics["gpu002-eth1"]
    uplink = next(
        one.name for one in project.devices[LEAF].ports if one.kind == "uplink" and one.peer
    )
    more = MOVE.format(
        red=site.nics["gpu003-eth1"][2].partition("/")[0],
        leaf=leaf,
        far=FAR,
        port=port,
        gateway=f"{gateway}/31",
        uplink=uplink,
    )
    machine = Machine(site, phases, folder, more)
    return site, phases, machine.run(), machine


def tenant_of(site: Site, nic: str) -> str:
    """Return the tenant of a NIC."""
    fabric = site.project.fabric
    assert fabric.tenants
    return fabric.tenants.name_of(fabric.nic_row(nic.partition("-")[0], 0))


def test_the_kernel_and_prove_agree_who_reaches_whom(seen) -> None:
    site, phases, shown, _ = seen
    project = site.project
    for name, files in phases.items():
        engine = Engine(project.fabric, project.devices, project.hosts, files)
        isolation = engine.isolation().isolation
        names = isolation.tenants.names
        proved = {
            (names[one], names[other])
            for one in range(len(names))
            for other in range(len(names))
            if one != other and isolation.meeting[one, other]
        }
        kernel = {
            (tenant_of(site, sender), tenant_of(site, receiver))
            for sender, receiver in shown[name].received
        }
        across = {pair for pair in kernel if pair[0] != pair[1]}
        if name == "wrong-target":  # FRR sends with the VNI of the VRF that imports
            assert (across, proved) == (set(), {("blue", "red")})
        else:
            assert across == proved, name
        targets = {target for _, target in shown[name].answered}
        loopbacks = {design.loopback for design in project.devices.values()}
        assert bool(targets & loopbacks) == isolation.exposed.any(), name


def test_inside_a_tenant_all_answer_and_nothing_else_does(seen) -> None:
    site, _, shown, _ = seen
    clean = shown["clean"]
    inside = {
        (one, other)
        for one in site.nics
        for other in site.nics
        if one != other and tenant_of(site, one) == tenant_of(site, other)
    }
    assert clean.received == inside
    own = {name: nic[2].partition("/")[0] for name, nic in site.nics.items()}
    assert own["gpu003-eth1"] == own["gpu004-eth1"]
    allowed = {(one, own[other]) for one, other in inside} | set(own.items())
    gateways = {(name, nic[3]) for name, nic in site.nics.items()}
    assert clean.answered - gateways == allowed
    loopbacks = {design.loopback for design in site.project.devices.values()}
    assert not {target for _, target in clean.answered} & loopbacks


def test_mistakes_show_in_the_kernel(seen) -> None:
    _, _, shown, _ = seen
    assert ("gpu001-eth1", "gpu002-eth1") in shown["leak"].received
    assert ("gpu001-eth1", "gpu004-eth1") in shown["swapped"].received
    assert ("gpu001-eth1", "gpu003-eth1") not in shown["no-vrf"].received


def test_a_host_moves_while_the_others_lose_nothing(seen) -> None:
    site, _, _, machine = seen
    moved = site.nics["gpu002-eth1"][3] + "/31"
    others = re.search(r"(\d+) packets transmitted, (\d+) received", machine.text("move.others"))
    assert others
    assert others[1] == others[2] == "300"
    assert moved not in machine.text("move.quarantine")
    assert moved not in machine.text("move.blue")
    assert moved in machine.text("move.red")
    assert " 3 received" in machine.text("move.inside")


def test_packets_of_hosts_fit_and_keep_their_class(seen) -> None:
    _, _, _, machine = seen
    assert " 2 received" in machine.text("size.9022")
    assert " 0 received" in machine.text("size.9023")
    outer = re.findall(r"tos (0x[0-9a-f]+)", machine.text("wire"))
    assert outer
    assert "0x6a" in outer
