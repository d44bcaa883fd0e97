"""Messages for people that look like configuration: none of their lines counts."""

from __future__ import annotations

import pytest

from fabric.observe.configuration import readers
from fabric.observe.parsers import UnreadableError
from tests.cases import each
from tests.prove.mutations import plain

#: By system: file, and the same file with a message that shuts a port and changes the AS number.
TEXTS: dict[str, tuple[str, str, str]] = {
    "eos": (
        "startup-config",
        "ip routing\ninterface Ethernet1/1\n   no switchport\n",
        "banner login\nrouter bgp 9\ninterface Ethernet1/1\n   shutdown\n!\nEOF\n",
    ),
    "nxos": (
        "running-config",
        "interface Ethernet1/1\n  no switchport\n  no shutdown\n",
        "banner motd #\nfeature bgp\nrouter bgp 9\ninterface Ethernet1/1\n  shutdown\n#\n",
    ),
    "nxos, letter": (
        "running-config",
        "interface Ethernet1/1\n  no switchport\n  no shutdown\n",
        "banner motd c\nrouter bgp 9\ninterfa\nc\n",
    ),
    "vrp8": (
        "running-config",
        "interface 100GE1/0/1\n undo portswitch\n",
        'header shell information "\nbgp 9\ninterface 100GE1/0/1\n shutdown\n"\n',
    ),
    "vrp8, text on its first line": (
        "running-config",
        "interface 100GE1/0/1\n undo portswitch\n",
        "header login information %Keep out\nbgp 9\n%\n",
    ),
    "vrp8, one line": (
        "running-config",
        "interface 100GE1/0/1\n undo portswitch\n",
        'header login information "bgp 9"\n',
    ),
    "comware7": (
        "running-config",
        "interface HundredGigE1/0/1\n port link-mode route\n",
        "header motd %\nbgp 9\ninterface HundredGigE1/0/1\n shutdown\n%\n",
    ),
    "esonic": (
        "running-configuration",
        "interface Ethernet0\n no shutdown\n",
        "banner login @\nrouter bgp 9\ninterface Ethernet0\n shutdown\n@\n",
    ),
    "junos": (
        "set",
        "set system host-name leaf\nset interfaces et-0/0/0 mtu 9100\n",
        'set system login message "set interfaces et-0/0/0 disable\\nbgp"\n',
    ),
    "junos, hierarchy": (
        "set",
        "interfaces {\n    et-0/0/0 {\n        mtu 9100;\n    }\n}\n",
        (
            'system {\n    login {\n        message "}\ninterfaces { et-0/0/0 { disable; } }";'
            "\n    }\n}\n"
            "/* interfaces { et-0/0/0 { disable; } } */\n"
        ),
    ),
    "cumulus": (
        "nv-set",
        "nv set interface swp1 link state up\n",
        (
            "nv set system message pre-login '#####\nKeep out:\n"
            "nv set interface swp1 link state down\n####'\n"
        ),
    ),
    "cumulus, YAML": (
        "nv-set",
        "- set:\n    interface:\n      swp1:\n        link:\n          state: up\n",
        "    system:\n      message:\n        pre-login: |\n          nv unset all\n",
    ),
    "sonic": (
        "config_db",
        '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf"}}}',
        (
            '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf"}},'
            ' "BANNER_MESSAGE": {"global": {"login": "PORT|Ethernet0"}}}'
        ),
    ),
}


def _read(case: str, text: str) -> object:
    system, kind = case.partition(",")[0], TEXTS[case][0]
    switch = readers[system]({kind: text})
    assert switch.leftovers == []
    return plain(switch)


@each("case", TEXTS)
def test_a_message_is_no_configuration(case: str) -> None:
    """Before the other lines and behind them."""
    _, text, message = TEXTS[case]
    if case == "sonic":
        assert _read(case, message) == _read(case, text)
        return
    assert _read(case, text + message) == _read(case, text)
    if "YAML" not in case:
        assert _read(case, message + text) == _read(case, text)


@each(
    ("system", "kind", "text"),
    [
        ("eos", "startup-config", "banner login\nno end\n"),
        ("nxos", "running-config", "banner motd #\nno end\n"),
        ("vrp8", "running-config", "header shell information %\nno end\n"),
        ("comware7", "running-config", "header motd %\nno end\n"),
        ("esonic", "running-configuration", "banner login @\nno end\n"),
        ("cumulus", "nv-set", "nv set system message pre-login 'x\nnv set interface swp1\n"),
    ],
)
def test_a_message_without_an_end_is_unreadable(system: str, kind: str, text: str) -> None:
    with pytest.raises(UnreadableError, match="has no end"):
        readers[system]({kind: text})


#: By system: lines that make three VLANs.
RANGES = {
    "eos": ("startup-config", "vlan 101-103\n"),
    "nxos": ("running-config", "vlan 101-103\n"),
    "vrp8": ("running-config", "vlan batch 101 to 103\n"),
    "comware7": ("running-config", "vlan 101 to 103\n"),
    "esonic": ("running-configuration", "interface range create Vlan 101-103\n"),
    "junos": ("set", "set vlans RAILS vlan-id-list 101-103\n"),
    "cumulus": ("nv-set", "nv set bridge domain br_default vlan 101-103\n"),
}


@each("system", RANGES)
def test_ranges_of_vlans(system: str) -> None:
    kind, text = RANGES[system]
    switch = readers[system]({kind: text})
    assert sorted(switch.vlans) == [101, 102, 103]
    assert switch.leftovers == []
