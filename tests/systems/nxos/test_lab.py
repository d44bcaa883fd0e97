"""The NX-OS stand-in as NAPALM's own driver meets it: state, strictness, faults."""

from __future__ import annotations

import time

import pytest
from napalm import get_network_driver
from napalm.base.exceptions import ConnectionException, MergeConfigException
from napalm.nxapi_plumbing import NXAPICommandError, NXAPIConnectionError

from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.lines.tree import Section
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.systems.nxos.lab.config import (
    Editor,
    LineRefusedError,
    feed_text,
    read_text,
    text_lines,
)
from tests.cases import each
from tests.waiting import LONGEST_S

PASSWORD = "lab-Passw0rd"
PORTS = ("Ethernet1/1", "Ethernet1/2", "Ethernet1/3")
RUNNING = """\
hostname leaf1
feature nxapi
feature scheduler
feature bgp
feature lldp
feature interface-vlan
username admin password 5 $5$hash role network-admin
vlan 1,101
vlan 101
  name RAIL0
interface Ethernet1/1
  no switchport
  ip address 10.0.0.1/31
  no shutdown
interface mgmt0
  vrf member management
  ip address 192.0.2.2/24
router bgp 65001
  neighbor 10.0.0.0
    remote-as 65002
    address-family ipv4 unicast
"""


@pytest.fixture
def lab():
    spec = StandInSpec(
        name="leaf1",
        platform="nxos",
        username="admin",
        password=PASSWORD,
        mac="02:00:00:00:00:01",
        serial="FDO1",
        model="N9K-C9332D-GX2B",
        running=RUNNING,
        neighbours=(Neighbour("Ethernet1/1", "spine1", "Ethernet1/7"),),
        options={"ports": ",".join(PORTS)},
    )
    with Lab([spec]) as running:
        yield running


@pytest.fixture
def leaf(lab):
    return lab["leaf1"]


def opened(leaf, password=PASSWORD, timeout=60):
    kind = get_network_driver("nxos")
    driver = kind(leaf.address, "admin", password, timeout, {"port": leaf.port})
    driver.open()
    return driver


@pytest.fixture
def driver(leaf):
    found = opened(leaf)
    yield found
    found.close()


def test_a_queuing_policy_has_one_direction() -> None:
    """Egress classes do not go into an input policy, nor the other way round."""
    text = "policy-map type queuing A\n  class type queuing %s\nsystem qos\n"
    read_text(text % "c-in-q3" + "  service-policy type queuing input A\n", [])
    for name, direction in (("c-in-q3", "output"), ("c-out-8q-q3", "input")):
        with pytest.raises(ValueError, match="has classes of the other direction"):
            read_text(text % name + f"  service-policy type queuing {direction} A\n", [])


def test_facts(driver):
    facts = driver.get_facts()
    assert (facts["hostname"], facts["serial_number"]) == ("leaf1", "FDO1")
    assert facts["model"] == "Nexus9000 C9332D-GX2B Chassis"
    assert facts["interface_list"][:3] == ["Ethernet1/1", "Ethernet1/2", "Ethernet1/3"]


def test_neighbours_and_interfaces(driver, leaf):
    peers = driver.get_bgp_neighbors()["global"]["peers"]
    assert peers["10.0.0.0"]["is_up"] is True
    leaf.watch_bgp(lambda _address: False)
    assert driver.get_bgp_neighbors()["global"]["peers"]["10.0.0.0"]["is_up"] is False
    assert driver.get_interfaces()["Ethernet1/2"]["is_up"] is False
    assert driver.get_interfaces()["Ethernet1/1"]["is_up"] is True


def test_configurations(driver, leaf):
    texts = driver.get_config()
    assert "hostname leaf1" in texts["running"]
    leaf.hand_edit("hostname other")
    texts = driver.get_config()
    assert "hostname other" in texts["running"]
    assert "hostname leaf1" in texts["startup"]


def test_merge_of_napalm_saves_at_once(driver, leaf):
    """Why the driver of rocefab does not use it."""
    driver.load_merge_candidate(config="interface Ethernet1/2\n  description new\n")
    driver.commit_config()
    assert "description new" in leaf.startup_text
    driver.rollback()
    assert "description new" not in leaf.running_text


