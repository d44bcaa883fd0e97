"""NetBox: its cables as those of a plant, with what of them is read in another way.

Shapes: netbox-community/netbox v4.6.8, netbox/dcim/api/serializers_/cables.py and
device_components.py.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from fabric.core.shown import listed, quoted
from fabric.core.units import METRES, kbps_to_gbps, length_to_m
from fabric.exchange.netbox_cables import laned, pairs, paths, peers, with_peers
from fabric.exchange.netbox_words import ends_of, name_of, object_of, slug_of
from fabric.exchange.plant import DISABLED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.exchange.draft import Draft
    from fabric.exchange.lanes import Lane
    from fabric.exchange.netbox_notes import NetBoxNotes
    from fabric.exchange.netbox_words import Row
    from fabric.exchange.plant import End

_PROFILE = "set the profile of the cable in NetBox"
_PANEL = "complete the path in NetBox, and import connected_endpoints of interfaces"
#: Types of interfaces, such as 400gbase-x-osfp (InterfaceTypeChoices, netbox/dcim/choices.py).
_SPEED = re.compile(r"([0-9]+)gbase-")


class Links:
    """Cables that are taken into a draft.

    Parameters
    ----------
    draft, notes : Draft, NetBoxNotes
        What takes the cables, and what names those that are read in another way.
    kinds : mapping
        ``switch`` or ``host`` by the name of a device of the fabric.
    interfaces : mapping
        Interfaces of these devices.
    """

    def __init__(
        self,
        draft: Draft,
        notes: NetBoxNotes,
        kinds: Mapping[str, str],
        interfaces: Mapping[End, Row],
        addresses: Mapping[End, str],
        ipv6: Mapping[End, str],
    ) -> None:
        self._draft, self._notes = draft, notes
        self._kinds, self._addresses, self._ipv6 = kinds, addresses, ipv6
        self._by_id = {str(row["id"]): end for end, row in interfaces.items() if "id" in row}
        self._interfaces = {end: with_peers(row, self._by_id) for end, row in interfaces.items()}
        self._decided: set[End] = set()
        self._panelled: dict[End, None] = {}
        self.cabled: set[End] = set()
        self.lanes: dict[End, Lane] = {}

    def read(self, rows: Iterable[Row]) -> None:
        """Take cables in, then what is connected through patch panels."""
        for row in rows:
            self._cable(row)
        self._paths()
        self._note_interfaces()

    def _cable(self, row: Row) -> None:
        sides = [ends_of(row, side, self._by_id) for side in "ab"]
        one, other = ([end for end in side if end] for side in sides)
        mine = [end for end in (*one, *other) if end[0] in self._kinds]
        place = self._draft.place(what=object_of("cables", row))
        name = f"{' '.join(mine[0])} ({place.field})" if mine else ""
        if not mine:
            return
        direct = bool(one and other) and [one, other] == sides
        present = self._notes.present("cables", name, row)
        if direct or not present:
            self._decided |= {*mine}
        else:
            self._panelled |= dict.fromkeys(mine)  # the interfaces tell what is at the other end
        if not direct or not present:
            return
        joined = pairs(one, other, self._interfaces)
        if not joined:
            what = "cables with several ends are ignored, as their lanes are not known"
            self._notes.add(what, _PROFILE, name)
        elif len(one) == len(other) > 1 and any(len(self._peers(end)) != 1 for end in other):
            what = "cables with several ends were joined in order, as their lanes are not known"
            self._notes.add(what, _PROFILE, name)
        self._join(joined, place, self._length(row, place))

    def _of_switches(self, known: Mapping[End, str], ends: tuple[End, End]) -> Iterator[str]:
        """Yield what is known of each end that is a port of a switch."""
        for end in ends:
            yield known.get(end, "") if self._kinds[end[0]] == "switch" else ""

    def _is_off(self, end: End) -> bool:
        return self._interfaces.get(end, {}).get("enabled") is False

    def _join(self, joined: list[tuple[End, End]], place: Any, cable_m: int | None) -> None:
        """Take cables in, with a name for each lane of a port that has several."""
        ports, lanes = laned(joined)
        for whole, (one, other) in zip(joined, ports, strict=True):
            if not {one[0], other[0]} <= self._kinds.keys():
                continue
            if any(end in lanes and self._kinds[end[0]] == "host" for end in (one, other)):
                what = "cables from one NIC to several ports are ignored"
                fix = "model each port of the NIC as an interface"
                self._notes.add(what, fix, " ".join(whole[0] + whole[1]))
                continue
            ends = [end for end, port in zip(whole, (one, other), strict=True) if port not in lanes]
            speeds = [self._speed(self._interfaces.get(end, {})) for end in ends]
            known = [speed for speed in speeds if speed]
            near_address, far_address = self._of_switches(self._addresses, whole)
            near_ipv6, far_ipv6 = self._of_switches(self._ipv6, whole)
            figures = {
                "speed_gbps": min(known) if known else None,
                "cable_m": cable_m,
                "near_address": near_address,
                "far_address": far_address,
                "near_ipv6": near_ipv6,
                "far_ipv6": far_ipv6,
                "state": DISABLED if any(map(self._is_off, whole)) else None,
            }
            self._draft.cable(one, other, place, figures)
            self.cabled |= {*whole}
            for end in {one, other} & lanes.keys():
                self.lanes[self._draft.short(end[0]), end[1]] = lanes[end]

    def _paths(self) -> None:
        """Take what is at the other end of patch panels, whose lengths are not added up."""
        through = paths(self._interfaces, self._decided)
        self._join(through, self._draft.place(what="interfaces"), None)
        for end in self._panelled:
            managed = self._interfaces.get(end, {}).get("mgmt_only")
            if end not in self.cabled and len(self._peers(end)) != 1 and not managed:
                what = "cables end on a patch panel that leads to no single interface"
                self._notes.add(what, _PANEL, " ".join(end))

    def _peers(self, end: End) -> list[End]:
        return peers(self._interfaces.get(end, {}))

    def _note_interfaces(self) -> None:
        """Note what cables end on and the inventory does not have."""
        for end in filter(self.cabled.__contains__, self._interfaces):
            row = self._interfaces[end]
            name = " ".join(end)
            lag = name_of(row.get("lag"))
            if lag:
                what = "interfaces are members of a LAG, and imported as single ones"
                self._notes.add(what, "check their addresses", f"{name} of {lag}")

    def _length(self, row: Row, place: Any) -> int | None:
        length, unit = row.get("length"), slug_of(row.get("length_unit"))
        if length is None or length == "":
            return None
        if unit not in METRES:
            message = f"length {quoted(str(length))} has no known unit"
            self._draft.wrong("EXC006", message, f"use {listed(METRES)}", place)
            return None
        try:
            return math.ceil(length_to_m(float(length), unit))
        except (ValueError, OverflowError, TypeError):
            message = f"{quoted(str(length))} is not a length"
            self._draft.wrong("EXC006", message, "use a number", place)
            return None

    @staticmethod
    def _speed(row: Row) -> int | None:
        speed = row.get("speed")
        if isinstance(speed, int) and speed > 0:
            return int(kbps_to_gbps(speed))
        match = _SPEED.match(slug_of(row.get("type")))
        return int(match[1]) if match else None
