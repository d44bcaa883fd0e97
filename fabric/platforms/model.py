"""The shape of platform knowledge."""

from __future__ import annotations

import string
from collections.abc import Mapping  # noqa: TC003 - read at run time by the models of data files
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from fabric.core.registry import Registry
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.cage import CageKind, Place
from fabric.platforms.facts import OF_ALL_PORTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.platforms.asic import Asic
    from fabric.platforms.cage import Mode
    from fabric.platforms.facts import Fact
    from fabric.platforms.system import Platform

Role = Literal["leaf", "spine", "super-spine"]


def role_field(role: str) -> str:
    """Return the name of a role as a field of the inventory has it."""
    return role.replace("-", "_")


platforms: Registry[Platform] = Registry("platform", plugins="platforms")


@dataclass(frozen=True, slots=True)
class HeadroomRow:
    """One row of a vendor's lossless buffer table, in bytes.

    ``headroom_bytes`` is the room kept after the pause was sent (SONiC: ``xoff``);
    ``size_bytes`` means xon + headroom on NVIDIA and the reserved minimum on Broadcom tables.
    """

    size_bytes: int
    xon_threshold_bytes: int
    headroom_bytes: int
    dynamic_th: int
    xon_offset_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Sizes of the shared buffer pools of a switch in bytes.

    Parameters
    ----------
    ingress_lossless_bytes, egress_lossless_bytes : int
        Pools that lossless traffic draws from.
    ingress_lossy_bytes, egress_lossy_bytes : int or None
        Pools of other traffic; None where it draws from the lossless pools.
    shared_headroom_bytes : int
        Headroom that all priority groups share (SONiC: ``xoff`` of the pool); 0 where each group
        has its own.
    """

    ingress_lossless_bytes: int
    egress_lossless_bytes: int
    ingress_lossy_bytes: int | None = None
    egress_lossy_bytes: int | None = None
    shared_headroom_bytes: int = 0


#: Speeds of a lane: SerDes of 10G, 25G, 50G, 100G and 200G (IEEE 802.3 Clauses 49, 107, 136, 162;
#: 802.3dj).
_LANE_GBPS = (10, 25, 50, 100, 200)


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port for management or service, as the image names it; ``lanes`` as SONiC writes them."""

    name: str
    lanes: str
    alias: str