def test_refused_merge_of_napalm_goes_back(driver, leaf):
    before = leaf.running_text
    driver.load_merge_candidate(config="interface Ethernet1/2\n  description new\n  nonsense\n")
    with pytest.raises(MergeConfigException, match="Invalid command"):
        driver.commit_config()
    assert leaf.running_text == before


def test_wrong_password(leaf):
    with pytest.raises(ConnectionException):
        opened(leaf, "wrong")


def test_batch_ends_at_the_first_error(driver, leaf):
    lines = ["interface Ethernet1/2", "description a", "nonsense", "description b"]
    with pytest.raises(NXAPICommandError, match="% Invalid command"):
        driver.device.config_list(lines)
    assert "  description a\n" in leaf.running_text


def test_without_nxapi_nobody_connects(driver, leaf):
    driver.device.config_list(["no feature nxapi"])
    with pytest.raises(Exception, match=r"Connection|aborted|EOF"):
        driver.device.show("show hostname")
    leaf.hand_edit("feature nxapi")
    assert driver.device.show("show hostname") == {"hostname": "leaf1"}


# -- The configuration.


def show(root):
    return "\n".join([*text_lines(root), ""])


def edited(text, base=RUNNING):
    root = read_text(base, PORTS)
    feed_text(Editor(root, PORTS), text)
    return show(root)


def test_what_is_shown_reads_back_the_same():
    shown = show(read_text(RUNNING, PORTS))
    assert show(read_text(shown, PORTS)) == shown
    assert "\nvlan 1,101\nvlan 101\n  name RAIL0\n" in shown


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ("mac address-table aging-time 1800", "mac address-table"),
        ("interface Ethernet1/2\nswitchport", "switchport\n"),
        ("interface Ethernet1/2\nmtu 1500", "mtu"),
        ("interface Vlan101\nip arp timeout 1500", "arp"),
        ("priority-flow-control watch-dog-interval off", "watch-dog"),
    ],
)
def test_defaults_are_not_shown(edit, line):
    assert line not in edited(edit).replace("no switchport\n", "")


def test_routed_port_shows_that_it_is_up():
    assert "  no shutdown\n" in edited("interface Ethernet1/2\nno switchport")
    assert edited("interface Ethernet1/2\nno shutdown").count("no shutdown") == 1


def test_a_port_that_changes_its_layer_loses_what_it_had():
    text = "interface Ethernet1/2\ndescription x\nswitchport access vlan 5\nmtu 9216\nno switchport"
    after = edited(text)
    port = after.partition("interface Ethernet1/2\n")[2].partition("\n\n")[0]
    assert port == "  description x\n  no switchport\n  no shutdown"


