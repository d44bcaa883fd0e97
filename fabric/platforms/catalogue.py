"""The switch models that rocefab knows, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any

from annotated_types import Len
from pydantic import Field, model_validator

from fabric.platforms.asic_catalogue import asic, data_files
from fabric.platforms.cage import CageKind
from fabric.platforms.data_file import DataModel, WrongFieldError, read_toml
from fabric.platforms.facts import Fact, Grade, parse_facts
from fabric.platforms.model import BufferLayout, HeadroomRow, Pools, ServicePort, Sku, platforms


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
        raise KeyError(f"unknown SKU {name!r}; known: {', '.join(sku_names())}")
    return read_toml(data_files("skus")[name], SkuFile).sku(name)


def skus_of(asic_name: str) -> Iterator[Sku]:
    """Yield the models with an ASIC; files that do not name it are not parsed."""
    for name, file in data_files("skus").items():
        if asic_name in file.read_text(encoding="utf-8") and sku(name).asic == asic_name:
            yield sku(name)


@cache
def sku_aliases() -> dict[str, str]:
    """Return the models by the other names that orders and NetBox have for them.

    Reads the data files of all models.

    Raises
    ------
    ValueError
        When two models have the same alias.
    """
    by_alias: dict[str, str] = {}
    for name, file in data_files("skus").items():
        for alias in read_toml(file, SkuFile).aliases:
            if by_alias.setdefault(alias, name) != name or alias in sku_names():
                raise ValueError(f"{alias!r} is the name of {by_alias[alias]} and of {name}")
    return by_alias


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


class CagesTable(DataModel):
    """Cages of one kind in a data file of a switch model; patterns as in `Sku`."""

    count: int = Field(gt=0)
    lanes: int = Field(gt=0)
    name: str
    alias: str
    part_name: str = ""
    part_alias: str = ""
    step: int = Field(0, ge=0)
    slot_ports: int = Field(0, ge=0)
    first_slot: int = Field(1, ge=0)
    speeds_gbps: tuple[int, ...] = Field(min_length=1)
    tokens: dict[int, str] = Field(default_factory=dict)

    def kind(self, breakouts: tuple[str, ...]) -> CageKind:
        """Return the kind of cage, which offers some modes."""
        return CageKind(
            count=self.count,
            lanes=self.lanes,
            speeds_gbps=self.speeds_gbps,
            name=self.name,
            alias=self.alias,
            part_name=self.part_name,
            part_alias=self.part_alias,
            breakouts=breakouts,
            speed_tokens=self.tokens,
            step=self.step,
            slot_ports=self.slot_ports,
            first_slot=self.first_slot,
        )


class MoreCagesTable(CagesTable):
    """Cages of a further kind, which follow those before them."""

    breakouts: tuple[str, ...] = ()


class PortsTable(CagesTable):
    """Front panel ports in a data file of a switch model: the first kind, and further ones."""

    more: tuple[MoreCagesTable, ...] = ()
    first_lanes: tuple[int, ...] = ()
    service: tuple[tuple[str, str, str], ...] = ()


class SkuFile(DataModel):
    """A data file of a switch model; fields as in `Sku`.

    ``aliases`` are the names that orders and NetBox have for the model.
    A row of ``headroom`` is speed_mbps, cable_m, size, xon, headroom, dynamic_th and perhaps
    xon_offset; lengths in metres, sizes in bytes.
    """

    nos: str
    asic: str
    asics: int = Field(1, ge=1)
    source: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    note: str = ""
    ports: PortsTable
    queue_submode: str = ""
    breakouts: tuple[str, ...] = ()
    headroom: tuple[Annotated[tuple[int, ...], Len(6, 7)], ...] = ()
    gearbox_ns: float = 0.0
    pools: Pools | None = None
    layout: BufferLayout | None = None
    sources: dict[str, str] = Field(default_factory=dict)
    own_facts: dict[str, tuple[Any, Grade, str]] = Field(default_factory=dict)
    facts: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _facts_are_right(self) -> SkuFile:
        if self.nos not in platforms:
            raise WrongFieldError(
                ("nos",), f"{self.nos!r} is not a system; known: {', '.join(platforms)}"
            )
        try:
            asic(self.asic)
        except KeyError as error:
            raise WrongFieldError(("asic",), str(error.args[0])) from error
        parse_facts(self.own_facts, self.sources, "own_facts")
        return self

    def sku(self, name: str) -> Sku:
        """Return the model of this name."""
        own, ports = parse_facts(self.own_facts, self.sources, "own_facts"), self.ports
        rows = {(row[0], row[1]): HeadroomRow(*row[2:]) for row in self.headroom}
        kinds = (ports.kind(self.breakouts), *(one.kind(one.breakouts) for one in ports.more))
        return Sku(
            name=name,
            kinds=kinds if ports.more or ports.step or ports.slot_ports else (),
            port_count=sum(kind.count for kind in kinds),
            lanes_per_port=ports.lanes,
            port_name=ports.name,
            port_alias=ports.alias,
            part_name=ports.part_name,
            part_alias=ports.part_alias,
            speeds_gbps=ports.speeds_gbps,
            speed_tokens=ports.tokens,
            first_lanes=ports.first_lanes,
            service_ports=tuple(ServicePort(*row) for row in ports.service),
            buffer_bytes=own_buffer(own),
            own_facts=own,
            headroom=rows,
            **{name: getattr(self, name) for name in _SAME},
        )


#: Fields of a data file that a `Sku` has by the same name.
_SAME = (
    *("nos", "asic", "asics", "source", "queue_submode", "breakouts"),
    *("gearbox_ns", "pools", "layout", "facts", "note"),
)
