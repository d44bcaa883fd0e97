"""LLDP as the devices of a fabric see it: what ``rocefab observe --format json`` prints.

A cable is taken when both ends agree, or when one end tells it and the other was read and tells
nothing else of its port. What only an unread device could confirm, and what the ends tell
differently, is unknown: it is reported and left out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from fabric.core.device_names import DeviceNames
from fabric.core.findings import Finding, Position, Severity
from fabric.core.hostlist import natural_key
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.models import aliases
from fabric.exchange.notes import Notes
from fabric.exchange.plant import DISABLED, End, end_key
from fabric.exchange.values import is_name, json_of, malformed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Names under which several devices may stand that nobody has named: sonic-net/sonic-buildimage
#: pull requests 17466 and 11907, issue 7523 (the default, and what is announced without a name).
_FACTORY_NAMES = frozenset({"sonic", "none", "localhost"})
_HINT = "provide the output of `rocefab observe INVENTORY --format json`"


def parse(data: Any, shown: str, settings: Settings) -> Imported:
    """Return the fabric that devices see.

    Parameters
    ----------
    data : list of dict
        One mapping for each device, as ``Seen.as_dict`` makes it.

    Raises
    ------
    InputError
        When a device cannot be taken in.
    """
    return _Sightings(data, shown, settings).imported()


class _Sightings:
    def __init__(self, data: list[dict[str, Any]], shown: str, settings: Settings) -> None:
        self._draft = Draft.of(shown, settings, closed=True)
        self._some = Notes(shown)
        self._notes: list[Finding] = []
        self._names = DeviceNames(())
        self._ports: dict[str, dict[str, str]] = {}
        self._told: dict[End, list[tuple[str, tuple[str, ...]]]] = {}
        self._speeds: dict[End, int] = {}
        self._lengths: dict[End, int] = {}
        self._addresses: dict[End, str] = {}
        self._ipv6: dict[End, str] = {}
        self._vlans: dict[End, int] = {}
        self._off: set[End] = set()
        for seen in sorted(data, key=lambda item: natural_key(str(item.get("device", "")))):
            self._take(seen)

    def _take(self, seen: Mapping[str, Any]) -> None:
        name, state = str(seen.get("device", "")), _mapping(seen.get("state"))
        place = self._draft.place(what=f"device {name!a}")
        if seen.get("error") or "lldp" not in state:
            reason = str(seen.get("error") or "LLDP could not be read")
            self._note(
                f"not read, so its cables are unknown: {reason}",
                "read the device again",
                (name, ""),
            )
            return
        facts = _mapping(state.get("facts"))
        host = seen.get("platform") == "host"
        if not self._takes(name, seen):
            return
        self._draft.device(
            name,
            place,
            {
                "kind": seen.get("kind", "host" if host else "switch"),
                "model": None if host else facts.get("model"),
                "system": None if host else seen.get("platform"),
                "serial": facts.get("serial"),
                "mac": facts.get("mac"),
                **_mapping(seen.get("values")),
            },
        )
        for word in (name, str(facts.get("hostname") or name)):
            self._names.add(word, name)
        interfaces, lldp = _mapping(state.get("interfaces")), _mapping(state["lldp"])
        ports = {port.lower(): port for port in (*interfaces, *lldp)}
        self._ports[name] = aliases(str(facts.get("model", ""))) | ports
        for port, known in interfaces.items():
            speed = _mapping(known).get("speed_gbps")
            if isinstance(speed, int | float) and speed >= 1:
                self._speeds[name, port] = int(speed)
            self._lengths[name, port] = _mapping(known).get("cable_m") or 0
            self._addresses[name, port] = str(_mapping(known).get("address") or "")
            self._ipv6[name, port] = str(_mapping(known).get("ipv6") or "")
            self._vlans[name, port] = _mapping(known).get("vlan") or 0
            if _mapping(known).get("enabled") is False:
                self._off.add((name, port))
        for port, neighbours in lldp.items():
            self._told[name, port] = [
                (
                    str(item.get("system_name", "")),
                    (str(item.get("port_id", "")), str(item.get("description", ""))),
                )
                for item in (neighbours if isinstance(neighbours, list) else ())
                if isinstance(item, dict)
            ]

    def _takes(self, name: str, seen: Mapping[str, Any]) -> bool:
        """Note what is not read of a device; tell whether its name can be one."""
        for what, fix, of in seen.get("notes") or ():
            self._some.add(what, fix, of)
        if not seen.get("unread"):
            return True
        if name.lower() in _FACTORY_NAMES:
            fix = "give them names, or provide the output of the devices"
            self._some.add("neighbours have the name of the factory and are ignored", fix, name)
            return False
        if not is_name(self._draft.short(name)):
            fix = "map it with --names FILE if it is part of the fabric"
            self._some.add("neighbours have no device name and are ignored", fix, name)
            return False
        fix = "provide its output too, or check the cables"
        self._some.add("devices were not read; their cables are those that others see", fix, name)
        return True

    def imported(self) -> Imported:
        cables: set[tuple[End, End]] = set()
        for near in sorted(self._told, key=end_key):
            for word, ids in self._told[near]:
                far = self._far(near, word, ids)
                if far is not None:
                    one, other = sorted((near, far), key=end_key)
                    cables.add((one, other))
        ends = Counter(end for cable in cables for end in cable)
        for near, far in sorted(cables):
            if ends[near] > 1 or ends[far] > 1:
                message = f"the two ends report different cables, one of them to {far[0]} {far[1]}"
                self._note(
                    message, "wait until old LLDP entries have expired, and read again", near
                )
                continue
            speed = self._speeds.get(near) or self._speeds.get(far)
            place = self._draft.place(what=f"device {near[0]!a}, {near[1]}")
            length = max(self._lengths.get(near, 0), self._lengths.get(far, 0)) or None
            addresses = {
                "near_address": self._addresses.get(near),
                "far_address": self._addresses.get(far),
                "near_ipv6": self._ipv6.get(near),
                "far_ipv6": self._ipv6.get(far),
                "vlan": self._vlans.get(near) or self._vlans.get(far) or None,
                "state": DISABLED if {near, far} & self._off else None,
            }
            self._draft.cable(
                near, far, place, {"speed_gbps": speed, "cable_m": length, **addresses}
            )
        return Imported(self._draft.plant(), (*self._some.all(), *self._notes))

    def _far(self, near: End, word: str, ids: tuple[str, ...]) -> End | None:
        """Return the other end of what a port sees, None where it is unknown."""
        device = self._names.match(word)
        if device is None:
            message = (
                f"reports {word!a} as its neighbour, which was not read, so the cable is unknown"
            )
            fix = "read that device too, or name it in --leave-out"
            self._note(message, fix, near)
            return None
        if device == near[0]:
            self._note(
                "reports itself as its neighbour; the cable is ignored", "check the cable", near
            )
            return None
        port = self._port(device, ids) or self._seen_from(device, near)
        if not port:
            message = f"sees {device}, on a port that is called {ids[0]!a} and is not known there"
            self._note(message, "the cable is unknown; name the port", near)
            return None
        back = self._told.get((device, port), [])
        if back and not any(self._agrees(near, name, reported) for name, reported in back):
            message = f"sees {device} {port}, which sees {' '.join(back[0][1][:1])!a} of "
            message += f"{back[0][0]!a}; the cable is unknown"
            self._note(message, "wait until old LLDP entries have expired, and read again", near)
            return None
        return device, port

    def _agrees(self, end: End, word: str, ids: tuple[str, ...]) -> bool:
        """Return whether what is seen may be an end: its device, and its port or no known one."""
        return self._names.match(word) == end[0] and self._port(end[0], ids) in {"", end[1]}

    def _port(self, device: str, ids: tuple[str, ...]) -> str:
        """Return the port of a device that goes by one of the names, or nothing."""
        known = (self._ports[device].get(text.lower(), "") for text in ids)
        return next((port for port in known if port), "")

    def _seen_from(self, device: str, near: End) -> str:
        """Return the port of a device that sees an end, when it is one only."""
        seen = [
            port
            for port in self._ports[device].values()
            for word, ids in self._told.get((device, port), ())
            if self._agrees(near, word, ids) and self._port(near[0], ids)
        ]
        return seen[0] if len(seen) == 1 else ""

    def _note(self, message: str, fix: str, end: End) -> None:
        position = Position(self._draft.file)
        self._notes.append(
            Finding(
                "EXC013",
                Severity.WARNING,
                message,
                fix,
                position=position,
                device=end[0],
                port=end[1],
            )
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _read(path: Path, settings: Settings) -> Imported:
    data = json_of(path)
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise malformed(path, "expected a list of devices", _HINT)
    return parse(data, str(path), settings)


importers.add("lldp")(Importer(_read, parse, has_roles=False))
