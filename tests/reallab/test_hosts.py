"""Our own host driver over real SSH, on hosts with a systemd, an sshd and a networkd of their own.

Each command is a process of its own, as an operator runs it.
"""

from __future__ import annotations

import shutil
import threading
import time

import pytest

from fabric.workflow.project import Project
from tests.cli.runs import DEMO
from tests.reallab.booted import HOST, OTHER, Site, apart

pytestmark = pytest.mark.lab

#: What a namespace does not have, and every command says so.
NOT_HERE = "net.ipv4.neigh.default.gc_thresh"
BACK = "it was rolled back before it was confirmed: it restarted, or its commit timer expired"


def test_a_host_is_planned_applied_verified_booted_and_rolled_back(site: Site) -> None:
    """Addresses, rules, routes, sysctls and units are there; a rollback leaves none of them."""
    before, inventory = site.state(), site.inventory()
    assert site.plan(inventory, "--detailed-exitcode").code == 5
    assert apart(before, site.state()) == ""
    applied = site.apply()
    assert applied.code == 0, applied.said
    seen = site.state()
    assert "inet 10.64.0.2/24 brd 10.64.0.255 scope global eth1" in seen["addresses"]
    assert "/sys/class/net/eth1/mtu:9000" in seen["addresses"]
    assert "from 10.64.0.2 lookup 100" in seen["rules"]
    assert "10.64.0.0/16 via 10.64.0.1 dev eth1 table 100 proto static" in seen["routes"]
    assert "unreachable default table 100 proto static" in seen["routes"]
    assert "net.ipv4.conf.eth1.arp_ignore = 1" in seen["sysctls"]
    assert "rocefab-nic@eth2.service" in seen["links"]
    assert site.lab.ping("10.64.0.2", "10.64.0.1")
    again = site.plan(inventory, "--detailed-exitcode")
    assert (again.code, "No changes" in again.out) == (0, True), again.said
    judged = site.rocefab("verify", inventory, "--only", HOST, "--full")
    assert [line for line in judged.out.splitlines() if NOT_HERE not in line] == []
    assert not site.left()
    boot(site)
    assert apart(seen, site.state()) == ""
    ended = site.rocefab("rollback", 1, "--commit")
    assert ended.code == 0, ended.said
    assert apart(before, site.state()) == ""


@pytest.mark.parametrize("plan", ["one prefix for a leaf", "IPv6 beside IPv4 over numbered links"])
def test_the_addresses_of_a_plan_are_back_after_a_boot(site: Site, plan: str) -> None:
    """Of both families, with rules and routes; the leaf of this lab has another plan."""
    inventory = site.inventory(plan=plan, more=site.roll_out("exit 0"))
    assert site.plan(inventory).code == 0
    ended = site.apply()
    assert ended.code == 0, ended.said
    seen = site.state()
    pairs = [(nic, own) for nic in Project(inventory).hosts[HOST].nics for own in nic.addresses]
    for nic, own in pairs:
        assert f"{nic.interface}    inet{'6' * own.is_ipv6} {own.interface} " in seen["addresses"]
        assert f"from {own.address} lookup" in seen["rules"]
        assert f" via {own.gateway} dev {nic.interface} table" in seen["routes"]
    boot(site)
    assert apart(seen, site.state()) == ""
    assert "No changes" in site.plan(inventory).out


def boot(site: Site) -> None:
    """Boot the host in order; files, networkd and the units that udev starts do the rest."""
    before = site.host.first
    site.host.run(["systemctl", "reboot"])
    site.host.wait_for_boot(before)
    units = "rocefab-nic@eth1.service", "rocefab-nic@eth2.service"
    wait = ["sh", "-c", f"until systemctl -q is-active {' '.join(units)}; do sleep 0.2; done"]
    assert site.host.run(wait).code == 0


def test_a_change_is_undone_after_flaps(site: Site) -> None:
    """A gate fails after the link of a NIC and the cable of another went: the host is as before."""
    site.configured()
    before = site.state()
    leaf = site.lab.namespace("su1-rail1")
    flaps = [
        f"{site.inside} ip link set dev eth1 down; {site.inside} ip link set dev eth1 up",
        f"ip -n {leaf} link set dev Ethernet0 down; sleep 1",
        f"ip -n {leaf} link set dev Ethernet0 up; sleep 1",
    ]
    changed = site.inventory("changed", arp_s=200, more=site.roll_out(*flaps, "exit 1"))
    assert site.plan(changed, "--rollout").code == 0
    ended = site.apply()
    assert (ended.code, f"{HOST}: rolled back\n" in ended.err) == (3, True), ended.said
    assert apart(before, site.state()) == ""
    assert not site.left()


BOOTS = {
    "first change, boot in order": (True, "systemctl reboot"),
    "later change, power loss": (False, "reboot -f -f"),
}


