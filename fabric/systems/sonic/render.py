"""SONiC: ``config_db.json`` from one template per feature, and the kernel's neighbour table."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.artefact import Artefact
from fabric.core.errors import RenderError
from fabric.render.engine import render
from fabric.render.registry import renderers
from fabric.render.scope import mark, scoped
from fabric.systems.sonic.platforms import SYSCTL_FILE
from fabric.systems.sonic.policy import Shape, policy_view
from fabric.systems.sonic.view import view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.platforms.cage import Place

#: Templates of names and addresses, and those of queues, buffers and servers, in the order of the
#: tables of config_db.json.
OWN = ("metadata", "ports", "vrfs", "vlans", "interfaces", "bgp", "bgp_managed")
SHARED = (
    "qos_maps",
    "scheduler",
    "wred",
    "queues",
    "port_qos",
    "buffer_pools",
    "buffer_profiles",
    "buffer_pgs",
    "buffer_queues",
    "buffer_lists",
    "cable_length",
    "computed_buffers",
    "pfc_wd",
    "crm",
    "services",
    "hash",
)
FEATURES = (*OWN, *SHARED)
#: Shapes whose tables are kept: a fabric has a handful; a table may have 200 kB.
_SHAPES = 32
#: Fronts of ports whose text is kept: a model has up to 256 ports, each at some speeds.
_FRONTS = 4096
SYSCTL, FRONT = "neighbours", "port_front"
_INDENT = 4 * " "
_ROW = 2 * _INDENT
#: What stands behind the name of a table, row or field as `join_tables` writes it.
_NAME_END = '": '
_END = f"\n{_INDENT}}}"


@renderers.add("sonic")
def render_sonic(design: DeviceDesign) -> list[Artefact]:
    """Return ``config_db.json`` and the sysctl file of a SONiC switch."""
    design = scoped(design)
    seen = view(design)
    fronts = {port.number: _front(Front.of(port)) for port in design.ports}
    values = {"view": seen, "device": design, "fronts": fronts}
    own = _joined([render(f"sonic/{feature}.j2", design.name, values) for feature in OWN])
    try:
        shared = _shared(Shape.of(design, [key for key, _ in seen.ports]))
        names = check_json(f"{{\n{own}\n}}")
        _refuse_double(names, shared.names)
    except RenderError as error:
        raise RenderError(f"{design.name}: {error}") from error
    text = f"{{\n{own},\n{shared.text}\n}}\n"
    sysctl = render(f"sonic/{SYSCTL}.j2", design.name, values)
    folder = f"switches/{design.name}"
    return [
        Artefact(
            design.name, design.platform, "config_db", f"{folder}/config_db.json", text.encode()
        ),
        Artefact(
            design.name,
            design.platform,
            "sysctl",
            f"{folder}/{SYSCTL_FILE}",
            sysctl.encode(),
        ),
        *([mark(design)] if design.scope == "merge" else []),
    ]


class Front(NamedTuple):
    """What many ports have in common: all but their names and peers."""

    alias: str
    lanes: tuple[int, ...]
    place: Place
    speed_mbps: int
    mtu_bytes: int
    fec: str

    @classmethod
    def of(cls, port: PortDesign) -> Front:
        """Return the front of a port."""
        return cls(*(port.alias, port.lanes, port.place, port.speed_mbps, port.mtu_bytes, port.fec))


@lru_cache(_FRONTS)
def _front(front: Front) -> str:
    """Return the fields of PORT that all ports with a front have, in one line."""
    text = render(f"sonic/{FRONT}.j2", front.alias, {"front": front})
    return ", ".join(text.splitlines())


class Tables(NamedTuple):
    """Some tables of config_db.json, without the braces around all of them."""

    text: str
    names: frozenset[str]


@lru_cache(_SHAPES)
def _shared(shape: Shape) -> Tables:
    """Return the tables that all switches of a shape have."""
    values = {"view": policy_view(shape)}
    model = shape.model.name
    text = _joined([render(f"sonic/{feature}.j2", model, values) for feature in SHARED])
    return Tables(text, check_json(f"{{\n{text}\n}}"))


def _refuse_double(names: frozenset[str], others: frozenset[str]) -> None:
    for name in names & others:
        raise RenderError(f"config_db.json: {name!r} appears twice")


def join_tables(fragments: Iterable[str]) -> str:
    """Return one JSON text from what the templates print, one row per line.

    A template prints tables as ``"NAME": {``, rows, ``}`` without any commas between lines. A row
    is one line, or ``"key": {``, its fields, ``}``. Tables and rows without members differ: a row
    may be empty, but CONFIG_DB does not know empty tables, so these are left out.
    """
    return f"{{\n{_joined(fragments)}\n}}\n"


def _joined(fragments: Iterable[str]) -> str:
    heads: list[str] = []
    bodies: list[list[str]] = []
    body: list[str] = []
    tables = body
    for line in "\n".join(fragments).split("\n"):
        if line[-3:] == ": {":
            heads.append(line)
            bodies.append(body)
            body = []
        elif line == "}" and heads:
            head, inner, body = heads.pop(), body, bodies.pop()
            if heads:
                body.append(f"{head}{', '.join(inner)}}}")
            elif inner:
                body.append(f"{_INDENT}{head}\n{_ROW}" + f",\n{_ROW}".join(inner) + _END)
        elif line:
            body.append(line)
    return ",\n".join([*tables, *heads])


def check_json(text: str) -> frozenset[str]:
    """Return the names of the tables of a JSON text.

    Raises
    ------
    RenderError
        When it is not JSON, or names a table, row or field twice; with the line or the name.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        by_name = dict(pairs)
        if len(by_name) != len(pairs):
            names = [name for name, _ in pairs]
            double = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{double!r} appears twice")
        return by_name

    try:
        # as many names in the text as in the data: none stands twice
        tables = json.loads(text)
        if text.count(_NAME_END) != _names(tables):
            json.loads(text, object_pairs_hook=unique)
    except ValueError as error:  # JSONDecodeError is one
        raise RenderError(f"config_db.json: {error}") from error
    return frozenset(tables)


def _names(config: dict[str, dict[str, dict[str, Any]]]) -> int:
    rows = [row for table in config.values() for row in table.values()]
    tables = len(config) + sum(len(table) for table in config.values())
    return tables + sum(len(row) for row in rows if isinstance(row, dict))
