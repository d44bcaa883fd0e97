"""Hosts: which settings are apart, how they come back, and that no name becomes a command."""

from __future__ import annotations

import dataclasses
import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from fabric.change.model import Risk
from fabric.core.artefact import Artefact
from fabric.intent.scalars import Interface
from fabric.observe.snapshot import Running
from fabric.systems.host.adapters import FOLDER, HostAdapter, settings_apart
from fabric.systems.host.adapters.commands import NETPLAN as NETPLANS
from fabric.systems.host.adapters.commands import NETWORKD, PROFILES, restore_commands
from fabric.systems.host.parsers import UNAVAILABLE
from fabric.systems.host.render import render_host
from fabric.workflow.project import Project
from tests.cases import examples
from tests.change import labs

APPLY, NETPLAN = f"{FOLDER}/apply.sh", f"{NETPLANS}.yaml"
NIC = {
    "dcbx": "os",
    "trust": "dscp",
    "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
    "dscp_to_priority": {"26": 3, "48": 6},
    "priority_to_traffic_class": list(range(8)),
    "tsa": {str(number): "ets" if number < 7 else "strict" for number in range(8)},
    "bandwidth_percent": {str(number): 50 if number in {0, 3} else 0 for number in range(8)},
    "cable_m": 5,
    "rdma_device": "mlx5_1",
    "mtu_bytes": 9000,
    "addresses": ["10.64.0.2/24"],
    "table": "101",
    "traffic_class_dscp": 26,
    "cnp_dscp": 48,
}
EXPECTED = {name: value for name, value in NIC.items() if name != "rdma_device"}

APART = {
    "nothing": ({}, []),
    "further address": ({"addresses": ["192.0.2.1/24", "10.64.0.2/24"]}, []),
    "address is missing": ({"addresses": []}, [("addresses", Risk.BRIEF_LOSS)]),
    "further DSCP": ({"dscp_to_priority": {"26": 3, "48": 6, "10": 1}}, []),
    "other DSCP": ({"dscp_to_priority": {"26": 2}}, [("dscp_to_priority", Risk.BRIEF_LOSS)]),
    "PFC": ({"pfc": [0] * 8}, [("pfc", Risk.PORT_FLAP)]),
    "trust": ({"trust": "pcp"}, [("trust", Risk.BRIEF_LOSS)]),
    "MTU": ({"mtu_bytes": 1500}, [("mtu_bytes", Risk.BRIEF_LOSS)]),
    "CNP": ({"cnp_dscp": 0}, [("cnp_dscp", Risk.HARMLESS)]),
    "CNP not offered": ({"cnp_dscp": UNAVAILABLE}, []),
    "CNP unknown": ({"cnp_dscp": None}, [("cnp_dscp", Risk.HARMLESS)]),
    "traffic class": ({"traffic_class_dscp": None}, [("traffic_class_dscp", Risk.HARMLESS)]),
    "cable": ({"cable_m": 7}, [("cable_m", Risk.HARMLESS)]),
    "shares": ({"bandwidth_percent": {}}, [("bandwidth_percent", Risk.HARMLESS)]),
}


SET = {"roce_rp/rpg_gd": 11, "roce_rp/rpg_time_reset": 300}
CC_PARAMS = "$(basename $(readlink -f /sys/class/net/eth1/device))/cc_params"
DCQCN = {
    "as told": ({"dcqcn": {**SET, "roce_np/cnp_dscp": 48}}, []),
    "no place": ({}, []),
    "an older driver": ({"dcqcn": {"roce_rp/rpg_gd": 11}}, []),
    "another value": ({"dcqcn": {**SET, "roce_rp/rpg_gd": 10}}, ["dcqcn"]),
}


@pytest.mark.parametrize("name", DCQCN)
def test_parameters_apart(name):
    changed, expected = DCQCN[name]
    wanted = {"eth1": {**EXPECTED, "dcqcn": SET}}
    found = list(settings_apart({"eth1": {**NIC, **changed}}, wanted))
    assert [change.path for change in found] == [f"eth1 {setting}" for setting in expected]


