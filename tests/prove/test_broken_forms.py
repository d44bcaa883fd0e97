"""Small edits of files that switches would take otherwise than they look."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fabric.observe.configuration import readers
from fabric.prove.engine import Engine
from tests.cases import each
from tests.prove.fabrics import example
from tests.prove.mutations import Subject
from tests.prove.test_running_forms import FILES
from tests.prove.test_systems import UNNUMBERED, fabric_of

OPEN = "not judged"
_LOCALHOST = ("DEVICE_METADATA", "localhost")
_MODE = "docker_routing_config_mode"
_STATE = ("BGP_DEVICE_GLOBAL", "STATE")
_GROUP = ("BGP_PEER_GROUP", "default|FABRIC")
_FAMILY = ("BGP_PEER_GROUP_AF", "default|FABRIC|ipv4_unicast")
_LAST = r"(?s)\A(.*)\Z"

#: By name: system, pattern, what its first place becomes, and the rule that fires; `not judged`
#: for what no source tells, and nothing where all is well.
TEXTS: dict[str, tuple[str, str, str, str]] = {
    "EOS entry that stands last and counts first": (
        "eos",
        r"(   seq 20 permit .*\n)",
        r"\1   seq 5 deny 0.0.0.0/0 le 32\n",
        "BAT005",
    ),
    "EOS number of another entry": (
        "eos",
        r"(   seq 20 permit .*\n)",
        r"\1   seq 20 deny 0.0.0.0/0 le 32\n",
        "BAT001",
    ),
    "EOS term that stands last and counts first": (
        "eos",
        r"(router bgp)",
        r"route-map RM-FABRIC deny 5\n!\n\1",
        "BAT005",
    ),
    "EOS term that permits and denies": (
        "eos",
        r"(router bgp)",
        r"route-map RM-FABRIC deny 10\n!\n\1",
        "BAT001",
    ),
    "EOS term with a second condition": (
        "eos",
        r"(   match ip address prefix-list PL-FABRIC\n)",
        r"\1   match ip address prefix-list PL-OTHER\n",
        "BAT001",
    ),
    "EOS prefix list in one line": (
        "eos",
        r"ip prefix-list PL-FABRIC\n   (seq 10 .*)\n   (seq 20 .*)\n",
        r"ip prefix-list PL-FABRIC \2\nip prefix-list PL-FABRIC \1\n",
        "",
    ),
    "NX-OS entry that stands last and counts first": (
        "nxos",
        r"(ip prefix-list PL-FABRIC seq 20 .*\n)",
        r"\1ip prefix-list PL-FABRIC seq 5 deny 0.0.0.0/0 le 32\n",
        "BAT005",
    ),
    "NX-OS term that stands last and counts first": (
        "nxos",
        r"(router bgp)",
        r"route-map RM-FABRIC deny 5\n\1",
        "BAT005",
    ),
    "esonic entry that stands last and counts first": (
        "esonic",
        r"(ip prefix-list PL-FABRIC seq 20 .*\n)",
        r"\1ip prefix-list PL-FABRIC seq 5 deny 0.0.0.0/0 le 32\n",
        "BAT005",
    ),
    "esonic term that stands last and counts first": (
        "esonic",
        r"(router bgp)",
        r"route-map RM-FABRIC deny 5\n\1",
        "BAT005",
    ),
    "VRP8 entry that stands last and counts first": (
        "vrp8",
        r"(bgp \d+\n(?: .*\n)*?  network 10.64\S+ \S+)",
        (
            "ip ip-prefix PL index 20 permit 10.64.0.0 16 greater-equal 24\n"
            "ip ip-prefix PL index 5 deny 0.0.0.0 0 less-equal 32\n"
            r"route-policy RP permit node 10\n if-match ip-prefix PL\n#\n\1 route-policy RP"
        ),
        "BAT005",
    ),
    "VRP8 term that stands last and counts first": (
        "vrp8",
        r"(bgp \d+\n(?: .*\n)*?  network 10.64\S+ \S+)",
        r"route-policy RP permit node 10\n#\nroute-policy RP deny node 5\n#\n\1 route-policy RP",
        "BAT005",
    ),
    "Comware entry that stands last and counts first": (
        "comware7",
        r"(bgp \d+\n(?: .*\n)*?  network 10.64\S+ \S+)",
        (
            "ip prefix-list PL index 20 permit 10.64.0.0 16 greater-equal 24\n"
            "ip prefix-list PL index 5 deny 0.0.0.0 0 less-equal 32\n"
            r"route-policy RP permit node 10\n if-match ip address prefix-list PL\n#\n"
            r"\1 route-policy RP"
        ),
        "BAT005",
    ),
    "Comware term that stands last and counts first": (
        "comware7",
        r"(bgp \d+\n(?: .*\n)*?  network 10.64\S+ \S+)",
        r"route-policy RP permit node 10\n#\nroute-policy RP deny node 5\n#\n\1 route-policy RP",
        "BAT005",
    ),
    **{
        f"{system} two blocks of BGP": (system, rf"(?m)^({opens})\n", rf"\1\n{first}!\n\1\n", "")
        for system, opens, first in (
            ("eos", r"router bgp \d+", "   maximum-paths 64 ecmp 64\n"),
            ("nxos", r"router bgp \d+", "  bestpath as-path multipath-relax\n"),
            ("esonic", r"router bgp \d+", " bestpath as-path multipath-relax\n"),
            ("vrp8", r"bgp \d+", " timer keepalive 3 hold 9\n"),
            ("comware7", r"bgp \d+", " timer keepalive 3 hold 9\n"),
        )
    },
    **{
        f"{system} second block of BGP with a shut session": (
            system,
            _LAST,
            rf"\1\n{opens}\n{shut}\n",
            "BAT003",
        )
        for system, opens, shut in (
            ("eos", "router bgp 65103", "   neighbor 10.254.1.0 shutdown"),
            ("nxos", "router bgp 65104", "  neighbor 10.254.1.128\n    shutdown"),
            ("esonic", "router bgp 65108", " neighbor 10.254.3.128\n  shutdown"),
            ("vrp8", "bgp 65106", " peer 10.254.2.128 ignore"),
            ("comware7", "bgp 65107", " peer 10.254.3.0 ignore"),
        )
    },
    **{
        f"{system} second AS": (system, _LAST, rf"\1\n{opens} 64999\n", "BAT001")
        for system, opens in (
            ("eos", "router bgp"),
            ("nxos", "router bgp"),
            ("esonic", "router bgp"),
            ("vrp8", "bgp"),
            ("comware7", "bgp"),
        )
    },
    **{
        f"{system} loopback shut": (system, rf"({line})", rf"\1{shut}\n", "BAT002")
        for system, line, shut in (
            ("eos", r"interface Loopback0\n", "   shutdown"),
            ("nxos", r"interface loopback0\n", "  shutdown"),
            ("esonic", r"interface Loopback0\n", " shutdown"),
        )
    },
    "EOS limit of routes": ("eos", r"maximum-routes 0", "maximum-routes 12000", "BAT001"),
    "EOS BGP agent shut": ("eos", _LAST, r"\1\nagent Bgp shutdown\n", "BAT003"),
    "EOS another agent shut": ("eos", _LAST, r"\1\nagent PowerFuse shutdown\n", ""),
    "EOS writes peer-group": ("eos", r"SPINES peer group", "SPINES peer-group", ""),
    "EOS member writes peer-group": (
        "eos",
        r"(\.0) peer group SPINES",
        r"\1 peer-group SPINES",
        "",
    ),
    "EOS hides that ports work": ("eos", r"(interface Ethernet17/1\n)", r"\1   no shutdown\n", ""),
    "NX-OS ports are routed without a line": (
        "nxos",
        r"(?s)\A(.*?)  switchport\n",
        r"no system default switchport\n\1",
        "BAT001",
    ),
    "NX-OS ports have their lines": (
        "nxos",
        r"(?s)\A(.*)\Z",
        r"no system default switchport\n\1",
        "",
    ),
    "NX-OS routed by the default of the switch": (
        "nxos",
        r"(?s)\A(.*?)  no switchport\n",
        r"no system default switchport\n\1",
        "",
    ),
    "NX-OS default of ports behind the ports": (
        "nxos",
        _LAST,
        r"\1\nno system default switchport\n",
        "BAT001",
    ),
    "NX-OS lines of the switch": (
        "nxos",
        _LAST,
        r"\1\nsystem jumbomtu 9216\nno ip source-route\n",
        "",
    ),
    "NX-OS shorter frames": ("nxos", _LAST, r"\1\nsystem jumbomtu 1500\n", "BAT001"),
    "Comware short frames": (
        "comware7",
        r"( port link-mode route\n)",
        r"\1 jumboframe enable 1536\n",
        "BAT009",
    ),
    "Comware long frames": (
        "comware7",
        r"( port link-mode route\n)",
        r"\1 jumboframe enable 9416\n",
        "",
    ),
    "Comware frames of a switched port": (
        "comware7",
        r"( port link-mode bridge\n)",
        r"\1 jumboframe enable 1536\n",
        "BAT009",
    ),
    "Comware recovery of passwords": (
        "comware7",
        r"(#\nbgp)",
        r"#\npassword-recovery enable\n\1",
        "",
    ),
    "Junos member of a bundle": (
        "junos",
        r"\Z",
        "set interfaces et-0/0/16 ether-options 802.3ad ae0\n",
        "BAT001",
    ),
    "Junos FEC of a port": (
        "junos",
        r"\Z",
        "set interfaces et-0/0/16 ether-options fec none\n",
        "",
    ),
    "Junos without routing": ("junos", r"\Z", "set system processes routing disable\n", "BAT001"),
    "Junos card without power": ("junos", r"\Z", "set chassis fpc 0 power off\n", "BAT001"),
    "Junos own AS in routes": ("junos", r"(autonomous-system \d+)", r"\1 loops 2", ""),
    "Junos storm control": (
        "junos",
        r"\Z",
        "set interfaces et-0/0/0 unit 0 family ethernet-switching storm-control default\n",
        "",
    ),
    "VRP8 lines of the switch": (
        "vrp8",
        _LAST,
        r"\1\n#\nset save-configuration interval 30\n#\nvlan reserved 4000\n",
        "",
    ),
    "VRP8 optics": ("vrp8", _LAST, r"\1\n#\ndevice transceiver 100GE1/0/1 auto\n", ""),
    "esonic blocks about the CPU and the chip": (
        "esonic",
        _LAST,
        r"\1\n!\ncopp classifier x\n match protocol bgp\n!\nhardware\n !\n access-list\n",
        "",
    ),
    "Comware says that a port works": (
        "comware7",
        r"( port link-mode route\n)",
        r"\1 undo shutdown\n",
        "",
    ),
    "Cumulus gateway with an MTU of its own": (
        "cumulus",
        r"\Z",
        "nv set interface vlan101 link mtu 1500\n",
        "BAT009",
    ),
    "Cumulus gateway of a bridge with short packets": (
        "cumulus",
        r"\Z",
        (
            "nv set interface swp9 link mtu 1500\n"
            "nv set interface swp9 bridge domain br_default access 101\n"
        ),
        "BAT009",
    ),
    "esonic names the VRF": ("esonic", r"(router bgp \d+)", r"\1 vrf default", ""),
    "Comware names the instance": ("comware7", r"(?m)^(bgp \d+)", r"\1 instance default", ""),
}


#: By name: the fabric, the table, the key, the fields that it gets (None for none),
#: and the rule that fires.
ROWS: dict[str, tuple[str, str, str, dict[str, str | None], str]] = {
    "SONiC without a type": ("mixed", *_LOCALHOST, {"type": None}, "BAT003"),
    "SONiC managed without a type": ("unnumbered", *_LOCALHOST, {"type": None}, ""),
    "SONiC without BGP": ("mixed", "FEATURE", "bgp", {"state": "disabled"}, "BAT003"),
    "SONiC with BGP": ("mixed", "FEATURE", "bgp", {"state": "enabled"}, ""),
    "SONiC files of FRR": ("mixed", *_LOCALHOST, {_MODE: "split"}, OPEN),
    "SONiC one file of FRR": ("mixed", *_LOCALHOST, {_MODE: "split-unified"}, OPEN),
    "SONiC file from the database": ("mixed", *_LOCALHOST, {_MODE: "unified"}, ""),
    "SONiC takes traffic": ("mixed", *_STATE, {"tsa_enabled": "false"}, ""),
    "SONiC takes no traffic": ("mixed", *_STATE, {"tsa_enabled": "true"}, "BAT001"),
    "SONiC unknown field of the process": (
        "unnumbered",
        "BGP_GLOBALS",
        "default",
        {"default_shutdown": "true"},
        "BAT001",
    ),
    "SONiC unknown field of a session": (
        "unnumbered",
        "BGP_NEIGHBOR",
        "default|Ethernet128",
        {"passive_mode": "true"},
        "BAT001",
    ),
    "SONiC unknown field of a group": ("unnumbered", *_GROUP, {"ebgp_multihop": "true"}, "BAT001"),
    "SONiC unknown field of a family": ("unnumbered", *_FAMILY, {"as_override": "true"}, "BAT001"),
    "SONiC IPv4 without IPv6 next hops": (
        "unnumbered",
        *_GROUP,
        {"capability_ext_nexthop": "false"},
        "BAT003",
    ),
    "SONiC family switched off": ("unnumbered", *_FAMILY, {"admin_status": "false"}, "BAT003"),
    "SONiC family switched on": ("unnumbered", *_FAMILY, {"admin_status": "true"}, ""),
    "SONiC term that stands last and counts first": (
        "unnumbered",
        "ROUTE_MAP",
        "PERMIT|5",
        {"route_operation": "deny"},
        "BAT005",
    ),
    "SONiC gateway down": ("mixed", "VLAN", "Vlan101", {"admin_status": "down"}, "BAT014"),
    "SONiC uplink in a VLAN": (
        "mixed",
        "VLAN_MEMBER",
        "Vlan101|Ethernet128",
        {"tagging_mode": "untagged"},
        "BAT001",
    ),
    "SONiC loopback down": (
        "mixed",
        "LOOPBACK_INTERFACE",
        "Loopback0",
        {"admin_status": "down"},
        "BAT002",
    ),
}


@cache
def mixed() -> Subject:
    return Subject.of(*example("mixed"))


@cache
def unnumbered() -> Subject:
    """Return the demo without addresses between switches: SONiC below EOS."""
    with TemporaryDirectory() as folder:
        changes = {UNNUMBERED: f"{UNNUMBERED}, peering: unnumbered"}
        return Subject.of(*fabric_of(Path(folder), "demo", changes))


def outcome(subject: Subject, name: str, kind: str, text: str) -> set[str]:
    """Return the rules that fire when a switch has another text; `not judged` for such findings."""
    project = subject.project
    reading = readers[project.devices[name].platform]({**subject.texts[name], kind: text})
    files = {**subject.files, name: reading}
    proof = Engine(project.fabric, project.devices, project.hosts, files).prove()
    return {OPEN if breach.message.startswith(OPEN) else breach.rule for breach in proof.breaches}


def assert_outcome(rules: set[str], expected: str) -> None:
    assert (expected in rules) if expected else not rules, rules


@each("name", TEXTS)
def test_an_edit_is_taken_as_the_switch_takes_it(name: str) -> None:
    """And not as it looks."""
    system, pattern, new, expected = TEXTS[name]
    switch, kind = f"{system}-leaf", FILES[system]
    text, count = re.subn(pattern, new, mixed().texts[switch][kind], count=1)
    assert count == 1
    assert_outcome(outcome(mixed(), switch, kind, text), expected)


#: By name, of a spine of EOS without addresses between switches: as `TEXTS`.
SPINES: dict[str, tuple[str, str, str]] = {
    "single-agent routing": ("model multi-agent", "model ribd", "BAT003"),
    "no routing model": (r"service routing protocols model .*\n", "", OPEN),
    "short names of ports": (r"neighbor interface Ethernet1/1", "neighbor interface Et1/1", ""),
}


@each("name", SPINES)
def test_a_session_over_a_port_is_taken_as_eos_takes_it(name: str) -> None:
    """It needs the model that knows IPv6 next hops."""
    pattern, new, expected = SPINES[name]
    text, count = re.subn(pattern, new, unnumbered().texts["spine01"]["startup-config"], count=1)
    assert count == 1
    assert_outcome(outcome(unnumbered(), "spine01", "startup-config", text), expected)


@each("name", ROWS)
def test_a_row_is_taken_as_sonic_takes_it(name: str) -> None:
    """With a field more or less."""
    fabric, table, key, fields, expected = ROWS[name]
    is_mixed = fabric == "mixed"
    subject, switch = (mixed(), "sonic-leaf") if is_mixed else (unnumbered(), "su1-rail0")
    tables = json.loads(subject.texts[switch]["config_db"])
    row = {**tables.get(table, {}).get(key, {}), **fields}
    row = {field: value for field, value in row.items() if value is not None}
    tables.setdefault(table, {})[key] = row
    assert_outcome(outcome(subject, switch, "config_db", json.dumps(tables)), expected)