POLICY = (
    "class-map type qos match-any ROCE\nmatch dscp 26\npolicy-map type qos ROCE-IN\nclass ROCE\n"
    "set qos-group 3\npolicy-map type queuing OUT\nclass type queuing c-out-8q-q3\n"
    "bandwidth remaining percent 60\ninterface Ethernet1/2\nservice-policy type qos input ROCE-IN"
)
QUEUE = "policy-map type queuing X\nclass type queuing c-out-8q-q3"
OTHER_QUEUE = "policy-map type queuing OUT\nclass type queuing c-out-8q-q1"
TWO_UNITS = (
    "random-detect minimum-threshold 150 kbytes maximum-threshold 3000 bytes drop-probability 7 "
    "weight 0 ecn"
)
REFUSED = [
    "feature qos",
    "hardware qos ecn on",
    "priority-flow-control watch-dog-interval 100",
    "congestion-control ecn",
    "interface Ethernet1/9",
    "no interface Ethernet1/1",
    "interface Ethernet1/2\nip address 10.9.0.1/31",
    "interface Ethernet1/1\nswitchport access vlan 5",
    "interface Ethernet1/2\nmtu 9000",
    "interface Ethernet1/2\nmtu 9217",
    "interface Ethernet1/2\nspeed 400g",
    "interface Ethernet1/2\nfec off",
    "interface Ethernet1/2\nservice-policy type qos input NONE",
    "interface Ethernet1/2\nno switchport\nip address 10.0.0.0/31",
    "interface Ethernet1/2\nbfd interval 300 min_rx 300 multiplier 3",
    "class-map type queuing X",
    "policy-map type qos X\nclass UNKNOWN",
    "policy-map type network-qos X\nclass type network-qos c-out-8q-q3",
    "policy-map type network-qos X\nclass type network-qos c-8q-nq3\npause no-drop",
    "policy-map type queuing X\nclass type queuing c-8q-nq3",
    "policy-map type queuing X\nclass type queuing c-out-8q-q3\nrandom-detect ecn",
    f"{QUEUE}\n{TWO_UNITS}",
    "policy-map type queuing X\nclass type queuing c-out-8q-q3\npause no-drop",
    f"{POLICY}\nno policy-map type qos ROCE-IN",
    f"{POLICY}\nno class-map type qos match-any ROCE",
    f"{POLICY}\n{OTHER_QUEUE}\nbandwidth remaining percent 41",
    "mac address-table aging-time 119",
    "router bgp 65009",
    "router bgp 65001\nmaximum-paths 64",
    "router bgp 65001\nneighbor loopback0",
    "router bgp 65001\naddress-family ipv4 unicast\nredistribute direct",
    "router bgp 65001\naddress-family ipv4 unicast\nmaximum-paths 513",
    "no feature nothing",
    "reload",
]


@each("text", REFUSED)
def test_refused(text):
    with pytest.raises(ValueError, match=r"% Invalid command|ERROR: "):
        edited(text)


def test_what_needs_a_feature_comes_and_goes_with_it():
    without = edited("no feature bgp")
    assert "router bgp" not in without
    with pytest.raises(ValueError, match="% Invalid command"):
        edited("no feature bgp\nrouter bgp 65001")


def test_breakout():
    broken = edited(
        "interface breakout module 1 port 2 map 100g-2x\ninterface Ethernet1/2/2\nshutdown"
    )
    assert "interface Ethernet1/2/1\n" in broken
    assert "interface Ethernet1/2/2\n  shutdown\n" in broken
    assert "interface Ethernet1/2\n" not in broken
    assert show(read_text(broken, PORTS)) == broken
    whole = "no interface breakout module 1 port 2 map 100g-2x"
    assert edited(whole, broken) == show(read_text(RUNNING, PORTS))
    for text in ("interface Ethernet1/2", "interface Ethernet1/2/3", "interface Ethernet1/1/1"):
        with pytest.raises(ValueError, match="Invalid interface"):
            edited(text, broken)


def test_refusal_in_the_words_of_the_switch():
    with pytest.raises(LineRefusedError, match=r"^% Invalid command\n$"):
        Editor(Section(), PORTS).feed("nonsense")


# -- Checkpoints and the scheduler.


def say(driver, command):
    return driver.device.show(command, raw_text=True)


def test_checkpoints(driver):
    say(driver, "checkpoint one")
    with pytest.raises(NXAPICommandError, match="already exists"):
        say(driver, "checkpoint one")
    with pytest.raises(NXAPICommandError, match="invalid checkpoint name"):
        say(driver, "checkpoint system-x")
    driver.device.config_list(["hostname other"])
    assert "hostname other" in say(driver, "show diff rollback-patch checkpoint one running-config")
    assert "completed" in say(driver, "rollback running-config checkpoint one")
    same = say(driver, "show diff rollback-patch checkpoint one running-config")
    assert "Rollback Patch is Empty" in same
    assert "Rollback failed." in say(driver, "rollback running-config checkpoint none")
    for number in range(9):
        say(driver, f"checkpoint more-{number}")
    with pytest.raises(NXAPICommandError, match="maximum number"):
        say(driver, "checkpoint eleven")


JOB = [
    "scheduler job name back",
    "rollback running-config checkpoint one",
    "exit",
    "scheduler schedule name back",
    "job name back",
    "time start +00:00:02",
]


