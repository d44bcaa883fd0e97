"""Running configurations as devices show them: what they hide, add, and lack."""

from __future__ import annotations

import json
import re

from fabric.observe.configuration import readers
from tests.cases import each
from tests.prove.fabrics import example
from tests.prove.test_faults_by_system import KINDS, prove_with

FILES = {**KINDS, "eos": "startup-config", "sonic": "config_db"}

#: By name: system, pattern, what every place of it becomes, and the rules that fire.
CASES: dict[str, tuple[str, str, str, set[str]]] = {
    "EOS hides its defaults": ("eos", r"   switchport( mode access)?\n", "", set()),
    "EOS ports are routed by default": (
        "eos",
        r"(?s)\A(.*)\Z",
        r"switchport default mode routed\n\1",
        set(),
    ),
    "EOS routed ports have one MTU": (
        "eos",
        r"(?s)\A(.*)\Z",
        r"interface defaults\n   mtu 9214\n!\n\1",
        set(),
    ),
    "EOS shows that it does not route": (
        "eos",
        r"ip routing\n",
        "no ip routing\n",
        {"BAT002", "BAT003", "BAT005", "BAT014"},
    ),
    "EOS without routing": ("eos", r"ip routing\n", "", {"BAT002", "BAT003", "BAT005", "BAT014"}),
    "EOS address on a switched port": ("eos", r"   no switchport\n", "", {"BAT002", "BAT003"}),
    "EOS routed port without MTU": ("eos", r"(no switchport\n)", r"mtu 1500\n   \1", {"BAT009"}),
    "EOS banner with a shut port": (
        "eos",
        r"(?s)\A(.*)\Z",
        r"banner login\ninterface Ethernet1/1\n   shutdown\nEOF\n\1",
        set(),
    ),
    "EOS range of VLANs": ("eos", r"(?m)^vlan 101\n", "vlan 100-103\n", set()),
    "NX-OS hides `switchport`": ("nxos", r"  switchport\n", "", set()),
    "NX-OS shows a default": (
        "nxos",
        r"(?s)\A(.*)\Z",
        r"no system default switchport shutdown\n\1",
        set(),
    ),
    "NX-OS banner with another AS": (
        "nxos",
        r"(?s)\A(.*)\Z",
        r"banner motd ^\nrouter bgp 9\n^\n\1",
        set(),
    ),
    "NX-OS without a feature, but in a banner": (
        "nxos",
        r"feature bgp\n",
        "banner motd ^\nfeature bgp\n^\n",
        {"BAT001", "BAT003", "BAT005"},
    ),
    "VRP8 header with another AS": (
        "vrp8",
        r"(?s)\A(.*)\Z",
        r'header shell information "\nbgp 9\n"\n\1',
        set(),
    ),
    "VRP8 without IPv4 unicast": (
        "vrp8",
        r"( router-id .*\n)",
        r"\1 undo default ipv4-unicast\n",
        set(),
    ),
    "Comware header with a shut port": (
        "comware7",
        r"(?s)\A(.*)\Z",
        r"header legal %\ninterface HundredGigE1/0/1\n shutdown\n%\n\1",
        set(),
    ),
    "Comware without MTU": ("comware7", r" mtu 9100\n", "", {"BAT001"}),
    "Junos message with a deletion": (
        "junos",
        r"\Z",
        r'set system login message "\\ndelete interfaces\\n"\n',
        set(),
    ),
    "Cumulus message over several lines": (
        "cumulus",
        r"\Z",
        "nv set system message pre-login '####\nnv unset interface swp1-32\n####'\n",
        set(),
    ),
    "Cumulus as its documents write BGP": ("cumulus", r"nv set .*bgp enable on\n", "", set()),
    "Cumulus ports without a state": ("cumulus", r"nv set .*link state up\n", "", {"BAT001"}),
}


@each("name", CASES)
def test_a_running_form_is_proved(name: str) -> None:
    """Or the rules fire that are about what it lacks."""
    system, pattern, new, rules = CASES[name]
    _, texts = example("mixed")
    kind = FILES[system]
    text, count = re.subn(pattern, new, texts[f"{system}-leaf"][kind])
    assert count
    switch = readers[system]({**texts[f"{system}-leaf"], kind: text})
    breaches = prove_with(**{f"{system}-leaf": switch}).breaches
    assert {breach.rule for breach in breaches} >= rules
    assert bool(breaches) == bool(rules), breaches


@each(("status", "rules"), [("up", set()), (None, set()), ("down", {"BAT003"})])
def test_sonic_sessions_without_a_state(status: str | None, rules: set[str]) -> None:
    """Are as `default_bgp_status` says, and up without it."""
    texts = example("mixed")[1]["sonic-leaf"]
    tables = json.loads(texts["config_db"])
    for row in tables["BGP_NEIGHBOR"].values():
        del row["admin_status"]
    tables["DEVICE_METADATA"]["localhost"]["default_bgp_status"] = status or "up"
    if status is None:
        del tables["DEVICE_METADATA"]["localhost"]["default_bgp_status"]
    switch = readers["sonic"]({**texts, "config_db": json.dumps(tables)})
    breaches = prove_with(**{"sonic-leaf": switch}).breaches
    assert {breach.rule for breach in breaches} >= rules
    assert bool(breaches) == bool(rules)