@pytest.mark.parametrize("name", BOOTS)
def test_a_host_that_boots_unconfirmed_undoes_the_change(site: Site, name: str) -> None:
    """The net is on its disk; the run notices, and says so."""
    first, word = BOOTS[name]
    if not first:
        site.configured()
    before = site.state()
    login = " ".join(site.lab.management.words(HOST))
    gate = [
        f"{site.inside} {word}",
        "sleep 2",
        f"until {login} true 2>/dev/null; do sleep 0.2; done",
    ]
    changed = site.inventory("changed", arp_s=200, more=site.roll_out(*gate))
    assert site.plan(changed, "--rollout").code == 0
    ended = site.apply()
    assert (ended.code, BACK in ended.err) == (3, True), ended.said
    assert "changed outside this run" not in ended.err
    assert apart(before, site.state()) == ""
    assert site.left() == {"folder"}


def test_a_timer_that_expires_undoes_the_change_of_a_dead_operator(site: Site) -> None:
    """Also where something on the host lets systemd read its files again and again."""
    site.configured()
    before = site.state()
    again = "while sleep 3; do systemctl daemon-reload; done"
    site.host.run(["systemd-run", "--unit=busy", "sh", "-c", again])
    more = site.roll_out('kill -KILL "$PPID"; sleep 1')
    changed = site.inventory("changed", arp_s=200, more=more)
    assert site.plan(changed, "--rollout").code == 0
    try:
        assert site.apply("--timer-s", 45, "--verify-s", 5).code == -9
        assert site.state() != before
        until_s = time.monotonic() + 120
        while site.state() != before and time.monotonic() < until_s:
            time.sleep(1)
    finally:
        site.host.run(["systemctl", "stop", "busy"])
    assert apart(before, site.state()) == ""
    ended = site.rocefab("rollback", 2, "--commit")
    assert ended.code == 0, ended.said
    assert site.left() == {"folder", "lock"}  # of the dead operator
    assert site.rocefab("status", "--devices", "--clean").code == 0
    assert not site.left()


def test_a_connection_that_is_cut_leaves_the_host_whole(site: Site) -> None:
    """All sessions of the operator die while the script puts the change into force."""
    before = site.state()
    script = (
        "until pgrep -f /etc/rocefab/[a]pply.sh; do sleep 0.02; done; pkill -KILL -u rocefab sshd"
    )
    cutter = threading.Thread(target=site.host.run, args=(["sh", "-c", script],))
    assert site.plan(site.inventory()).code == 0
    cutter.start()
    ended = site.apply("--timer-s", 45, "--verify-s", 5)
    cutter.join()
    assert ended.code == 3, ended.said
    assert "lost during" in ended.err or "rolled back" in ended.err, ended.said
    until_s = time.monotonic() + 90
    while site.state() != before and time.monotonic() < until_s:
        time.sleep(1)
    assert apart(before, site.state()) == ""


def delay(site: Site, interface: str) -> None:
    """Delay and lose packets by netem, or skip."""
    words = f"tc qdisc add dev {interface} root netem delay 100ms 20ms loss 5%"
    said = site.lab.run(HOST, words.split())
    if said.code:
        pytest.skip(f"this kernel has no netem: {said.err.strip()}")


def lose(site: Site, interface: str) -> None:
    """Drop a tenth of what comes in and of what leaves, by nftables."""
    if not shutil.which("nft"):
        pytest.skip("no nft; 'make judges' installs it")
    drop = "numgen random mod 10 == 0 counter drop"
    rules = f"""table inet lossy {{
        chain in {{ type filter hook input priority 0; iifname {interface} {drop}; }}
        chain out {{ type filter hook output priority 0; oifname {interface} {drop}; }}
    }}"""
    said = site.lab.run(HOST, ["nft", rules])
    assert said.code == 0, said.err


BAD_LINES = {"delay and loss": delay, "loss": lose}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_to_the_host_slows_a_change_and_no_more(site: Site, name: str) -> None:
    """The management network loses packets; TCP repeats them."""
    inventory = site.inventory()
    BAD_LINES[name](site, "eth0")
    try:
        assert site.plan(inventory).code == 0
        ended = site.apply()
        assert ended.code == 0, ended.said
    finally:
        site.lab.run(HOST, ["nft", "flush", "ruleset"])
        site.lab.run(HOST, ["tc", "qdisc", "del", "dev", "eth0", "root"])
    assert "No changes" in site.plan(inventory).out
    assert not site.left()


def test_a_nic_whose_tool_is_missing_is_not_planned(visitor: Site) -> None:
    """A veth has no PFC, and the host no mlnx_qos: nothing is taken for planned."""
    ended = visitor.plan(DEMO)
    assert ended.code == 3
    assert "eth1: mlnx_qos printed no PFC configuration or no trust state" in ended.err
    assert not (visitor.folder / "plan.json").exists()


def test_another_machine_in_the_place_of_a_host_is_not_written_to(visitor: Site) -> None:
    """Its host key is not the one of the connections file."""
    file = visitor.lab.management.connections_file
    text = file.read_text()
    one, two = (visitor.lab.management.accesses[name].address for name in (HOST, OTHER))
    try:
        file.write_text(text.replace(f'"{one}"', f'"{two}"'))
        ended = visitor.plan(visitor.inventory())
    finally:
        file.write_text(text)
    assert ended.code == 3
    assert "does not match" in ended.err, ended.err