@pytest.mark.parametrize(
    ("reader", "folder"),
    [
        ("mlnx_qos", "/sys/class/net/eth1/ecn"),
        ("dcb", CC_PARAMS),
    ],
)
def test_parameters_that_a_change_sets_come_back(reader, folder):
    nic = {**NIC, "reader": reader, "dcqcn": {"a": 1, "b": 2, "c;reboot": 3, "d": 4}}
    wanted = {"eth1": {"dcqcn": {"a": 1, "b": 9, "c;reboot": 9}}}
    found = [one for one in restore_commands(running(nic), wanted) if folder in one]
    (command,) = [one for one in found if "cnp_dscp" not in one]
    assert command.startswith("sh -c 'echo 2 > /sys/")
    assert command.endswith(f"{folder}/b'")


@pytest.mark.parametrize("name", APART)
def test_settings_apart(name):
    changed, expected = APART[name]
    found = list(settings_apart({"eth1": {**NIC, **changed}}, {"eth1": EXPECTED}))
    assert [(change.path, change.risk) for change in found] == [
        (f"eth1 {setting}", risk) for setting, risk in expected
    ]


def test_a_dscp_that_leaves_its_class_is_shown_with_the_one_that_comes():
    """Best effort, 0, is what all others have."""
    live = {"dscp_to_priority": {"10": 0, "26": 3, "48": 6}}
    wanted = {"dscp_to_priority": {"24": 3, "48": 6}}
    (change,) = settings_apart({"eth1": live}, {"eth1": wanted})
    assert (change.before, change.after) == ('{"26": 3, "48": 6}', '{"24": 3, "48": 6}')


def test_nic_that_cannot_be_read_differs_in_everything():
    for live in ({}, {"eth1": {"qos": "unknown: no PFC"}}):
        found = {change.path for change in settings_apart(live, {"eth1": EXPECTED})}
        assert found == {f"eth1 {setting}" for setting in EXPECTED}


def running(nic, files=(), interface="eth1"):
    return Running("gpu1", "host", {"nics": {interface: nic}}, "", None, dict.fromkeys(files, "x"))


QOS = (
    "mlnx_qos -i eth1 --pfc 0,0,0,1,0,0,0,0 --dcbx os --trust dscp "
    "--cable_len 5 --prio_tc 0,1,2,3,4,5,6,7 --tsa ets,ets,ets,ets,ets,ets,ets,strict "
    "--tcbw 50,0,0,50,0,0,0,0"
)
PAIRS = "mlnx_qos -i eth1 --dscp2prio set,26,3 --dscp2prio set,48,6"
MTU = "ip link set dev eth1 mtu 9000"
CNP = "sh -c 'echo 48 > /sys/class/net/eth1/ecn/roce_np/cnp_dscp'"
TCLASS = "sh -c 'echo 104 > /sys/class/infiniband/mlx5_1/tc/1/traffic_class'"
ADDRESS = "ip addr replace 10.64.0.2/24 dev eth1"
RESTORE = {
    "all": ({}, [QOS, PAIRS, MTU, ADDRESS, CNP, TCLASS]),
    "trust was pcp": (
        {"trust": "pcp", "dscp_to_priority": {}},
        [QOS.replace("trust dscp", "trust pcp"), MTU, ADDRESS, CNP, TCLASS],
    ),
    "trust was unknown": (
        {"trust": "unknown"},
        [QOS.replace(" --trust dscp", ""), MTU, ADDRESS, CNP, TCLASS],
    ),
    "algorithm unknown to the tool": (
        {"tsa": {**NIC["tsa"], "4": "unknown"}},
        [QOS.partition(" --tsa")[0], PAIRS, MTU, ADDRESS, CNP, TCLASS],
    ),
    "no cable length": (
        {"cable_m": None},
        [QOS.replace(" --cable_len 5", ""), PAIRS, MTU, ADDRESS, CNP, TCLASS],
    ),
    "no traffic class": (
        {"traffic_class_dscp": None},
        [QOS, PAIRS, MTU, ADDRESS, CNP, TCLASS.replace("104", "-1")],
    ),
    "driver offers neither": (
        {"traffic_class_dscp": UNAVAILABLE, "cnp_dscp": UNAVAILABLE},
        [QOS, PAIRS, MTU, ADDRESS],
    ),
    "hostile RDMA device": (
        {"rdma_device": "mlx5_1/../../x;reboot"},
        [QOS, PAIRS, MTU, ADDRESS, CNP],
    ),
    "hostile address": ({"addresses": ["10.0.0.1/24; reboot"]}, [QOS, PAIRS, MTU, CNP, TCLASS]),
    "nothing known of QoS": (
        {"trust": None},
        [QOS.replace(" --trust dscp", ""), MTU, ADDRESS, CNP, TCLASS],
    ),
}


