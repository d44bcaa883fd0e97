"""The text of a data file of a switch model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fabric.exchange.hardware.model import Panel
from fabric.platforms.cage import CageKind
from fabric.platforms.model import BufferLayout, HeadroomRow, Pools

_LANES_PER_LINE = 16
_HEADROOM = (
    "speed_mbps, cable_m, size, xon, headroom (SONiC: xoff), dynamic_th [, xon_offset]; bytes"
)


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a data file says; fields as in `fabric.platforms.catalogue.SkuFile`."""

    comments: tuple[str, ...]
    nos: str
    asic: str
    source: str
    panel: Panel
    aliases: tuple[str, ...] = ()
    queue_submode: str = ""
    gearbox: str = ""
    headroom: Mapping[tuple[int, int], HeadroomRow] = field(default_factory=dict)
    pools: Pools | None = None
    layout: BufferLayout | None = None
    buffers_source: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    own_facts: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    facts_comment: str = ""


def text(content: Content) -> str:
    """Return the file."""
    kinds = content.panel.kinds
    lines = [f"# {comment}" for comment in content.comments]
    lines += [f"nos = {_quoted(content.nos)}", f"asic = {_quoted(content.asic)}"]
    lines.append(f"source = {_quoted(content.source)}")
    if content.aliases:
        lines.append(f"aliases = {_listed(content.aliases)}")
    if content.queue_submode:
        lines.append(f"queue_submode = {_quoted(content.queue_submode)}")
    if content.gearbox:
        lines.append(f"gearbox_ns = {content.gearbox}")
    if kinds[0].breakouts:
        lines.append(f"breakouts = {_listed(kinds[0].breakouts)}")
    if content.headroom:
        lines += [f"# {_HEADROOM}", "headroom = ["]
        lines += [f"    {_row(key, row)}," for key, row in _by_cable(content.headroom)]
        lines.append("]")
    lines += _ports(content.panel)
    lines += _own(content)
    lines += _buffers(content)
    if content.facts:
        lines += ["", f"[facts]{content.facts_comment and f' # {content.facts_comment}'}"]
        lines += [f"{name} = {_quoted(value)}" for name, value in content.facts.items()]
    return "\n".join(lines) + "\n"


def _ports(panel: Panel) -> list[str]:
    first, *more = panel.kinds
    lines = ["", "[ports]", *_kind(first)]
    if panel.first_lanes:
        lines.append("first_lanes = [ # of each port")
        for start in range(0, len(panel.first_lanes), _LANES_PER_LINE):
            row = panel.first_lanes[start : start + _LANES_PER_LINE]
            lines.append(f"    {', '.join(map(str, row))},")
        lines.append("]")
    if panel.service_ports:
        rows = ", ".join(
            _listed((port.name, port.lanes, port.alias)) for port in panel.service_ports
        )
        note = "name, lanes, alias: port_config.ini of the source above"
        lines.append(f"service = [{rows}] # {note}")
    lines += _tokens("ports.tokens", first)
    for kind in more:
        lines += ["", "[[ports.more]]", *_kind(kind)]
        if kind.breakouts:
            lines.append(f"breakouts = {_listed(kind.breakouts)}")
        lines += _tokens("ports.more.tokens", kind)
    return lines


def _kind(kind: CageKind) -> Iterable[str]:
    yield f"count = {kind.count}"
    yield f"lanes = {kind.lanes}"
    if kind.step:
        yield f"step = {kind.step}"
    yield f"name = {_quoted(kind.name)}"
    yield f"alias = {_quoted(kind.alias)}"
    if kind.part_name:
        yield f"part_name = {_quoted(kind.part_name)}"
        yield f"part_alias = {_quoted(kind.part_alias)}"
    yield f"speeds_gbps = {list(kind.speeds_gbps)}"


def _tokens(table: str, kind: CageKind) -> list[str]:
    words = [f"{speed} = {_quoted(word)}" for speed, word in sorted(kind.speed_tokens.items())]
    return ["", f"[{table}]", *words] if words else []


def _own(content: Content) -> list[str]:
    lines = []
    if content.sources:
        lines += ["", "[sources]"]
        lines += [f"{name} = {_quoted(value)}" for name, value in content.sources.items()]
    if content.own_facts:
        lines += ["", "[own_facts] # value, grade, source"]
        lines += [
            f'{name} = [{value}, "{grade}", "{source}"]'
            for name, (value, grade, source) in content.own_facts.items()
        ]
    return lines


def _buffers(content: Content) -> list[str]:
    lines: list[str] = []
    if content.pools:
        sizes = {name: getattr(content.pools, name) for name in _POOLS}
        lines += ["", f"[pools] # {content.buffers_source}"]
        lines += [f"{name} = {size}" for name, size in sizes.items() if size]
    if content.layout:
        lines += [
            "",
            "[layout] # the same file: BUFFER_POOL and BUFFER_PROFILE as the image writes them",
        ]
        lines.append(f"lossy_queue = {_quoted(content.layout.lossy_queue)}")
        if content.layout.port_lists:
            lines.append("port_lists = true")
        for table in ("pools", "profiles"):
            rows = getattr(content.layout, table)
            lines += ["", f"[layout.{table}]"]
            lines += [f"{name} = {_inline(row)}" for name, row in rows.items()]
    return lines


_POOLS = (
    *("ingress_lossless_bytes", "ingress_lossy_bytes", "egress_lossless_bytes"),
    *("egress_lossy_bytes", "shared_headroom_bytes"),
)


def _inline(row: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name} = {_quoted(value)}" for name, value in row.items()) + "}"


def _row(key: tuple[int, int], row: HeadroomRow) -> list[int]:
    numbers = [*key, row.size_bytes, row.xon_threshold_bytes, row.headroom_bytes, row.dynamic_th]
    return numbers if row.xon_offset_bytes is None else [*numbers, row.xon_offset_bytes]


def _by_cable(
    rows: Mapping[tuple[int, int], HeadroomRow],
) -> list[tuple[tuple[int, int], HeadroomRow]]:
    return sorted(rows.items(), key=lambda item: (item[0][1], item[0][0]))


def _listed(words: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, words))}]"


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)
