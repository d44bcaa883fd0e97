"""The Cumulus Linux switch of the lab: strict, stateful, with revisions and a commit timer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.systems.cumulus.lab.config import LineError, change, commands, complaints
from fabric.systems.cumulus.platforms.lines import read, split
from fabric.systems.cumulus.platforms.words import words
from tests.cases import each
from tests.lab.conftest import PASSWORD, execute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORDS = words("5.14")
START = """\
nv set system hostname leaf01
nv set system aaa user cumulus hashed-password '$6$salt$hash'
nv set interface eth0 type eth
nv set interface eth0 ip address dhcp
nv set interface swp1-2 type swp
nv set interface swp1-2 link state up
nv set interface swp1 ip address 10.1.1.1/31
nv set router bgp enable on
nv set router bgp autonomous-system 65101
nv set vrf default router bgp enable on
nv set vrf default router bgp neighbor 10.1.1.0 remote-as 65200
nv set vrf default router bgp neighbor 10.1.1.0 type numbered
nv set qos roce enable on
nv set qos roce mode lossless
"""


@pytest.fixture
def running() -> Iterator[Lab]:
    spec = StandInSpec(
        name="leaf01",
        platform="cumulus",
        username="cumulus",
        password=PASSWORD,
        mac="52:54:00:00:00:01",
        serial="MT0001",
        model="SN4700",
        running=START,
        neighbours=(Neighbour("swp1", "spine01", "swp1", "52:54:00:00:01:01"),),
        options={"ports": "swp1,swp2,swp3"},
    )
    with Lab([spec]) as made:
        yield made


@pytest.fixture
def leaf(running: Lab) -> Any:
    return running["leaf01"]


@pytest.fixture
def nv(leaf: Any, connect: Callable[[Any], Any]) -> Callable[[str], str]:
    """Return a function that runs a command and returns its output, which must be a success."""
    client = connect(leaf)

    def run(command: str) -> str:
        out, err, code = execute(client, command)
        assert code == 0, (command, out, err)
        return out

    return run


def refused(leaf: Any, connect: Callable[[Any], Any], command: str) -> str:
    out, err, code = execute(connect(leaf), command)
    assert code != 0, (command, out)
    return out + err


def after(*lines: str, start: str = START) -> set[tuple[str, ...]]:
    config = read(start)
    for line in lines:
        _, verb, *rest = split(line)
        config = change(config, verb, rest, WORDS)
    return config


REFUSED = [
    "nv set system hostnam leaf01",
    "nv set system hostname leaf_01",
    "nv set interface Ethernet0 link state up",
    "nv set interface swp1 link mtu 9217",
    "nv set interface swp1 link mtu 551",
    "nv set interface swp1 link mtu",
    "nv set interface swp1 link fec auto",
    "nv set interface swp1 link speed 300G",
    "nv set interface swp1 ipv4 address 10.0.0.1/31",
    "nv set interface swp1 ip address 10.0.0.1",
    "nv set bridge domain br_default vlan 4095",
    "nv set bridge domain br_default ageing 65536",
    "nv set router bgp state enabled",
    "nv set router bgp autonomous-system 4294967296",
    "nv set vrf default router bgp address-family ipv4-unicast multipaths ebgp 129",
    "nv set vrf default router bgp neighbor 10.0.0.1 timers hold 2",
    "nv set qos roce mode full",
    "nv set qos mapping default-global dscp 64 switch-priority 3",
    "nv set qos mapping default-global dscp 26 switch-priority 8",
    "nv set qos congestion-control default-global traffic-class 3 probability 101",
    "nv set qos pfc-watchdog polling-interval 99",
    "nv set qos pfc-watchdog robustness 0",
    "nv set qos advance-buffer-config default-global ingress-lossless-buffer shared-alpha alpha_3",
    "nv set system global arp base-reachable-time 29",
    "nv set interface swp1 qos pfc-watchdog state on",
    "nv unset interface swp1 lnk",
    "nv set router",
    "nv set hostname leaf01",
]


@each("line", REFUSED)
def test_a_line_outside_the_tree_is_refused(line: str) -> None:
    with pytest.raises(LineError, match="Error"):
        after(line)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("nv set qos roce mode lossy", "nv set qos roce mode lossy"),
        ("nv set interface swp3 link state up", "nv set interface swp3 type swp"),
        ("nv set interface vlan9 ip address 10.0.0.1/24", "nv set interface vlan9 vlan 9"),
        (
            "nv set interface swp1 qos pfc-watchdog",
            "nv set interface swp1 qos pfc-watchdog state enable",
        ),
        (
            "nv set vrf default router bgp neighbor swp2 remote-as external",
            "nv set vrf default router bgp neighbor swp2 type unnumbered",
        ),
    ],
)
def test_what_comes_along_with_a_line(line: str, wanted: str) -> None:
    assert read(wanted) <= after(line)


def test_a_value_is_replaced_and_a_branch_goes_whole() -> None:
    config = after("nv set interface swp1 link mtu 9100", "nv set interface swp1 link mtu 9000")
    assert [path[-1] for path in config if path[-2] == "mtu"] == ["9000"]
    config = after("nv unset interface swp1", "nv unset interface swp3", "nv unset qos")
    assert not [path for path in config if path[1] == "swp1" or path[0] == "qos"]
    assert after("nv unset qos roce", "nv set qos roce") == read(START)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["nv unset router bgp autonomous-system"], "autonomous-system is required"),
        (
            ["nv set interface swp1 qos pfc-watchdog", "nv set qos roce mode lossy"],
            "swp1.qos.pfc-watchdog: PFC is not configured",
        ),
        (["nv set bridge domain br_default vlan 3800"], "3800 is reserved"),
        (
            [
                f"nv set qos egress-scheduler default-global traffic-class {n} bw-percent 51"
                for n in (0, 3)
            ],
            "bw-percent is above 100",
        ),
    ],
)
def test_what_apply_finds_invalid(lines: list[str], text: str) -> None:
    assert any(text in complaint for complaint in complaints(after(*lines), WORDS))
    assert not list(complaints(read(START), WORDS))


def test_commands_are_joined_and_secrets_masked() -> None:
    config = after(
        "nv set interface swp3,swp5 link state up",
        "nv set bridge domain br_default vlan 101-103,7",
        "nv set interface lo description 'two words'",
    )
    text = commands(config)
    for line in (
        "nv set bridge domain br_default vlan 7,101-103",
        "nv set interface swp1-3,5 link state up",
        "nv set interface swp1 ip address 10.1.1.1/31",
        "nv set interface lo description 'two words'",
        "nv set system aaa user cumulus hashed-password '*'",
    ):
        assert f"{line}\n" in text
    masked = {(*p[:-1], "*") if "hashed-password" in p else p for p in config}
    assert read(text) == masked


def test_nothing_happens_before_apply(leaf: Any, nv: Callable[[str], str]) -> None:
    assert nv("nv set interface swp3 link state up").strip() == "updated [rev_id: 2]"
    assert "swp3" not in nv("nv config show -o commands")
    assert nv("nv config diff applied pending -o commands") == (
        "nv set interface swp3 link state up\nnv set interface swp3 type swp\n"
    )
    assert nv("nv config apply -y") == "applied [rev_id: 2]\n"
    assert leaf.link_up("swp3")
    assert nv("nv config diff startup applied -o commands") == ""
    states = json.loads(nv("nv config revision -o json"))
    assert states == {"1": {"state": "inactive"}, "2": {"state": "applied"}}
    assert nv("nv config apply 1 -y") == "applied [rev_id: 1]\n"
    assert not leaf.link_up("swp3")


def test_a_patch_is_all_or_nothing(
    leaf: Any, nv: Callable[[str], str], connect: Callable[[Any], Any]
) -> None:
    nv("printf 'nv set system hostname a\\nnv set interface swp1 link mtu 1\\n' > /tmp/p")
    assert "Invalid parameter '1'" in refused(leaf, connect, "nv config patch /tmp/p")
    nv("printf 'nv set system hostname a\\nnv unset qos\\n' > /tmp/p")
    assert "not both" in refused(leaf, connect, "nv config patch /tmp/p")
    nv("printf 'reboot\\n' > /tmp/p")
    assert "lines of nv set" in refused(leaf, connect, "nv config patch /tmp/p")
    assert "No such file" in refused(leaf, connect, "nv config patch /tmp/q")
    assert nv("nv config diff applied pending -o commands") == ""
    nv("printf 'nv set system hostname a\\n' > /tmp/p")
    assert nv("nv config patch /tmp/p") == "updated [rev_id: 2]\n"
    nv("nv config detach")
    assert nv("nv config patch /tmp/p") == "created [rev_id: 3]\n"


def test_invalid_configuration_is_not_applied(
    leaf: Any, nv: Callable[[str], str], connect: Callable[[Any], Any]
) -> None:
    nv("nv set bridge domain br_default vlan 4000")
    assert refused(leaf, connect, "nv config apply -y").startswith("Invalid config [rev_id: 2]\n")
    assert leaf.applied_revision == 1
    nv("nv unset bridge domain br_default")
    assert "Are you sure?" in refused(leaf, connect, "nv config apply")


@pytest.mark.parametrize(("time", "seconds"), [("30s", 30), ("2m", 120), ("3", 180), ("", 600)])
def test_the_timer_goes_back(
    running: Lab, leaf: Any, nv: Callable[[str], str], time: str, seconds: int
) -> None:
    nv("nv set system hostname other")
    nv(f"nv config apply --confirm {time} -y")
    assert json.loads(nv("nv config revision -o json"))["2"] == {"state": "confirm"}
    assert nv("hostname") == "other\n"
    assert leaf.startup != leaf.applied
    running.clock.advance(seconds - 5)
    assert leaf.hostname() == "other"
    running.clock.advance(10)
    assert leaf.hostname() == "leaf01"
    assert json.loads(nv("nv config revision -o json"))["2"] == {"state": "inactive"}


def test_confirm_keeps_and_saves(
    running: Lab, leaf: Any, nv: Callable[[str], str], connect: Callable[[Any], Any]
) -> None:
    nv("nv set system hostname other")
    nv("nv config apply --confirm 1m -y")
    nv("nv set system hostname third")
    assert "waits for its confirmation" in refused(leaf, connect, "nv config apply -y")
    assert refused(leaf, connect, "nv config apply 7 --confirm-yes")
    nv("nv config apply 2 --confirm-yes")
    running.clock.advance(120)
    assert leaf.hostname() == "other"
    assert leaf.startup == leaf.applied
    assert refused(leaf, connect, "nv config apply --confirm-no")


def test_without_auto_save_the_startup_is_old(leaf: Any, nv: Callable[[str], str]) -> None:
    nv("nv set system config auto-save enable off")
    nv("nv set system hostname other")
    nv("nv config apply -y")
    assert "hostname other" in nv("nv config diff startup applied -o commands")
    nv("nv config save")
    assert nv("nv config diff startup applied -o commands") == ""
    assert leaf.startup == leaf.applied


def test_a_reboot_drops_what_is_not_confirmed(leaf: Any, nv: Callable[[str], str]) -> None:
    nv("nv set system hostname other")
    nv("nv config apply --confirm 10m -y")
    leaf.on_reboot()
    assert leaf.hostname() == "leaf01"
    assert leaf.confirming is None
    assert leaf.applied == read(START)


def test_bgp_follows_the_wires(running: Lab, leaf: Any, nv: Callable[[str], str]) -> None:
    def state() -> str:
        text = nv("sudo vtysh -c 'show ip bgp summary json'")
        return str(json.loads(text)["ipv4Unicast"]["peers"]["10.1.1.0"]["state"])

    assert state() == "Established"
    leaf.unplugged.add("swp1")
    assert state() == "Active"
    leaf.unplugged.clear()
    leaf.watch_bgp(lambda peer: peer != "10.1.1.0")
    assert state() == "Active"
    leaf.watch_bgp(lambda _peer: True)
    leaf.hand_edit("nv set router bgp autonomous-system 65102")
    assert state() == "Active"
    running.clock.advance(2)
    assert state() == "Established"


def test_root_is_needed_where_the_system_needs_it(leaf: Any, connect: Callable[[Any], Any]) -> None:
    search = "PATH=$PATH:/usr/sbin; "
    for command in ("decode-syseeprom", f"{search}lldpcli show neighbors -f json"):
        assert "denied" in refused(leaf, connect, command)
    assert refused(leaf, connect, "nv show version")
    assert refused(leaf, connect, "nv config replace /tmp/x")


def test_faults_in_a_patch(
    leaf: Any, nv: Callable[[str], str], connect: Callable[[Any], Any]
) -> None:
    nv("printf 'nv set system hostname a\\nnv set interface lo description x\\n' > /tmp/p")
    leaf.faults.add(Fault("refuse_line", pattern="lo description"))
    assert "Invalid parameter" in refused(leaf, connect, "nv config patch /tmp/p")
    leaf.faults.clear()
    nv("nv config detach")
    leaf.faults.add(Fault("accept_part", pattern="patch", count=1))
    nv("nv config patch /tmp/p")
    assert nv("nv config diff applied pending -o commands") == (
        "nv unset system hostname leaf01\nnv set system hostname a\n"
    )