@pytest.mark.parametrize("name", RESTORE)
def test_commands_of_the_way_back(name):
    changed, commands = RESTORE[name]
    found = restore_commands(running({**NIC, **changed}), {"eth1": {}})
    assert found == commands


def test_new_address_goes_away_with_its_rule():
    now = {"eth1": {"addresses": ["10.64.0.9/24", "10.64.0.2/24", "x; reboot"]}}
    found = restore_commands(running(NIC, [NETPLAN]), now)
    assert found[0] == "netplan apply"
    assert "ip addr del 10.64.0.9/24 dev eth1 || true" in found
    assert "ip rule del from 10.64.0.9 || true" in found
    assert not [command for command in found if "reboot" in command or "replace" in command]


OLD_SYSCTL = "/etc/sysctl.d/90-rocefab.conf"
NETWORKD_FILE = f"{NETWORKD}eth1.network"
PROFILE = f"{PROFILES}eth1.nmconnection"
STACKS = {
    "netplan": ([NETPLAN], [], ["netplan apply", "sleep 1", "networkctl reload || true"]),
    "networkd": ([NETWORKD_FILE], [], ["networkctl reload"]),
    "networkd is new": ([], [NETWORKD_FILE], ["networkctl reload"]),
    "profile": ([PROFILE], [], ["nmcli connection reload", "nmcli connection up id rocefab-eth1"]),
    "profile is new": ([], [PROFILE], ["nmcli connection reload"]),
    "hostile profile": ([f"{PROFILES}x;y.nmconnection"], [], ["nmcli connection reload"]),
}


@pytest.mark.parametrize("name", STACKS)
def test_network_stack_reads_its_files_again(name):
    files, paths, commands = STACKS[name]
    found = restore_commands(running({**NIC, "addresses": []}, files), {"eth1": {}}, paths)
    assert found[: len(commands)] == commands
    assert found[len(commands)].startswith("mlnx_qos")


DCB_NIC = {
    **NIC,
    "reader": "dcb",
    "cnp_dscp": UNAVAILABLE,
    "traffic_class_dscp": UNAVAILABLE,
    "cable_m": 30,
}
DCBX = "dcb dcbx set dev eth1 host ieee"
FLUSH = "dcb app flush dev eth1 dscp-prio"
REPLACE = "dcb app replace dev eth1 dscp-prio 26:3 48:6"
ETS = (
    "dcb ets set dev eth1 willing off prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 "
    "tc-tsa 0:ets 1:ets 2:ets 3:ets 4:ets 5:ets 6:ets 7:strict "
    "tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0"
)
PFC = "dcb pfc set dev eth1 prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off delay 30"
BY_DCB = {
    "all": ({}, [DCBX, FLUSH, REPLACE, ETS, PFC]),
    "firmware had DCBX": ({"dcbx": "fw"}, ["dcb dcbx set dev eth1 ieee", FLUSH, REPLACE, ETS, PFC]),
    "trust was pcp": ({"dscp_to_priority": {}}, [DCBX, FLUSH, ETS, PFC]),
    "unknown algorithm": ({"tsa": {**NIC["tsa"], "4": "cbs"}}, [DCBX, FLUSH, REPLACE, PFC]),
}