def test_schedule_runs_once(driver, lab, leaf):
    driver.device.config_list(JOB)
    say(driver, "checkpoint one")
    driver.device.config_list(["hostname other"])
    assert "Yet to be executed" in say(driver, "show scheduler schedule")
    lab.clock.advance(121)
    assert "hostname leaf1" in leaf.running_text
    assert "Yet to be executed" not in say(driver, "show scheduler schedule")
    leaf.hand_edit("hostname again")
    lab.clock.advance(100_000)
    assert "hostname again" in leaf.running_text


def test_schedule_that_is_taken_away_does_not_run(driver, lab, leaf):
    driver.device.config_list(JOB)
    say(driver, "checkpoint one")
    driver.device.config_list(["hostname other", "no scheduler schedule name back"])
    lab.clock.advance(121)
    assert "hostname other" in leaf.running_text


def test_a_job_is_text_up_to_its_end():
    text = "scheduler job name x\nhostname other\nend-job\nhostname this"
    shown = edited(text)
    assert "scheduler job name x\nhostname other\n\nend-job\n" in shown
    assert shown.startswith("hostname this\n")
    assert show(read_text(shown, PORTS)) == shown


# -- Faults.


def test_refuse_line_and_identity(driver, leaf):
    leaf.faults.add(Fault("refuse_line", pattern="^description", text="% QOS no\n"))
    with pytest.raises(NXAPICommandError, match="% QOS no"):
        driver.device.config_list(["interface Ethernet1/2", "description x"])
    leaf.faults.add(Fault("identity", pattern="show version", text="other"))
    assert driver.device.show("show version")["host_name"] == "other"
    assert driver.device.show("show version")["host_name"] == "leaf1"


def test_cut_slow_and_part(driver, leaf):
    leaf.faults.add(Fault("cut_at_command", pattern="^hostname"))
    with pytest.raises(Exception, match=r"Connection|aborted|EOF"):
        driver.device.config_list(["hostname other"])
    assert "hostname leaf1\n" in leaf.running_text
    leaf.faults.add(Fault("cut_at_byte", pattern="^hostname", count=30))
    with pytest.raises(Exception, match=r"Connection|aborted|EOF|IncompleteRead|Expecting"):
        driver.device.config_list(["hostname other"])
    assert "hostname other\n" in leaf.running_text
    leaf.faults.add(Fault("accept_part", pattern="^hostname", count=1))
    driver.device.config_list(["hostname third", "feature bfd"])
    assert "hostname third\n" in leaf.running_text
    assert "feature bfd" not in leaf.running_text
    leaf.faults.add(Fault("slow", pattern="show hostname", seconds=0.3))
    start_s = time.monotonic()
    driver.device.show("show hostname")
    assert time.monotonic() - start_s >= 0.3


def test_hang(leaf):
    driver = opened(leaf, timeout=1)
    leaf.faults.add(Fault("hang", pattern="show version"))
    with pytest.raises(Exception, match="timed out"):
        driver.device.show("show version")


def test_reboot_loads_what_was_saved_and_forgets_schedules(driver, lab, leaf):
    driver.device.config_list(JOB)
    say(driver, "checkpoint one")
    leaf.hand_edit("hostname unsaved")
    leaf.faults.add(Fault("reboot", pattern="show version", seconds=30))
    with pytest.raises(Exception, match=r"Connection|aborted|EOF"):
        driver.device.show("show version")
    with pytest.raises(Exception, match="refused"):
        driver.device.show("show version")
    lab.clock.advance(31)
    deadline_s = time.monotonic() + LONGEST_S
    while True:
        try:
            assert driver.device.show("show hostname") == {"hostname": "leaf1"}
            break
        except NXAPIConnectionError:
            assert time.monotonic() < deadline_s
            time.sleep(0.05)
    assert "scheduler" not in leaf.running_text.replace("feature scheduler", "")
    assert list(leaf.state.checkpoints) == ["one"]


def test_expire_timer(driver, leaf):
    leaf.faults.add(Fault("expire_timer", pattern="show hostname"))
    driver.device.show("show hostname")
    driver.device.config_list(JOB)
    say(driver, "checkpoint one")
    driver.device.config_list(["hostname other"])
    driver.device.show("show hostname")
    assert "hostname leaf1\n" in leaf.running_text
