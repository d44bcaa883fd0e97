"""Data files of SONiC models, from the device folders of images."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jinja2

from fabric.exchange.hardware.model import Panel, Source
from fabric.exchange.hardware.panel import panel
from fabric.intent.own_skus import SPECTRUM
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.breakout import parse_mode
from fabric.platforms.buffers import BufferPools, parse_buffers
from fabric.platforms.model import HeadroomRow
from fabric.platforms.pg_table import parse_pg_table
from fabric.systems.sonic.hardware import CAGES, PORTS, PROFILE, SKU, read
from tests.platforms.remake.text import Content, text

BUILDIMAGE = "sonic-net/sonic-buildimage 086b03bd70f9"
_BUFFERS = "buffers_defaults_t1.j2"


def file_text(
    root: Path, folder: str, repository: str, *, family: str = "", gearbox: str = ""
) -> str:
    """Return the data file of the model in a device folder below ``root``."""
    path = root / folder
    hardware = read(tuple(sources(path)))
    assert hardware is not None, folder
    front = panel(hardware, folder)
    table = path / "pg_profile_lookup.ini"
    rows = parse_pg_table(table.read_text()) if table.is_file() else None
    assert not (rows and rows.problems), (folder, rows and rows.problems)
    buffers = _buffers(path)
    chip = asic(family or hardware.asic)
    comments = [f"{path.name}: numbers as in the vendor's own files of {repository}"]
    headroom = _usable(rows.rows if rows else {}, front, comments)
    shared = buffers.pools.shared_headroom_bytes if buffers.pools else 0
    if chip.law == SPECTRUM and not shared and any(map(_is_shared, headroom.values())):
        comments.append(f"headroom: left out, it needs a shared pool, and {_BUFFERS} has none")
        headroom = {}
    elif rows and rows.rows and not headroom:
        comments.append("pools: left out, as they come with that table")
        buffers = BufferPools(None)
    if buffers.largest_bytes > (chip.integer("buffer_bytes") or 2**63):
        comments.append(f"pools: left out, {_BUFFERS} has more than the buffer of the chip")
        buffers = BufferPools(None)
    nvidia = buffers.pools is not None and buffers.pools.ingress_lossy_bytes is not None
    layout = None if nvidia else buffers.layout
    if layout is not None and chip.law == SPECTRUM:  # its images add the lists by a macro alone
        layout = replace(layout, port_lists=True)
    return text(
        Content(
            comments=tuple(comments),
            nos="sonic",
            asic=chip.name,
            source=f"{repository} device/{folder}",
            panel=front,
            gearbox=gearbox,
            headroom=headroom,
            pools=buffers.pools,
            layout=layout,
            buffers_source=f"{_BUFFERS}: what the image gives a LeafRouter",
            facts={"platform": path.parent.name},
            **_entries(path, folder),
        )
    )


def _usable(
    rows: dict[tuple[int, int], HeadroomRow], front: Panel, comments: list[str]
) -> dict[tuple[int, int], HeadroomRow]:
    """Return the rows of a table that can be true, and say which are left out."""
    modes = [parse_mode(mode) for kind in front.kinds for mode in kind.breakouts]
    whole = max(speed for kind in front.kinds for speed in kind.speeds_gbps)
    offered = {whole, *(whole // mode.parts for mode in modes if mode.parts == 2)}
    if rows and not offered & {speed // 1000 for speed, _ in rows}:
        comments.append("headroom: left out, the table has no row for the speed of the ports")
        return {}
    falling = sorted({speed for speed, _ in rows if not _rises(rows, speed)})
    if falling:
        words = ", ".join(f"{speed // 1000}G" for speed in falling)
        comments.append(f"headroom: rows of {words} left out, less headroom for a longer cable")
    return {key: row for key, row in rows.items() if key[0] not in falling}


def _is_shared(row: HeadroomRow) -> bool:
    """Tell whether the size of a row has no room for its headroom; sizes are whole KiB."""
    return row.size_bytes + 1024 < row.xon_threshold_bytes + row.headroom_bytes


def _rises(rows: dict[tuple[int, int], HeadroomRow], speed: int) -> bool:
    values = [row.headroom_bytes for (gbps, _), row in sorted(rows.items()) if gbps == speed]
    return values == sorted(values)


def sources(path: Path) -> list[Source]:
    """Return the files of a device folder that tell the hardware."""
    files = [path.parent / CAGES, *(path / name for name in (PORTS, SKU, PROFILE))]
    return [
        Source(str(file.relative_to(path.parent.parent)), str(file), file.read_text())
        for file in files
        if file.is_file()
    ]


def _entries(path: Path, folder: str) -> dict[str, dict[str, Any]]:
    """Return sizes of tables that the configuration of the chip sets."""
    chips = sorted(path.glob("*.config.bcm"))
    if not chips:
        return {}
    settings = chips[0].read_text()
    where = f"sonic-net/sonic-buildimage @ 086b03bd device/{folder}/{chips[0].name}"
    facts, origins = {}, {}
    for word, name in (("l2_mem_entries", "mac_entries"), ("l3_mem_entries", "host_entries")):
        match = re.search(rf"^{word}=(\d+)\s*$", settings, re.MULTILINE)
        if match:
            facts[name] = (int(match[1]), "vendor", name)
            origins[name] = f"{where}: {word}"
    return {"own_facts": facts, "sources": origins} if facts else {}


def _buffers(path: Path) -> BufferPools:
    """Return pools and profiles that the template of the image gives a LeafRouter."""
    if not (path / _BUFFERS).is_file():
        return BufferPools(None)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(path), extensions=["jinja2.ext.do"], autoescape=False
    )
    facts = {"DEVICE_METADATA": {"localhost": {"type": "LeafRouter"}}, "PORT": {}}
    module = environment.get_template(_BUFFERS).make_module({**facts, "DEVICE_NEIGHBOR": {}})
    for name, arguments in _MACROS:
        macro = getattr(module, name, None)
        if macro is not None:
            return _pools(str(macro(*arguments)))
    return BufferPools(None)


_MACROS = (
    ("generate_buffer_pool_and_profiles", ()),
    ("generate_buffer_pool_and_profiles_with_inactive_ports", ([],)),
)


def _pools(body: str) -> BufferPools:
    """Return the pools of the tables that a template printed, with references as SONiC has them."""
    plain = re.sub(r"\[BUFFER_\w+\|(\w+)\]", r"\1", body).strip().rstrip(",")
    plain = re.sub(r",(\s*[}\]])", r"\1", plain)
    data = json.loads("{" + plain + "}")
    return parse_buffers(json.dumps(data))
