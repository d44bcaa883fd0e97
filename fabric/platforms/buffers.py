"""The buffer pools of a SONiC switch, from a ``config_db.json`` or a rendered ``buffers.json``.

Names and fields: sonic-net/sonic-buildimage sonic-buffer-pool.yang and
device/*/*/*/buffers_defaults_*.j2.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fabric.core.json_text import parse_json, said
from fabric.platforms.model import BufferLayout, Pools
from fabric.platforms.pg_table import MAX_BYTES, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Rows that buffermgrd writes by itself for every speed and cable length in use, while the buffer
#: model is traditional; what a dynamic one computes is in APPL_DB alone.
SELF_MADE_PROFILE = r"pg_lossless_\d+_\d+m_profile"
TABLE = "BUFFER_POOL"
PROFILES = "BUFFER_PROFILE"
_PORT_LISTS = "BUFFER_PORT_INGRESS_PROFILE_LIST"
_LOSSY_GROUP, _LOSSLESS_QUEUE = "ingress_lossy_profile", "egress_lossless_profile"
_LOSSY_QUEUES = ("q_lossy_profile", "egress_lossy_profile")
#: Fields of both tables (sonic-buffer-pool.yang, sonic-buffer-profile.yang of 202405).
_FIELDS = {"type", "mode", "size", "xoff", "pool", "static_th", "dynamic_th", "xon", "xon_offset"}
#: Fields of a pool that some images give to profiles too, which SONiC ignores and YANG rejects
#: (device/dell DellEMC-S5212f-P-25G buffers_defaults_t1.j2).
_OF_POOLS = frozenset({"mode", "type"})
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_WORD = re.compile(r"-?[0-9]{1,16}|[a-z][a-z_]{0,63}")
_NEEDED = ("ingress_lossless_pool", "egress_lossless_pool")
_FURTHER = ("ingress_lossy_pool", "egress_lossy_pool")
_TEMPLATE = re.compile(r"\{[{%#]")
_PLAIN = "give plain JSON: `show runningconfiguration all`, or /etc/sonic/config_db.json"


@dataclass(frozen=True, slots=True)
class BufferPools:
    """Pools of a switch, or what is wrong with the text; ``pools`` is None with any problem.

    ``layout`` is None where the text has no profiles beside the pools.
    """

    pools: Pools | None
    problems: tuple[Problem, ...] = ()
    layout: BufferLayout | None = None

    @property
    def largest_bytes(self) -> int:
        """Size of the largest pool, a lower bound of the packet buffer; 0 without pools."""
        sizes = (
            (self.pools.ingress_lossless_bytes, self.pools.egress_lossless_bytes)
            if self.pools
            else (0,)
        )
        return max(sizes)


class _DoubledKeyError(ValueError):
    """A key stands twice in one object; Python's reader would keep the last silently."""


def parse_buffers(text: str) -> BufferPools:
    """Read the pool sizes; never raises.

    Parameters
    ----------
    text : str
        A JSON object with the table ``BUFFER_POOL``, and perhaps ``BUFFER_PROFILE``.
    """
    try:
        data = parse_json(text.removeprefix("\ufeff"), _object)
    except json.JSONDecodeError as error:
        return BufferPools(None, (_not_json(text, error),))
    except _DoubledKeyError as error:
        key = str(error)
        problem = _at(text, (key, key), f"the key {key!r} appears twice", "keep one of the two")
        return BufferPools(None, (problem,))
    table = data.get(TABLE) if isinstance(data, dict) else None
    if not isinstance(table, dict):
        fix = "give a part of config_db.json that has it"
        return BufferPools(None, (Problem(1, 1, f"there is no table {TABLE}", fix),))
    values = _pools(text, table)
    return values if values.problems else replace(values, layout=_layout(data))


def _layout(data: dict[str, Any]) -> BufferLayout | None:
    """Return pools and profiles as they are, but for those that the buffer manager makes.

    None without the profiles that every port needs, or with a word that SONiC does not have.
    Rows with a field that SONiC got later are not kept.
    """
    pools = _rows_of(data.get(TABLE))
    profiles = _rows_of(data.get(PROFILES), _OF_POOLS)
    if pools is None or profiles is None or not {_LOSSY_GROUP, _LOSSLESS_QUEUE} <= profiles.keys():
        return None
    lossy = next((name for name in _LOSSY_QUEUES if name in profiles), None)
    if lossy is None or any(row.get("pool") not in pools for row in profiles.values()):
        return None
    return BufferLayout(pools, profiles, lossy, port_lists=_PORT_LISTS in data)


