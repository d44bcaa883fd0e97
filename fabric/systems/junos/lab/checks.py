"""What the Junos stand-in checks in a commit.

Known: ingress partitions of the shared buffer come to exactly 100 (juniper.net CLI reference
buffer-partition, ingress), egress ones not above, since Juniper/jvd @ 005ab344 commits 76; names
that are used must be there; an interface is in one routing instance, and one of the type vrf has a
route distinguisher and a target (the same, instance-type). Assumed: the words of the messages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.systems.junos.platforms.text import Words

_WHOLE = 100
_COS = "class-of-service "
_FORWARDING = "routing-options forwarding-table"
_PREFIX_ROUTES = r"routing-instances \S+ protocols evpn ip-prefix-routes"
#: What is named: pattern of the use with its name, patterns of the places that make the name.
_NAMES = (
    (
        "scheduler-map",
        rf"{_COS}interfaces \S+ scheduler-map (\S+)",
        (rf"{_COS}scheduler-maps (\S+) .*",),
    ),
    (
        "congestion-notification-profile",
        rf"{_COS}interfaces \S+ congestion-notification-profile (\S+)",
        (rf"{_COS}congestion-notification-profile (\S+) .*",),
    ),
    (
        "classifier",
        rf"{_COS}interfaces \S+ unit \S+ classifiers dscp (\S+)",
        (rf"{_COS}classifiers dscp (\S+) .*",),
    ),
    (
        "scheduler",
        rf"{_COS}scheduler-maps \S+ forwarding-class \S+ scheduler (\S+)",
        (rf"{_COS}schedulers (\S+) .*",),
    ),
    (
        "drop-profile",
        rf"{_COS}schedulers \S+ .* drop-profile (\S+)",
        (rf"{_COS}drop-profiles (\S+) .*",),
    ),
    (
        "forwarding-class",
        rf"{_COS}(?:scheduler-maps \S+|classifiers dscp \S+) forwarding-class (\S+) .*",
        (
            rf"{_COS}forwarding-classes class (\S+) .*",
            r"(best-effort|network-control|fcoe|no-loss)",
        ),
    ),
    (
        "policy",
        rf"(?:protocols bgp group .*|{_FORWARDING}|{_PREFIX_ROUTES}) export (\S+)",
        (r"policy-options policy-statement (\S+) .*",),
    ),
    (
        "as-list",
        r"protocols bgp group \S+ peer-as-list (\S+)",
        (r"policy-options as-list (\S+) .*",),
    ),
    ("vlan", r"interfaces .* vlan members (\S+)", (r"vlans (\S+) .*",)),
    ("interface", r"vlans \S+ l3-interface irb\.(\d+)", (r"interfaces irb unit (\d+) .*",)),
)
_BUILT_IN = ("best-effort", "network-control", "fcoe", "no-loss")


def problems(config: Iterable[Words]) -> list[str]:
    """Return why a configuration cannot be committed."""
    lines = [" ".join(words) for words in config]
    return [
        *_missing(lines),
        *_buffers(lines),
        *_profiles(lines),
        *_neighbours(lines),
        *_instances(lines),
    ]


def _found(pattern: str, lines: list[str]) -> list[str]:
    return [match[1] for match in (re.fullmatch(pattern, line) for line in lines) if match]


def _missing(lines: list[str]) -> Iterator[str]:
    for what, use, places in _NAMES:
        defined = {name for place in places for name in _found(place, [*lines, *_BUILT_IN])}
        for name in _found(use, lines):
            if name not in defined:
                yield f"{what} {name} is not defined"


def _buffers(lines: list[str]) -> Iterator[str]:
    head = rf"{_COS}shared-buffer"
    for side in ("ingress", "egress"):
        total = sum(map(int, _found(rf"{head} {side} buffer-partition \S+ percent (\d+)", lines)))
        if total > _WHOLE or (side == "ingress" and 0 < total != _WHOLE):
            yield f"sum of {side} buffer partition percentages is {total}, not {_WHOLE}"


def _profiles(lines: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(_found(rf"{_COS}drop-profiles (\S+) .*", lines)):
        head = rf"{_COS}drop-profiles {re.escape(name)} interpolate"
        levels = _found(rf"{head} fill-level (\d+)", lines)
        if len(levels) != len(_found(rf"{head} drop-probability (\d+)", lines)):
            yield f"drop-profile {name}: fill-level and drop-probability differ in number"
        elif [int(level) for level in levels] != sorted({int(level) for level in levels}):
            yield f"drop-profile {name}: fill-level must increase"


def _neighbours(lines: list[str]) -> Iterator[str]:
    known = _found(r"protocols bgp group \S+ neighbor (\S+) peer-as \d+", lines)
    for address in dict.fromkeys(_found(r"protocols bgp group \S+ neighbor (\S+) .*", lines)):
        if address not in known:
            yield f"BGP peer {address} has no peer-as"


def _instances(lines: list[str]) -> Iterator[str]:
    """Yield interfaces in two instances, and what an instance with routes of others lacks."""
    places: dict[str, str] = {}
    for line in lines:
        match = re.fullmatch(r"routing-instances (\S+) interface (\S+)", line)
        if match and places.setdefault(match[2], match[1]) != match[1]:
            yield f"interface {match[2]} is in the routing instance {places[match[2]]} already"
    for name in _found(r"routing-instances (\S+) instance-type vrf", lines):
        for leaf in ("route-distinguisher", "vrf-target"):
            if not _found(rf"routing-instances ({re.escape(name)}) {leaf} .*", lines):
                yield f"routing instance {name} has no {leaf}"
