"""The ASIC families and switch models that rocefab knows, read when they are asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.plugins import folders
from fabric.platforms.asic import Asic, parse_asic
from fabric.platforms.facts import Fact, parse_facts
from fabric.platforms.model import BufferLayout, HeadroomRow, Pools, ServicePort, Sku

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_ENDING = ".toml"
Described = TypeVar("Described")


@cache
def _data_files(kind: str) -> dict[str, Traversable]:
    """Return the data files of a kind by what they describe: ours and those of plug-ins.

    Raises
    ------
    ValueError
        When two of them describe the same thing.
    """
    found: dict[str, Traversable] = {}
    own = files("fabric.platforms") / kind
    for folder in (*([own] if own.is_dir() else []), *folders(kind)):
        for entry in folder.iterdir():
            name = entry.name.removesuffix(_ENDING)
            if entry.name.endswith(_ENDING):
                if name in found:
                    message = f"{kind}/{entry.name} is there twice: {found[name]} and {entry}"
                    raise ValueError(message)
                found[name] = entry
    return dict(sorted(found.items()))


def asic_names() -> tuple[str, ...]:
    """Return the names of all known ASIC families, sorted, without their aliases."""
    return tuple(_data_files("asics"))


@cache
def asic(name: str) -> Asic:
    """Return one ASIC family by its name or an alias, in any case.

    Raises
    ------
    KeyError
        When no family has that name.
    """
    wanted = name.lower()
    if wanted in asic_names():
        return _parsed(wanted, _data_files("asics")[wanted], parse_asic)
    for known in asic_names():
        if wanted in asic(known).aliases:
            return asic(known)
    message = f"unknown ASIC {name!r}; known: {', '.join(asic_names())}"
    raise KeyError(message)


def sku_names() -> tuple[str, ...]:
    """Return the names of all known models, sorted."""
    return tuple(_data_files("skus"))


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
    return _parsed(name, _data_files("skus")[name], _parse)


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


def _parsed(
    name: str, file: Traversable, parse: Callable[[str, dict[str, Any]], Described]
) -> Described:
    """Return what a data file describes.

    Raises
    ------
    InputError
        Names the file and the field that is wrong.
    """
    try:
        return parse(name, tomllib.loads(file.read_text(encoding="utf-8")))
    except KeyError as error:
        message = f"{error.args[0]}: the field is missing"
        raise _unusable(file, message) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise _unusable(file, str(error)) from error


def _unusable(file: Traversable, message: str) -> InputError:
    fix = "correct the file, or install the package again that it belongs to"
    finding = Finding("INT033", Severity.ERROR, message, fix, position=Position(str(file)))
    return InputError("a data file of a platform cannot be used", [finding])


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
