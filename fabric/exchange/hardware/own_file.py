"""A switch model as a file of an inventory, ``platforms/NAME.yaml``, with all that is not known."""

from __future__ import annotations

import json
from textwrap import indent
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.json_text import parse_json
from fabric.exchange.yaml_text import dump
from fabric.platforms import platforms
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.buffers import PROFILES, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.exchange.hardware.model import Hardware, Panel
    from fabric.exchange.yaml_text import Path
    from fabric.platforms.cage import CageKind

HEADROOM_FILE, BUFFERS_FILE = "pg_profile_lookup.ini", "buffers.json"
_FIELDS = {HEADROOM_FILE: "headroom_table", BUFFERS_FILE: "buffers"}
_PORT_LISTS = "BUFFER_PORT_INGRESS_PROFILE_LIST"
#: Shares of the buffer on a QFX5220 and QFX5230 (Juniper/terraform-apstra-examples @ 28d884d3
#: ai-cluster-jvd/configlet_dcqcn.tf), where a user has none yet.
_SHARES = {
    "ingress_lossless_percent": 80,
    "ingress_headroom_percent": 10,
    "ingress_lossy_percent": 10,
    "egress_lossless_percent": 80,
    "egress_lossy_percent": 20,
}
#: Facts that a model adds to its family, where checks need them: name, and what waits for it.
_FACTS = {
    "buffer_bytes": "checks of the buffer are skipped",
    "mac_entries": "checks of the MAC table are skipped",
    "host_entries": "checks of the ARP table are skipped",
    "host_entries_ipv6": "checks of the table of IPv6 neighbours are skipped",
}
_WIDTH = 96


class OwnFile(NamedTuple):
    """The files of a model by their paths in ``platforms/``, and how many values are assumed."""

    files: dict[str, str]
    assumed: int
    gaps: int


def own_file(name: str, hardware: Hardware, panel: Panel, family: str) -> OwnFile:
    """Return the files of a model.

    Parameters
    ----------
    name : str
        Name of the model, and of its file.
    """
    tables = {HEADROOM_FILE: hardware.headroom, BUFFERS_FILE: _buffers(hardware.buffers)}
    tables = {file: text for file, text in tables.items() if text}
    model = _model(name, hardware, panel, family)
    model |= {_FIELDS[file]: f"{name}/{file}" for file in tables}
    assumed = dict(_assumed(hardware, panel))
    gaps = list(_gaps(hardware, panel, family, {*tables}))
    head = f"# {name}: written by `rocefab models add` from {hardware.source}\n"
    comments = "".join(f"{line}\n" for gap in gaps for line in _comment(gap))
    body = indent(dump(model, assumed), "  ").replace("  ", "- ", 1)
    text = f"{head}skus:\n{body}{comments}"
    files = {f"{name}.yaml": text} | {f"{name}/{file}": table for file, table in tables.items()}
    return OwnFile(files, len(assumed), len(gaps))


def _buffers(text: str) -> str:
    """Return the buffer tables of a configuration alone: the rest of it may hold secrets."""
    try:
        data = parse_json(text) if text else {}
    except ValueError:
        return ""
    data = data if isinstance(data, dict) else {}
    tables = {
        table: data[table] for table in (TABLE, PROFILES) if isinstance(data.get(table), dict)
    }
    if isinstance(data.get(_PORT_LISTS), dict):
        tables[_PORT_LISTS] = {}
    return json.dumps(tables, indent=2) + "\n" if TABLE in tables else ""


def _model(name: str, hardware: Hardware, panel: Panel, family: str) -> dict[str, Any]:
    first, *more = panel.kinds
    model: dict[str, Any] = {"name": name, "nos": hardware.nos, "asic": family}
    if hardware.platform:
        model["platform"] = hardware.platform
    ports = _cages(first)
    if panel.first_lanes:
        ports["first_lanes"] = list(panel.first_lanes)
    if more:
        ports["more"] = [
            _cages(kind) | ({"breakouts": list(kind.breakouts)} if kind.breakouts else {})
            for kind in more
        ]
    model["ports"] = ports
    if first.breakouts:
        model["breakouts"] = list(first.breakouts)
    if platforms[hardware.nos].shares_buffer:
        model["shared_buffer"] = dict(_SHARES)
    return model


def _cages(kind: CageKind) -> dict[str, Any]:
    cages: dict[str, Any] = {
        "count": kind.count,
        "lanes": kind.lanes,
        "name": kind.name,
        "alias": kind.alias,
    }
    if kind.part_name:
        cages |= {"part_name": kind.part_name, "part_alias": kind.part_alias}
    if kind.step:
        cages["step"] = kind.step
    cages["speeds_gbps"] = list(kind.speeds_gbps)
    if kind.speed_tokens:
        cages["speed_words"] = list(kind.speed_tokens.values())
    return cages


def _assumed(hardware: Hardware, panel: Panel) -> Iterator[tuple[Path, str]]:
    """Yield the values that the source does not have, and where each comes from."""
    if panel.kinds[0].speed_tokens:
        yield ("ports", "speed_words"), "the lanes follow from those of the port"
    if not all(port.lanes or port.counted for port in hardware.ports):
        usual = "not in the source, the usual number for this speed"
        yield ("ports", "lanes"), usual
        for index in range(len(panel.kinds) - 1):
            yield ("ports", "more", index), f"lanes {usual}"
    if platforms[hardware.nos].shares_buffer:
        yield ("shared_buffer",), "no shares in the source, those of a QFX5220"


def _gaps(hardware: Hardware, panel: Panel, family: str, tables: set[str]) -> Iterator[str]:
    """Yield what is not known: the field, what to fill in, and what happens until then."""
    wanted = platforms[hardware.nos].sku_tables
    if "headroom_table" in wanted and HEADROOM_FILE not in tables:
        yield (
            "headroom_table: unknown. Copy pg_profile_lookup.ini of the switch to this folder. "
            f"Until then headroom is computed by the law of {family}."
        )
    if "buffers" in wanted and BUFFERS_FILE not in tables:
        yield (
            "buffers: unknown. Copy /etc/sonic/config_db.json of the switch to this folder. Until "
            "then nothing is rendered for this model (REN001)."
        )
    if not any(kind.breakouts for kind in panel.kinds):
        if any(kind.part_name for kind in panel.kinds):
            fill, waits = "List the modes of a port, such as [2x200G].", "no mode is confirmed"
            waits += " (TOP019)"
        else:
            fill = "Add ports.part_name, ports.part_alias and the modes, such as [2x200G]."
            waits = "ports cannot be broken out (TOP007)"
        yield f"breakouts: unknown. {fill} Until then {waits}."
    known = asic(family)
    for fact, waits in _FACTS.items():
        if known.fact(fact) is None:
            fill = "Add {value: NUMBER, source: DATA SHEET}."
            yield f"facts.{fact}: unknown. {fill} Until then {waits}."


def _comment(text: str) -> Iterator[str]:
    line = "  #"
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = "  #  "
        line += f" {word}"
    yield line
