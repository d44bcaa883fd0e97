"""The tools of the host stand-in: every reading of a host is answered, and they agree."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from fabric.lab.clock import LabClock
from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.assemble import host_facts
from fabric.observe.hostfacts.readings import command_of
from fabric.systems.host.lab import HostStandIn
from tests.cases import each
from tests.lab.conftest import execute, host_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.lab.lab import Lab

TARGETS = {
    "{interface}": "rail0",
    "{rdma_device}": "mlx5_0",
    "{pci_address}": "0000:18:00.0",
    "{script_folder}": "/etc/rocefab",
}


@pytest.fixture
def host() -> Iterator[HostStandIn]:
    """Return a host with two GPUs beside its two NICs, without its SSH server."""
    spec = host_spec()
    nics = tuple(
        dataclasses.replace(nic, gpus=(number,), numa_node=number)
        for number, nic in enumerate(spec.nics)
    )
    device = HostStandIn(dataclasses.replace(spec, nics=nics), LabClock())
    yield device
    device.fs.close()


def target_of(reading: str) -> str:
    return next((name for mark, name in TARGETS.items() if mark in readers[reading].command), "")


NV_QUERY = "mlxconfig -d 0000:18:00.0 -e query"


def answer(host: HostStandIn, line: str) -> str:
    status, text = host.run_detached(line)
    assert status == 0, line
    return text


def waiting(host: HostStandIn) -> list[str]:
    """Return the settings in flash that a reboot will change."""
    return re.findall(r"^\*\s+(?:RO\s+)?(\w+)", answer(host, NV_QUERY), re.MULTILINE)


OWN_CHECK = '#!/bin/sh\necho "eth0: MTU is 1500, not 9000"\nexit 1\n'


def texts_of(host: HostStandIn) -> dict[str, str]:
    host.fs.put("/etc/rocefab/check.sh", OWN_CHECK)
    texts = {}
    for reading in sorted(readers):
        target = target_of(reading)
        status, text = host.run_detached(command_of(reading, target))
        assert status == 0, (reading, text)
        plain = not target or reading == "own_check"  # one script speaks for the whole host
        texts[reading if plain else f"{reading}:{target}"] = text
    return texts


def parsed(host: HostStandIn, reading: str, target: str = "") -> Any:
    status, text = host.run_detached(command_of(reading, target))
    assert status == 0, text
    return readers[reading].parse(text)


def test_every_reading_is_answered_and_agrees_with_the_others(host: HostStandIn) -> None:
    facts = host_facts("gpu01", texts_of(host))
    assert facts.raw == {}
    assert facts.own_check is not None
    assert facts.own_check.apart == (("eth0", "MTU is 1500, not 9000"),)
    assert not [why for why in facts.unread.values() if "disagree" in why]
    nic = facts.nic("mlx5_0")
    assert nic is not None
    assert (nic.interface, nic.pci_address, nic.numa_node) == ("rail0", "0000:18:00.0", 0)
    assert (nic.firmware, nic.model, nic.driver) == ("28.39.1002", "MT4129", "mlx5_core")
    assert (nic.fec, nic.rate_bps, nic.link_layer) == (("rs",), 400_000_000_000, "RoCE")
    assert nic.pcie is not None
    assert nic.pcie.full_link
    assert waiting(host) == []
    assert facts.affinity() == {
        "GPU0": {"mlx5_0": "PIX", "mlx5_1": "SYS"},
        "GPU1": {"mlx5_0": "SYS", "mlx5_1": "PIX"},
    }


def test_both_kinds_of_nvidia_smi_name_the_same_gpus(host: HostStandIn) -> None:
    table, log = answer(host, "nvidia-smi"), answer(host, "nvidia-smi -q")
    addresses = re.findall(r"^GPU (\S+)$", log, re.MULTILINE)
    assert len(addresses) == 2
    assert re.findall(r"\d{8}:\w\w:\w\w\.\d", table) == addresses
    places = {place.address: place for place in parsed(host, "sysfs_pci")}
    assert all(places[address[4:].lower()].vendor == "10de" for address in addresses)
    assert places["0000:18:00.0"].bridges == ("0000:18:1d.0", "0000:18:1e.0")


#: What nobody asks in a run of rocefab, and a person at the stand-in may.
OTHERS = {
    "ofed_info -s": "MLNX_OFED_LINUX-",
    "ip -j link show": '"ifname":"rail0"',
    "dcb -j maxrate show dev rail0": '"tc_maxrate": [0',
}


@pytest.mark.parametrize("line", OTHERS)
def test_answers_to_a_person(host: HostStandIn, line: str) -> None:
    assert OTHERS[line] in answer(host, line)


def test_a_host_without_gpus_says_so() -> None:
    device = HostStandIn(host_spec(), LabClock())
    assert device.run_detached("nvidia-smi") == (6, "No devices were found\n")
    device.fs.close()


SETTINGS = {
    "PFC": ("dcb pfc set dev rail0 prio-pfc all:off 3:on delay 12", "--pfc 0,0,0,1,0,0,0,0"),
    "DSCP": ("dcb app replace dev rail0 dscp-prio 26:3 48:6", "--dscp2prio set,26,3"),
    "owner": ("dcb dcbx set dev rail0 host ieee", "-d os"),
    "ETS": (
        "dcb ets set dev rail0 prio-tc 0:0 1:1 tc-tsa all:ets 6:strict tc-bw all:0 0:10 3:90",
        "-p 0,1,2,3,4,5,6,7 -s ets,ets,ets,ets,ets,ets,strict,ets -t 10,0,0,90,0,0,0,0",
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_dcb_and_mlnx_qos_set_the_same_driver(host: HostStandIn, name: str) -> None:
    neutral, own = SETTINGS[name]
    assert host.run_detached(neutral)[0] == 0
    assert host.run_detached(f"mlnx_qos -i rail1 {own}")[0] == 0
    if name == "DSCP":
        host.run_detached("mlnx_qos -i rail1 --dscp2prio set,48,6")
    if name == "PFC":
        host.run_detached("mlnx_qos -i rail1 --cable_len 12")
    kinds = ("dcb_pfc", "dcb_ets", "dcb_app", "dcb_dcbx", "dcb_buffer", "mlnx_qos")
    for kind in kinds:
        assert parsed(host, kind, "rail0") == parsed(host, kind, "rail1")


def test_the_share_of_ets_and_the_delay_of_pfc(host: HostStandIn) -> None:
    host.run_detached("dcb pfc set dev rail0 prio-pfc 3:on delay 12")
    host.run_detached("dcb pfc set dev rail0 delay 1000")  # more than the driver keeps
    assert parsed(host, "dcb_pfc", "rail0").delay == 12
    assert host.link_flaps("rail0") == 1


REFUSED = {
    "unknown object": ("dcb nope show dev rail0", 1),
    "no device": ("dcb pfc show dev eth9", 1),
    "word in place of a state": ("dcb pfc set dev rail0 prio-pfc 3:maybe", 1),
    "no such priority": ("dcb pfc set dev rail0 prio-pfc 9:on", 1),
    "ETS sum": ("dcb ets set dev rail0 tc-tsa all:ets tc-bw all:0 0:50", 1),
    "selector of mlx5": ("dcb app add dev rail0 ethtype-prio 2048:3", 1),
    "no such DSCP": ("dcb app replace dev rail0 dscp-prio 64:3", 1),
    "storm watch": ("ethtool --set-tunable rail0 pfc-prevention-tout 79", 1),
    "DCBX by the firmware": ("dcb dcbx set dev rail0 lld-managed", 1),
    "mlxconfig without device": ("mlxconfig -d 0000:ff:00.0 query", 3),
    "mlxconfig set": ("mlxconfig -d 0000:18:00.0 -y set NUM_OF_VFS=4", 3),
    "ofed_info alone": ("ofed_info", 1),
    "ibstat of nothing": ("ibstat mlx5_9", 255),
    "lspci of everything in short": ("lspci", 1),
    "nvidia-smi option": ("nvidia-smi --fast", 2),
    "counters of nothing": ("show_counters mlx5_9", 1),
    "MTU of nothing": ("ibv_devinfo -d mlx5_9", 255),
    "statistic of nothing": ("rdma statistic show link mlx5_9/1", 1),
    "FEC": ("ethtool --set-fec rail0 encoding llrs", 1),
    "option of ethtool": ("ethtool --test rail0", 1),
    "no network device": ("ethtool -S eth9", 1),
}


@each("name", REFUSED)
def test_what_the_tools_refuse(host: HostStandIn, name: str) -> None:
    line, code = REFUSED[name]
    before = host.qos["rail0"].pfc, dict(host.qos["rail0"].dscp), list(host.qos["rail0"].bandwidth)
    assert host.run_detached(line)[0] == code
    after = host.qos["rail0"].pfc, dict(host.qos["rail0"].dscp), list(host.qos["rail0"].bandwidth)
    assert before == after


def test_counters_run_with_the_clock_and_show_alike_everywhere(
    host: HostStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [float(round(host.clock.now_s()))]  # 50 s later are 50 s: no fraction is rounded
    monkeypatch.setattr(type(host.clock), "now_s", lambda _clock: now_s[0])
    host.counters.rdma["rail0"]["out_of_sequence"] = 3
    host.counters.run("rail0", "rx_prio3_pause", 100.0)
    host.counters.run("rail0", "np_cnp_sent", 10.0)
    now_s[0] += 50.0
    assert parsed(host, "ethtool_statistics", "rail0")["rx_prio3_pause"] == 5000
    assert parsed(host, "dcb_pfc", "rail0").indications[3] == 5000
    row = next(row for row in parsed(host, "hw_counters") if row.device == "mlx5_0")
    assert row.counters["out_of_sequence"] == 3
    assert row.counters["np_cnp_sent"] == 500
    (listed, _) = json.loads(answer(host, "rdma -j statistic show"))
    assert {name: listed[name] for name in row.counters} == row.counters
    shown = answer(host, "show_counters mlx5_0")
    assert all(f"{name}: {value}" in shown for name, value in row.counters.items())
    with pytest.raises(KeyError):
        host.counters.run("rail0", "no_such_counter", 1.0)
    host.on_reboot()
    assert parsed(host, "ethtool_statistics", "rail0")["rx_prio3_pause"] == 0


def test_a_fault_of_the_hardware_shows_in_each_tool(host: HostStandIn) -> None:
    card = host.cards["rail0"]
    card.fec, card.firmware, card.link, card.acs = "BaseR", "28.36.1010", ("16GT/s", 8), True
    card.nv_next["CNP_DSCP_P1"] = "4"
    host.unplugged.add("rail1")
    facts = host_facts("gpu01", texts_of(host))
    nic = facts.nic("mlx5_0")
    assert nic is not None
    assert nic.pcie is not None
    assert (nic.fec, nic.firmware, nic.pcie.full_link) == (("baser",), "28.36.1010", False)
    assert waiting(host) == ["CNP_DSCP_P1"]
    other = facts.nic("mlx5_1")
    assert other is not None
    assert (other.up, other.rate_bps) == (False, None)
    bridge = parsed(host, "lspci", "0000:18:1e.0")[0]
    assert "ReqRedir" in bridge.acs


RIGHTS = {
    "mlxconfig -d 0000:18:00.0 -e query": (3, "Permission denied"),
    "/usr/sbin/dcb pfc set dev rail0 prio-pfc 3:on": (1, "Operation not permitted"),
    "/usr/sbin/ethtool --set-fec rail0 encoding baser": (1, "Operation not permitted"),
    "lspci -Dnnvv -s 0000:18:00.0": (0, "<access denied>"),
}


def test_rights_over_ssh(lab: Lab, connect: Callable[[Any], Any]) -> None:
    client = connect(lab["gpu01"])
    for line, (code, text) in RIGHTS.items():
        out, err, status = execute(client, line)
        assert status == code, line
        assert text in out + err
        out, _, status = execute(client, f"sudo {line}")
        assert (status, text in out) == (0, False)


def test_system_tools_are_found_by_root_and_where_one_says_it(
    lab: Lab, connect: Callable[[Any], Any]
) -> None:
    """As on Debian; a session of a driver says where they are."""
    client = connect(lab["gpu01"])
    assert "command not found" in execute(client, "ethtool rail0")[1]
    assert execute(client, "command -v ethtool")[2] == 1
    assert execute(client, "sudo ethtool rail0")[2] == 0
    assert execute(client, "PATH=$PATH:/usr/sbin; ethtool rail0")[2] == 0


def test_gpus_of_one_node_are_nearer_to_their_own_nic() -> None:
    """By the switch, not by the node."""
    spec = host_spec()
    nics = tuple(
        dataclasses.replace(nic, gpus=(number,), numa_node=0)
        for number, nic in enumerate(spec.nics)
    )
    device = HostStandIn(dataclasses.replace(spec, nics=nics), LabClock())
    topology = parsed(device, "nvidia_topo")
    assert topology.affinity("GPU0") == {"mlx5_0": "PIX", "mlx5_1": "NODE"}
    device.fs.close()
