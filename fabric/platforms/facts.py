"""Single facts about hardware: a value, where it comes from, and how well it is known."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from fabric.platforms.data_file import WrongFieldError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: ``vendor``: printed by the maker or in the maker's own files; ``deduced``: computed from such
#: files, the source says how; ``unconfirmed``: one sighting, used only where it is asked for.
Grade = Literal["vendor", "deduced", "unconfirmed"]
GRADES: tuple[Grade, ...] = get_args(Grade)
Value = int | float | str | tuple[int | float | str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact.

    Parameters
    ----------
    value : int, float, str or tuple
        In the unit that ``FACTS`` gives for the name of the fact.
    source : str
        Vendor page, standard, or repository, commit and path; never empty.
    grade : {"vendor", "deduced", "unconfirmed"}
        How well it is known.
    """

    value: Value
    source: str
    grade: Grade


class FactKind(NamedTuple):
    """Unit and meaning of a fact; the unit ``text`` marks facts that are no number."""

    unit: str
    meaning: str


_SPEEDS = (100, 200, 400, 800)

#: Every name that a fact can have. A data file with another name is refused.
FACTS: dict[str, FactKind] = {
    "cell_bytes": FactKind("bytes", "Unit in which the packet buffer is given out."),
    "buffer_bytes": FactKind("bytes", "Packet buffer that ports can share, all partitions."),
    "lossless_pool_bytes": FactKind(
        "bytes", "Shared ingress pool of lossless traffic, where no table of the maker has it."
    ),
    "headroom_pool_bytes": FactKind(
        "bytes", "Headroom of all lossless ports together that the configuration sets (VRP8)."
    ),
    "pause_threshold_bytes": FactKind(
        "bytes", "Ingress queue at which a port pauses, whatever is free of the buffer."
    ),
    "resume_threshold_bytes": FactKind(
        "bytes", "Ingress queue at which such a port ends the pause."
    ),
    "pool_headroom": FactKind(
        "text", "`separate` where the xoff of a SONiC pool is not part of its size."
    ),
    "buffer_partitions": FactKind("count", "Parts of the buffer that share nothing."),
    "capacity_gbps": FactKind("Gb/s", "Sum of the port speeds of one ASIC, one direction."),
    "unicast_queues": FactKind("count", "Unicast egress queues of a port."),
    "lossless_classes": FactKind("count", "PFC classes that a port can carry at once."),
    "pipeline_bytes": FactKind("bytes", "Bytes held in the pipeline; the XON threshold of NVIDIA."),
    "mac_phy_bytes": FactKind("bytes", "Bytes held in MAC and PHY when the pause leaves."),
    "peer_response_bytes": FactKind("bytes", "Response of the peer where no pause quanta apply."),
    "tile_ns": FactKind("ns", "Delay of the input tile, filled at line rate."),
    "extra_headroom_bytes": FactKind("bytes", "Headroom added after rounding, at any speed."),
    "descriptors_bytes": FactKind(
        "bytes",
        "Kept for modification descriptors where SONiC computes buffers; then not for mirror "
        "sessions.",
    ),
    "port_headroom_cells": FactKind("cells", "Most shared headroom that one port may use."),
    "port_reserved_headroom_cells": FactKind(
        "cells", "Added to port_headroom_cells; twice this on ports of 8 lanes."
    ),
    "packing_factor": FactKind("ratio", "Buffer bytes for each byte on the wire, worst case."),
    "frame_bytes": FactKind("bytes", "Frame that the vendor's headroom law counts twice."),
    "response_ns": FactKind("ns", "Response time in the vendor's headroom tables."),
    "safe_response_ns": FactKind(
        "ns", "Response time that stays at or above the vendor's rows of 100G and more."
    ),
    "pause_response_ns": FactKind(
        "ns", "Longest time from a pause until a port stops sending; counts for its peers."
    ),
    "delay_ns_per_m": FactKind("ns/m", "One-way delay of the cable in the headroom law."),
    **{
        f"intercept_bytes_{speed}g": FactKind(
            "bytes", f"Headroom at {speed}G for a cable of no length; not times packing_factor."
        )
        for speed in _SPEEDS
    },
    **{
        f"floor_bytes_{speed}g": FactKind(
            "bytes", f"Headroom at {speed}G up to floor_length_m, whatever the length."
        )
        for speed in _SPEEDS
    },
    "floor_length_m": FactKind("m", "Longest cable of the floor."),
    "ecn_quantum_bytes": FactKind("bytes", "Step of the ECN thresholds; the chip rounds up."),
    "host_entries": FactKind("count", "IPv4 neighbours."),
    "mac_entries": FactKind("count", "MAC addresses."),
    "route_entries": FactKind("count", "IPv4 routes."),
    "host_entries_ipv6": FactKind("count", "IPv6 neighbours."),
    "route_entries_ipv6": FactKind("count", "IPv6 routes longer than /64."),
    "adaptive_routing": FactKind("text", "Whether flows can move to the less loaded path."),
}

#: What all ports of one ASIC share.
OF_ALL_PORTS = frozenset({
    "buffer_bytes",
    "lossless_pool_bytes",
    "headroom_pool_bytes",
    "buffer_partitions",
    "capacity_gbps",
})
_WHOLE_UNITS = ("bytes", "cells", "count", "Gb/s")
#: Given in tenths of a KiB: sonic-net/sonic-buildimage platform/mellanox/asic_table.j2.
_FRACTIONS = ("mac_phy_bytes", "peer_response_bytes")


def is_whole(name: str) -> bool:
    """Say whether a fact is a whole number by its nature, such as a count."""
    return FACTS[name].unit in _WHOLE_UNITS and name not in _FRACTIONS


def check_fact(name: str, fact: Fact) -> None:
    """Refuse a fact that no one could use.

    Raises
    ------
    ValueError
        When the name is unknown, the source is empty, the grade is unknown, or the value is not
        what the unit asks for: a positive number, whole where it counts things.
    """
    kind = FACTS.get(name)
    if kind is None:
        raise ValueError(f"unknown fact {name!r}")
    if not fact.source.strip() or fact.grade not in GRADES:
        raise ValueError(f"{name}: a fact needs a source and one of the grades {', '.join(GRADES)}")
    values = fact.value if isinstance(fact.value, tuple) else (fact.value,)
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number == (kind.unit == "text") or (number and not 0 < float(value) < float("inf")):
            raise ValueError(f"{name}: {value!r} is not a value in {kind.unit}")
        if is_whole(name) and not isinstance(value, int):
            raise ValueError(f"{name}: {value!r} is not a whole number")


def parse_facts(
    facts: Mapping[str, tuple[Any, Grade, str]], sources: Mapping[str, str], table: str
) -> Mapping[str, Fact]:
    """Return the facts of a data file.

    Parameters
    ----------
    facts : mapping
        Name of the fact -> value, grade, key of its source.
    sources : mapping
        Key -> source.
    table : str
        Name of the table that holds the facts, for messages.

    Raises
    ------
    WrongFieldError
        As `check_fact`; a key without a source is an empty source.
    """
    parsed = {}
    for name, (value, grade, key) in facts.items():
        kept = tuple(value) if isinstance(value, list) else value
        parsed[name] = Fact(kept, sources.get(key, ""), grade)
        try:
            check_fact(name, parsed[name])
        except ValueError as error:
            raise WrongFieldError((table, name), str(error)) from error
    return MappingProxyType(parsed)
