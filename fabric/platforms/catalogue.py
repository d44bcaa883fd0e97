"""The switch models that rocefab knows, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from fabric.platforms.asic_catalogue import data_files, parsed
from fabric.platforms.facts import Fact, parse_facts
from fabric.platforms.model import BufferLayout, HeadroomRow, Pools, ServicePort, Sku


def sku_names() -> tuple[str, ...]:
    """Return the names of all known models, sorted."""
    return tuple(data_files("skus"))


@cache
def sku(name: str) -> Sku:
    """Return one model.

    Raises
    ------
    KeyError
        When no model has that name.
    """
    if name not in sku_names():
        message = f"unknown SKU {name!r}; known: {', '.join(sku_names())}"
        raise KeyError(message)
    return parsed(name, data_files("skus")[name], _parse)


class Skus(Mapping[str, Sku]):
    """Switch models by name: those of the catalogue, read when asked for, and a user's own.

    Parameters
    ----------
    own : mapping of str to Sku, optional
        Models that the catalogue does not have.
    """

    def __init__(self, own: Mapping[str, Sku] | None = None) -> None:
        self.own: dict[str, Sku] = dict(own or {})

    def __getitem__(self, name: str) -> Sku:
        return self.own[name] if name in self.own else sku(name)

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in sku_names()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted([*sku_names(), *self.own]))

    def __len__(self) -> int:
        return len(sku_names()) + len(self.own)


def own_buffer(own: Mapping[str, Fact]) -> int | None:
    """Return the buffer size among the facts of a model, or None."""
    fact = own.get("buffer_bytes")
    return fact.value if fact and isinstance(fact.value, int) else None


def _parse(name: str, data: dict[str, Any]) -> Sku:
    ports = data["ports"]
    own = parse_facts(data.get("own_facts", {}), data.get("sources", {}))
    return Sku(
        name=name,
        nos=data["nos"],
        asic=data["asic"],
        source=data["source"],
        port_count=ports["count"],
        lanes_per_port=ports["lanes"],
        port_name=ports["name"],
        port_alias=ports["alias"],
        part_name=ports.get("part_name", ""),
        part_alias=ports.get("part_alias", ""),
        speeds_gbps=tuple(ports["speeds_gbps"]),
        speed_tokens={int(speed): token for speed, token in ports.get("tokens", {}).items()},
        queue_submode=data.get("queue_submode", ""),
        buffer_bytes=own_buffer(own),
        pools=Pools(**data["pools"]) if "pools" in data else None,
        layout=BufferLayout(**data["layout"]) if "layout" in data else None,
        headroom={
            (speed, cable): HeadroomRow(size, xon, headroom, threshold, *rest)
            for speed, cable, size, xon, headroom, threshold, *rest in data.get("headroom", [])
        },
        first_lanes=tuple(ports.get("first_lanes", ())),
        service_ports=tuple(ServicePort(*row) for row in ports.get("service", ())),
        breakouts=tuple(data.get("breakouts", ())),
        gearbox_ns=float(data.get("gearbox_ns", 0)),
        own_facts=own,
        facts=data.get("facts", {}),
    )