@pytest.mark.parametrize("name", BY_DCB)
def test_commands_of_the_way_back_by_dcb(name):
    changed, commands = BY_DCB[name]
    found = restore_commands(running({**DCB_NIC, **changed}), {"eth1": {}})
    assert found == [*commands, MTU, ADDRESS]


def test_a_nic_that_only_ip_knows_gets_its_addresses_back():
    nic = {key: DCB_NIC[key] for key in ("mtu_bytes", "addresses", "table", "rdma_device")}
    nic |= {"reader": "ip", "cnp_dscp": UNAVAILABLE, "traffic_class_dscp": UNAVAILABLE}
    assert restore_commands(running(nic), {"eth1": {}}) == [MTU, ADDRESS]


@pytest.mark.parametrize(
    ("reader", "subjects"),
    [
        ("mlnx_qos", ["qos:eth1", "cnp:eth1", "tc:mlx5_1"]),
        ("dcb", ["dcb_pfc:eth1", "dcb_ets:eth1", "dcb_app:eth1", "dcb_dcbx:eth1"]),
        ("ip", ["ip:eth1"]),
    ],
)
def test_what_is_read_depends_on_the_driver(reader, subjects):
    state = {"reader": reader, "rdma_devices": {"eth1": "mlx5_1"}, "nics": {"eth1": {}}}
    made = Artefact("gpu1", "host", "expected-state", "hosts/gpu1/x", json.dumps(state).encode())
    others = ["owners:eth1", "services"]
    assert HostAdapter().subjects([made]) == ["addresses", "rules", "rdma", *others, *subjects]


@pytest.mark.parametrize(("reader", "subject"), [("mlnx_qos", "ecn:eth1"), ("dcb", "cc:eth1")])
def test_parameters_are_read_where_they_are_told(reader, subject):
    nics = {"eth1": {"dcqcn": SET}}
    state = {"reader": reader, "rdma_devices": {"eth1": "mlx5_1"}, "nics": nics}
    made = Artefact("gpu1", "host", "expected-state", "hosts/gpu1/x", json.dumps(state).encode())
    assert HostAdapter().subjects([made])[-1] == subject


def test_files_of_another_stack_are_looked_for_and_removed():
    state = {"reader": "ip", "rdma_devices": {"eth1": "mlx5_1"}, "nics": {"eth1": {}}}
    made = [
        Artefact("gpu1", "host", "expected-state", "hosts/gpu1/x", json.dumps(state).encode()),
        Artefact("gpu1", "host", "networkd", f"hosts/gpu1/rootfs{NETWORKD_FILE}", b"x"),
    ]
    adapter = HostAdapter()
    assert adapter.files(made) == [NETWORKD_FILE, OLD_SYSCTL, NETPLAN, PROFILE]
    now = running({**NIC, "reader": "ip"}, [NETWORKD_FILE, PROFILE])
    draft = adapter.draft(now, made, None)
    assert draft.candidate.remove == (PROFILE,)
    assert draft.candidate.activate == (APPLY,)
    assert [(change.path, change.risk) for change in draft.changes] == [(PROFILE, Risk.BRIEF_LOSS)]


