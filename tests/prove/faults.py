"""Mistakes that are planted in the files of SONiC and EOS switches, and what must find them.

A fault returns the new text of one switch, or None where the switch has nothing to break.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_interface

from fabric.design.model import DeviceDesign

Tables = dict[str, dict[str, dict[str, str]]]
Edit = Callable[[str, DeviceDesign, random.Random], str | None]


@dataclass(frozen=True)
class Fault:
    """A mistake: how it is planted on each system, and the rules of which one must fire.

    ``leaves_only``: on a spine it is harmless, since no NIC needs the loopback of a spine.
    """

    name: str
    rules: frozenset[str]
    eos: Edit
    sonic: Edit | None = None
    leaves_only: bool = False

    def plant(self, text: str, design: DeviceDesign, pick: random.Random) -> str | None:
        edit = self.eos if design.platform == "eos" else self.sonic
        if edit is None or (self.leaves_only and design.role != "leaf"):
            return None
        return edit(text, design, pick)


def _swap(pattern: str, replacement: str) -> Edit:
    """Return an edit of one random place of an EOS text."""

    def edit(text: str, _: DeviceDesign, pick: random.Random) -> str | None:
        places = list(re.finditer(pattern, text, re.MULTILINE))
        if not places:
            return None
        place = pick.choice(places)
        return text[: place.start()] + place.expand(replacement) + text[place.end() :]

    return edit


def _tables(change: Callable[[Tables, random.Random], bool]) -> Edit:
    """Return an edit of the tables of a CONFIG_DB."""

    def edit(text: str, _: DeviceDesign, pick: random.Random) -> str | None:
        tables = json.loads(text)
        return json.dumps(tables, indent=1) if change(tables, pick) else None

    return edit


def _any(rows: dict[str, dict[str, str]], part: str, pick: random.Random) -> str | None:
    keys = sorted(key for key in rows if part in key)
    return pick.choice(keys) if keys else None


def _drop(table: str, part: str) -> Edit:
    def change(tables: Tables, pick: random.Random) -> bool:
        key = _any(tables.get(table, {}), part, pick)
        if key:
            del tables[table][key]
        return bool(key)

    return _tables(change)


def _set(table: str, part: str, field: str, value: str) -> Edit:
    def change(tables: Tables, pick: random.Random) -> bool:
        key = _any(tables.get(table, {}), part, pick)
        if key:
            tables[table][key][field] = value
        return bool(key)

    return _tables(change)


def _rename(table: str, part: str, new: Callable[[str], str]) -> Edit:
    """Return an edit that gives a row of ``name|address`` another address."""

    def change(tables: Tables, pick: random.Random) -> bool:
        key = _any(tables.get(table, {}), part, pick)
        if key:
            name, _, address = key.partition("|")
            tables[table][f"{name}|{new(address)}"] = tables[table].pop(key)
        return bool(key)

    return _tables(change)


def _next_network(address: str) -> str:
    """Return the same address two networks further on."""
    interface = ip_interface(address)
    return f"{interface.ip + 2 * interface.network.num_addresses}/{interface.network.prefixlen}"


def _longer(address: str) -> str:
    interface = ip_interface(address)
    return f"{interface.ip}/{interface.network.prefixlen + 1}"


def _eos_address(inside: str, new: Callable[[str], str]) -> Edit:
    """Return an edit of the address of one port whose name begins with ``inside``."""

    def edit(text: str, _: DeviceDesign, pick: random.Random) -> str | None:
        pattern = rf"^interface {inside}.*\n(?:   .*\n)*?   ip address (\S+)$"
        places = list(re.finditer(pattern, text, re.MULTILINE))
        if not places:
            return None
        place = pick.choice(places)
        return text[: place.start(1)] + new(place[1]) + text[place.end(1) :]

    return edit


def _half(design: DeviceDesign) -> str:
    """Return the lower half of the first host network, which its NICs are in."""
    pool = design.bgp.host_pools[0]
    return f"{pool.network.partition('/')[0]}/{pool.prefix_length + 1}"


FAULTS = (
    Fault(
        "a neighbour is missing",
        frozenset({"BAT003"}),
        _swap(r"^   neighbor (\S+) peer group \S+\n   neighbor \1 remote-as.*\n", ""),
        _drop("BGP_NEIGHBOR", "."),
    ),
    Fault(
        "a neighbour has another AS number",
        frozenset({"BAT003"}),
        _swap(r"remote-as \d+", "remote-as 64999"),
        _set("BGP_NEIGHBOR", ".", "asn", "64999"),
    ),
    Fault(
        "the own AS number is another one",
        frozenset({"BAT003"}),
        _swap(r"^router bgp \d+", "router bgp 64999"),
        _set("DEVICE_METADATA", "localhost", "bgp_asn", "64999"),
    ),
    Fault(
        "an uplink has another address",
        frozenset({"BAT002", "BAT003"}),
        _eos_address("Ethernet", _next_network),
        _rename("INTERFACE", "/31", _next_network),
    ),
    Fault(
        "the mask of a gateway is longer",
        frozenset({"BAT002"}),
        _eos_address("Vlan", _longer),
        _rename("VLAN_INTERFACE", "/", _longer),
    ),
    Fault(
        "a VLAN has no gateway",
        frozenset({"BAT002"}),
        _swap(r"^interface Vlan\d+\n(   .*\n)*", ""),
        _drop("VLAN_INTERFACE", "/"),
    ),
    Fault(
        "a port is in no VLAN",
        frozenset({"BAT002"}),
        _swap(r"^   switchport access vlan \d+\n", ""),
        _drop("VLAN_MEMBER", "|"),
    ),
    Fault(
        "a port is shut down",
        frozenset({"BAT002"}),
        _swap(r"^   mtu 9100\n   speed", "   shutdown\n   mtu 9100\n   speed"),
        _tables(lambda tables, pick: _set_one(tables["PORT"], "up", "admin_status", "down", pick)),
    ),
    Fault(
        "the MTU of a port is small",
        frozenset({"BAT009"}),
        _swap(r"^   mtu 9100$", "   mtu 1500"),
        _tables(lambda tables, pick: _set_one(tables["PORT"], "9100", "mtu", "1500", pick)),
    ),
    Fault(
        "nothing is announced",
        frozenset({"BAT004", "BAT005"}),
        _swap(r"^   redistribute connected .*\n", ""),
        leaves_only=True,
    ),
    Fault(
        "a policy does not exist",
        frozenset({"BAT011"}),
        _swap(r"redistribute connected route-map \S+", "redistribute connected route-map RM-X"),
    ),
    Fault(
        "host routes are discarded",
        frozenset({"BAT004", "BAT005"}),
        lambda text, design, _: text.replace(
            "\nip routing\n", f"\nip routing\nip route {_half(design)} Null0\n"
        ),
        lambda text, design, _: json.dumps({
            **json.loads(text),
            "STATIC_ROUTE": {_half(design): {"blackhole": "true"}},
        }),
    ),
    Fault(
        "sessions exchange no routes",
        frozenset({"BAT003"}),
        _swap(r"^      neighbor (\S+) activate$", r"      no neighbor \1 activate"),
        _set("BGP_NEIGHBOR", ".", "admin_status", "down"),
    ),
    Fault(
        "a line that nobody knows",
        frozenset({"BAT001"}),
        _swap(r"^   no switchport$", "   no switchport\n   ip access-group BLOCK in"),
        _tables(lambda tables, _: bool(tables.update(ACL_TABLE={"BLOCK": {"type": "L3"}})) or True),
    ),
)


def _set_one(
    rows: dict[str, dict[str, str]], old: str, field: str, value: str, pick: random.Random
) -> bool:
    """Set a field of one random row that has a description, which is a port in use."""
    keys = [key for key, row in rows.items() if row.get(field) == old and "description" in row]
    if keys:
        rows[pick.choice(sorted(keys))][field] = value
    return bool(keys)