def _rows_of(table: Any, ignored: Iterable[str] = ()) -> dict[str, dict[str, str]] | None:
    if not isinstance(table, dict):
        return None
    by_name = {}
    for name, row in table.items():
        if re.fullmatch(SELF_MADE_PROFILE, name) or _is_later(row):
            continue
        words = row.values() if isinstance(row, dict) else [None]
        if not _NAME.fullmatch(name) or not all(
            isinstance(word, str) and _WORD.fullmatch(word) for word in words
        ):
            return None
        by_name[name] = {field: word for field, word in row.items() if field not in ignored}
    return by_name


def _is_later(row: Any) -> bool:
    """Tell whether a row has a field that came later, such as ``packet_discard_action``.

    The profiles of single queues have it (sonic-net/sonic-buildimage device/mellanox
    buffers_defaults_objects.j2); rocefab sets the profiles of queues, so they are not needed.
    """
    return isinstance(row, dict) and not row.keys() <= _FIELDS


def _pools(text: str, table: dict[str, Any]) -> BufferPools:
    problems: list[Problem] = []
    sizes: dict[str, int] = {}
    for name in (*_NEEDED, *_FURTHER):
        row = table.get(name)
        if row is None and name in _NEEDED:
            known = ", ".join(json.dumps(key)[1:-1][:40] for key in sorted(table)[:6]) or "none"
            message, fix = f"there is no pool {name}; pools: {known}", "lossless traffic needs it"
            problems.append(_at(text, (TABLE,), message, fix))
        elif row is not None:
            sizes[name] = _size(text, name, row, "size", problems)
    shared = _shared_headroom(text, table, problems)
    if problems:
        return BufferPools(None, tuple(problems))
    return BufferPools(
        Pools(
            ingress_lossless_bytes=sizes["ingress_lossless_pool"],
            egress_lossless_bytes=sizes["egress_lossless_pool"],
            ingress_lossy_bytes=sizes.get("ingress_lossy_pool"),
            egress_lossy_bytes=sizes.get("egress_lossy_pool"),
            shared_headroom_bytes=shared,
        )
    )


def _shared_headroom(text: str, table: dict[str, Any], problems: list[Problem]) -> int:
    row = table.get("ingress_lossless_pool")
    if not isinstance(row, dict) or str(row.get("xoff", "0")) == "0":
        return 0
    return _size(text, "ingress_lossless_pool", row, "xoff", problems)


def _size(text: str, pool: str, row: Any, field: str, problems: list[Problem]) -> int:
    """Return a size of a pool; 0 with a problem when there is none."""
    value = row.get(field) if isinstance(row, dict) else None
    if value is None:
        message = f"{pool} has no {field}"
        fix = (
            "the switch sizes its pools automatically (dynamic buffer model): write the sizes down"
        )
        problems.append(_at(text, (TABLE, pool), message, fix))
        return 0
    digits = str(value)
    right = isinstance(value, str | int) and not isinstance(value, bool)
    if right and digits.isascii() and digits.isdigit() and 0 < int(digits[:16]) <= MAX_BYTES:
        return int(digits[:16])
    shown = repr(value) if len(repr(value)) <= 40 else f"{repr(value)[:37]}..."  # noqa: PLR2004
    message = f"{pool}: {field} {shown} is not a number of bytes"
    problems.append(_at(text, (TABLE, pool, field), message, f"write 1 to {MAX_BYTES}"))
    return 0


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_name: dict[str, Any] = {}
    for key, value in pairs:
        if key in by_name:
            raise _DoubledKeyError(key)
        by_name[key] = value
    return by_name


def _not_json(text: str, error: json.JSONDecodeError) -> Problem:
    template = _TEMPLATE.search(text)
    if template:
        line, column = _place(text, template.start())
        return Problem(line, column, "this is a template, not the file made from it", _PLAIN)
    if error.msg == "Extra data":
        message = "the JSON ends before this; only plain JSON is read"
        return Problem(error.lineno, error.colno, message, "remove what follows")
    return Problem(error.lineno, error.colno, said(error), _PLAIN)


def _at(text: str, keys: tuple[str, ...], message: str, fix: str) -> Problem:
    """Return a problem at the last of some keys that stand in each other, or nearest before it."""
    start = 0
    for key in keys:
        values = text.find(json.dumps(key), start + bool(start))
        start = values if values >= 0 else start
    line, column = _place(text, start)
    return Problem(line, column, message, fix)


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")