@dataclass(frozen=True, slots=True)
class BufferLayout:
    """The buffer objects of a SONiC switch beside its lossless groups, as its image writes them.

    Parameters
    ----------
    pools, profiles : mapping of str to mapping
        Rows of BUFFER_POOL and BUFFER_PROFILE.
    lossy_queue : str
        Profile of the queues that may drop.
    port_lists : bool
        Whether each port is told its ingress and egress profiles.
    """

    pools: Mapping[str, Mapping[str, str]]
    profiles: Mapping[str, Mapping[str, str]]
    lossy_queue: str
    port_lists: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sku:
    """One switch model under one network operating system.

    Parameters
    ----------
    name : str
        HwSKU of SONiC or model name of the vendor.
    nos : str
        Name of the platform that runs on it.
    asic : str
        ASIC family, such as ``spectrum-3``.
    asics : int
        ASICs that the ports are spread over. What a family says of all ports of one ASIC, such as
        its packet buffer, is not said of a switch with several.
    port_count : int
        Front panel ports of the fabric speed; management and service ports do not count.
    lanes_per_port : int
        SerDes lanes of a port; with ``kinds``, of those of the first kind.
    port_name, port_alias : str
        Patterns with ``{number}`` (from 1), ``{index}`` (from 0) and ``{lane}`` (first lane, from
        0); with line cards ``{slot}`` and ``{slot_port}`` (from 1).
    part_name, part_alias : str
        The same for a part of a cage, further with ``{part}`` (from 0), ``{ordinal}`` (from 1),
        ``{letter}`` (from a) and ``{first}`` (its first lane in the cage, from 1); empty where a
        cage cannot be split, or nobody knows how its parts are named.
    speeds_gbps : tuple of int
        Speeds that a whole port (not broken out) can run at.
    speed_tokens : dict
        Configuration word of a speed where the system needs one (EOS ``400g-4``).
    queue_submode : str
        EOS queue sub-mode word; empty elsewhere.
    buffer_bytes : int or None
        Size of the packet buffer where it is known of this model; see `packet_buffer_bytes`.
    pools : Pools or None
        Pool sizes of the vendor's defaults, where known.
    layout : BufferLayout or None
        Buffer objects of the image where they are not those of NVIDIA.
    headroom : dict
        Vendor table: (speed_mbps, cable_m) -> row; empty where the vendor publishes none.
    first_lanes : tuple of int
        First lane of each port; empty where port n begins at lane (n - 1) * lanes_per_port.
    service_ports : tuple of ServicePort
        Ports beside those of the fabric that the image configures; they are never ours.
    breakouts : tuple of str
        Modes that every port offers, as SONiC writes them (``2x400G``); empty where not known.
    places : tuple of Place
        Cage and part of each port, where cages are split; empty where every port is whole.
    gearbox_ns : float
        Delay of the gearbox between ASIC and port, one way; 0 where there is none.
    own_facts : mapping of str to Fact
        Facts of this model that differ from its ASIC family, by the names of ``FACTS``.
    facts : dict
        Further fixed facts of the platform, such as SONiC ``platform``.
    kinds : tuple of CageKind
        Kinds of cages in the order of the front panel; empty where all cages are of one kind
        whose names count by its lanes.
        Names, lanes, parts, ``speeds_gbps`` and ``breakouts`` are then those of the first kind.
    source : str
        Where the numbers come from.
    note : str
        What its ports can do and no design has; empty where there is nothing.
    """

    name: str
    nos: str
    asic: str
    port_count: int
    lanes_per_port: int
    port_name: str
    port_alias: str
    speeds_gbps: tuple[int, ...]
    source: str
    asics: int = 1
    speed_tokens: dict[int, str] = field(default_factory=dict)
    queue_submode: str = ""
    buffer_bytes: int | None = None
    pools: Pools | None = None
    layout: BufferLayout | None = None
    headroom: dict[tuple[int, int], HeadroomRow] = field(default_factory=dict)
    first_lanes: tuple[int, ...] = ()
    service_ports: tuple[ServicePort, ...] = ()
    breakouts: tuple[str, ...] = ()
    part_name: str = ""
    part_alias: str = ""
    places: tuple[Place, ...] = ()
    gearbox_ns: float = 0.0
    own_facts: Mapping[str, Fact] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    kinds: tuple[CageKind, ...] = ()
    note: str = ""

    @property
    def asic_facts(self) -> Asic:
        """What is known of the ASIC; facts of this model stand before those of the family.

        Raises
        ------
        KeyError
            When the family is unknown.
        """
        family = asic(self.asic)
        if not self.own_facts and self.asics == 1:
            return family
        common = {
            name: fact
            for name, fact in family.facts.items()
            if self.asics == 1 or name not in OF_ALL_PORTS
        }
        return replace(family, facts=MappingProxyType({**common, **self.own_facts}))

    @property
    def packet_buffer_bytes(self) -> int | None:
        """Size of the packet buffer: the model's own, else that of its ASIC family, else None."""
        return self.buffer_bytes or self.asic_facts.integer("buffer_bytes")

    @property
    def host_entries(self) -> int | None:
        """IPv4 neighbours that the switch can hold, where known."""
        return self.asic_facts.integer("host_entries")

    @property
    def mac_entries(self) -> int | None:
        """MAC addresses that the switch can hold, where known."""
        return self.asic_facts.integer("mac_entries")

    @property
    def route_entries(self) -> int | None:
        """IPv4 routes that the switch can hold, where known."""
        return self.asic_facts.integer("route_entries")

    @property
    def host_entries_ipv6(self) -> int | None:
        """IPv6 neighbours that the switch can hold, where known."""
        return self.asic_facts.integer("host_entries_ipv6")

    @property
    def route_entries_ipv6(self) -> int | None:
        """IPv6 routes longer than /64 that the switch can hold, where known."""
        return self.asic_facts.integer("route_entries_ipv6")

    @property
    def release(self) -> str:
        """Release that runs on the switch; empty where nobody says."""
        return self.facts.get("release", "")

    @property
    def lacks(self) -> str:
        """What its configuration needs and nobody knows; empty for a model that is rendered."""
        pools = self.pools
        own = pools and None not in {pools.ingress_lossy_bytes, pools.egress_lossy_bytes}
        return "" if self.nos != "sonic" or self.layout or own else "buffer pools"

    @property
    def whole(self) -> Sku:
        """The model with every cage whole."""
        if not self.places:
            return self
        return replace(self, port_count=self.places[-1].cage, places=())

    def place(self, number: int) -> Place:
        """Return cage and part of port ``number`` (from 1)."""
        return self.places[number - 1] if self.places else Place(number)

    def port(self, number: int) -> str:
        """Return the name of port ``number`` (from 1)."""
        names = _names(self)
        return names[number - 1] if number <= len(names) else self._named(number, alias=False)

    def alias(self, number: int) -> str:
        """Return the alias of port ``number`` (from 1)."""
        return self._named(number, alias=True)

    def cage(self, number: int) -> str:
        """Return the name of the cage of port ``number``: that of its whole port."""
        cage = self.place(number).cage
        kind, words = self._words(cage)
        return kind.name.format(**words)

    def kind(self, cage: int) -> CageKind:
        """Return the kind of a cage (from 1)."""
        return self._at(cage)[0]

    def cages(self) -> Iterator[tuple[CageKind, range]]:
        """Yield each kind of cage with its cages (from 1)."""
        first = 1
        for kind in self.kinds or (_only_kind(self.whole),):
            yield kind, range(first, first + kind.count)
            first += kind.count

    def _words(self, cage: int) -> tuple[CageKind, dict[str, int]]:
        """Return the kind of a cage, and what the placeholders of its names are."""
        kind, lane = self._at(cage)
        words = {"number": cage, "index": cage - 1, "lane": lane}
        if kind.slot_ports:
            words |= kind.slot(cage - next(span for one, span in self.cages() if one is kind).start)
        return kind, words

    def _at(self, cage: int) -> tuple[CageKind, int]:
        """Return the kind of a cage, and what ``{lane}`` is for it."""
        before = lanes = 0
        for kind in self.kinds:
            if cage <= before + kind.count:
                return kind, lanes + (cage - 1 - before) * kind.stride
            before, lanes = before + kind.count, lanes + kind.count * kind.stride
        return _only_kind(self), (cage - 1) * self.lanes_per_port

    def _named(self, number: int, *, alias: bool) -> str:
        place = self.place(number)
        kind, words = self._words(place.cage)
        if place.mode is None:
            return (kind.alias if alias else kind.name).format(**words)
        offset = place.part * _part_lanes(place.mode, kind)
        words |= {"lane": words["lane"] + offset, "part": place.part, "ordinal": place.part + 1}
        letter = string.ascii_lowercase[place.part]
        pattern = kind.part_alias if alias else kind.part_name
        return pattern.format(**words, letter=letter, first=offset + 1)

    def lanes(self, number: int) -> range:
        """Return the lanes of port ``number`` (from 1)."""
        place = self.place(number)
        kind, first = self._at(place.cage)
        if self.first_lanes:
            first = self.first_lanes[place.cage - 1]
        if place.mode is None:
            return range(first, first + kind.lanes)
        each = _part_lanes(place.mode, kind)
        return range(first + place.part * each, first + (place.part + 1) * each)

    def speeds_of(self, number: int) -> tuple[int, ...]:
        """Return the speeds that port ``number`` (from 1) can run at, in Gb/s."""
        place = self.place(number)
        return place.mode.speeds_gbps if place.mode else self.kind(place.cage).speeds_gbps

    def speed_token(self, number: int, speed_gbps: int) -> str:
        """Return the configuration word for a speed of port ``number``; empty where it has none."""
        place = self.place(number)
        kind = self.kind(place.cage)
        word = kind.speed_tokens.get(speed_gbps, "")
        return _within(word, speed_gbps, _part_lanes(place.mode, kind)) if place.mode else word

    @property
    def all_speeds_gbps(self) -> tuple[int, ...]:
        """Speeds of whole ports of any kind, ascending."""
        return tuple(sorted({*self.speeds_gbps, *(s for k in self.kinds for s in k.speeds_gbps)}))

    @property
    def all_breakouts(self) -> tuple[str, ...]:
        """Modes that cages of any kind offer."""
        others = (word for kind in self.kinds for word in kind.breakouts)
        return tuple(dict.fromkeys((*self.breakouts, *others)))

    def port_numbers(self) -> dict[str, int]:
        """Return name -> number of every port."""
        return {self.port(number): number for number in range(1, self.port_count + 1)}

    def aliases(self) -> dict[str, str]:
        """Return alias, in lower case, -> name of every port."""
        return {self.alias(number).lower(): port for port, number in self.port_numbers().items()}

    def cable_lengths_m(self, speed_mbps: int) -> tuple[int, ...]:
        """Return the cable lengths that the vendor's table knows at a speed, ascending."""
        return tuple(sorted(length for speed, length in self.headroom if speed == speed_mbps))

    def table_length_m(self, speed_mbps: int, cable_m: int) -> int | None:
        """Return the step of the vendor's table for a cable: the next length that is not shorter.

        None where there is no table, or no row of it is long enough.
        """
        lengths = self.cable_lengths_m(speed_mbps)
        return next((length for length in lengths if length >= cable_m), None)


@lru_cache(maxsize=1024)
def _names(model: Sku) -> tuple[str, ...]:
    """Return the names of all ports of a model."""
    return tuple(model._named(number, alias=False) for number in range(1, model.port_count + 1))  # noqa: SLF001 - of this module


@lru_cache(maxsize=1024)
def _only_kind(model: Sku) -> CageKind:
    return CageKind(
        count=model.port_count,
        lanes=model.lanes_per_port,
        speeds_gbps=model.speeds_gbps,
        name=model.port_name,
        alias=model.port_alias,
        part_name=model.part_name,
        part_alias=model.part_alias,
        breakouts=model.breakouts,
        speed_tokens=model.speed_tokens,
    )


def _within(word: str, speed_gbps: int, lanes: int) -> str:
    """Return the word of a speed on the lanes of a part: ``100g-2`` of ``100g-4``, or none."""
    head, dash, used = word.partition("-")
    if not dash or int(used) <= lanes:
        return word
    return f"{head}-{lanes}" if speed_gbps / lanes in _LANE_GBPS else ""


def _part_lanes(mode: Mode, kind: CageKind) -> int:
    return (mode.lanes or kind.lanes) // mode.parts