#: What a file of addresses has before and after, and what that does to traffic.
NETWORKS = {
    "a NIC comes": ("a: 1", "a: 1\nb: 2", Risk.HARMLESS),
    "a NIC goes": ("a: 1\nb: 2", "a: 1", Risk.BRIEF_LOSS),
    "another address": ("a: 1", "a: 2", Risk.BRIEF_LOSS),
    "a comment goes": ("# old\na: 1", "  a: 1", Risk.HARMLESS),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_risk_of_files_of_addresses(name):
    old, new, risk = NETWORKS[name]
    state = {"reader": "ip", "rdma_devices": {}, "nics": {}}
    artefacts = [
        Artefact("gpu1", "host", "expected-state", "hosts/gpu1/x", json.dumps(state).encode()),
        Artefact("gpu1", "host", "netplan", f"hosts/gpu1/rootfs{NETPLAN}", new.encode()),
    ]
    now = dataclasses.replace(running(NIC), files={NETPLAN: old})
    (change,) = HostAdapter().draft(now, artefacts, None).changes
    assert (change.path, change.risk) == (NETPLAN, risk)


@pytest.mark.fault(20)
def test_hostile_interface_of_a_kept_state_gives_no_command():
    assert restore_commands(running(NIC, interface="eth1;reboot"), {}) == []


def test_modes_and_paths_of_files():
    adapter, before, now = HostAdapter(), running(NIC, [APPLY, NETPLAN]), running(NIC, ["/new"])
    back = adapter.restore(before, now)
    assert {file.path: file.mode for file in back.files} == {APPLY: 0o755, NETPLAN: 0o600}
    assert back.remove == ("/new",)
    other = running({**NIC, "mtu_bytes": 1500}, [APPLY, NETPLAN])
    assert adapter.apart(before, other) == {"eth1 mtu_bytes"}
    assert adapter.apart(before, now) == {APPLY, NETPLAN, "/new"}


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    project = Project(labs.write_inventory(tmp_path_factory.mktemp("inventory")))
    return project.hosts[labs.HOST]


def script(design, interface, device):
    nics = tuple(
        dataclasses.replace(nic, interface=interface, rdma_device=device) for nic in design.nics
    )
    artefacts = render_host(dataclasses.replace(design, nics=nics))
    return next(item for item in artefacts if item.path.endswith("apply.sh")).text


ACCEPTED = TypeAdapter(Interface)
CHARACTERS = st.sampled_from("ab09_.-@:/$`\\\"' ;&|\n")
HOSTILE = st.text(CHARACTERS, min_size=1, max_size=15)


def is_accepted(text):
    try:
        ACCEPTED.validate_python(text)
    except ValidationError:
        return False
    return True


@given(HOSTILE | st.from_regex(r"[A-Za-z0-9_.-]{1,15}", fullmatch=True), HOSTILE)
@examples(150)
@pytest.mark.fault(20)
def test_accepted_names_stay_single_words_in_the_script(design, interface, device):
    if not is_accepted(interface):
        interface = "eth1"
    if not is_accepted(device):
        device = "mlx5_1"
    words = shlex.split(script(design, interface, device), comments=True)
    plain = shlex.split(script(design, "IFACE", "DEVICE"), comments=True)
    assert interface[0].isalnum()  # no name is an option
    assert device[0].isalnum()
    unit = interface.replace("-", "\\x2d")
    assert words == [
        word
        .replace("rocefab-nic@IFACE", f"rocefab-nic@{unit}")
        .replace("IFACE", interface)
        .replace("DEVICE", device)
        for word in plain
    ]


def test_the_adapter_sees_the_files_of_the_artefacts():
    made = Artefact("gpu1", "host", "netplan", f"hosts/gpu1/rootfs{NETPLAN}", b"x")
    assert HostAdapter().files([made]) == [NETPLAN, OLD_SYSCTL]


def test_of_dscps_that_run_only_those_of_our_classes_are_shown() -> None:
    """A NIC maps all others, too: eight to each priority."""
    running = {str(dscp): dscp // 8 for dscp in range(8, 64)}
    planned = {"24": 3, "26": 0, "48": 6}
    (change,) = settings_apart(
        {"eth1": {"dscp_to_priority": running}}, {"eth1": {"dscp_to_priority": planned}}
    )
    before = json.loads(change.before)
    assert {*before.values()} == {3, 6}
    assert (len(before), before["26"], json.loads(change.after)) == (16, 3, planned)
