"""The blocks of docs/speed.md and docs/scale.md: figures that a run of the benchmarks measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from fabric.core.registry import Registry
from tests.bench import figures as kept
from tests.bench.test_plans import IPV4
from tests.bench.test_scale import MILLION
from tests.docs.lossless import table

speed: Registry[Callable[[], str]] = Registry("block of docs/speed.md")
scale: Registry[Callable[[], str]] = Registry("block of docs/scale.md")

NICS_PER_HOST = 8
#: Elapsed seconds that commands are to take, by hosts: our choice. `render` loads and checks too.
GOALS_S = {
    4096: {"check": 10, "whatif, all links and switches": 2},
    16_384: {
        "whatif, all links and switches": 5,
        "show capacity": 2,
        "show paths": 2,
        "draw": 3,
        "render": 60,
        "render, one line changed": 5,
    },
}

#: Parts of the file, as the pages call them.
TITLES = {
    "commands": "Commands up to 131,072 NICs",
    "judge": "Verdicts",
    "anchors": "Other programs",
    "larger": "One larger fabric",
    "million": "A million NICs",
    "sites": "Sites",
    "devices": "Devices",
    "plans": "Address plans",
}
#: Systems of the table of devices, in its order.
SYSTEMS = {
    "sonic": "SONiC",
    "esonic": "Enterprise SONiC",
    "eos": "Arista EOS",
    "junos": "Juniper Junos",
    "nxos": "Cisco NX-OS",
}

Row = dict[str, Any]


def _rows(part: str) -> list[Row]:
    rows: list[Row] = kept.read()[part]["rows"]
    return rows


def _sizes() -> list[int]:
    return sorted({row["hosts"] for row in _rows("commands")})


def _measured(row: Row) -> tuple[str, str, str]:
    return f"{row['elapsed_s']:.1f}", f"{row['cpu_s']:.1f}", f"{row['peak_mib']:,}"


def _line(row: Row) -> tuple[str, ...]:
    return row["command"], *_measured(row)


def _machine(parts: Iterable[str]) -> str:
    """Return what was measured where and when: one line for each run."""
    titles: dict[str, list[str]] = {}
    for part in parts:
        titles.setdefault(_of(kept.read()[part]["machine"]), []).append(TITLES[part])
    return "\n".join(f"- {', '.join(names)}: {words}" for words, names in titles.items())


def _of(machine: Row) -> str:
    return (
        f"{machine['date']}, commit `{machine['commit']}`, {machine['cores']} processors "
        f"({machine['cpu']}), {machine['memory_gib']} GiB of memory, Python {machine['python']}. "
        f"When the run began, other programs kept {machine['busy_processors']} processes busy."
    )


speed.add("machine")(lambda: _machine(("commands", "judge", "anchors")))
scale.add("machine")(lambda: _machine(("commands", "larger", "million", "sites", "plans")))


@speed.add("commands")
def _commands() -> str:
    parts = []
    for hosts in _sizes():
        rows = [row for row in _rows("commands") if row["hosts"] == hosts]
        goals_s = GOALS_S.get(hosts, {})
        lines = [(*_line(row), str(goals_s.get(row["command"], ""))) for row in rows]
        head = f"{hosts:,} hosts | elapsed s | CPU s | peak MiB | goal, elapsed s"
        parts.append(table(head, lines))
    return "\n\n".join(parts)


@speed.add("judge")
def _judge() -> str:
    head = "16,384 hosts | elapsed s | CPU s | peak MiB"
    return table(head, [_line(row) for row in _rows("judge")])


@speed.add("others")
def _others() -> str:
    rows = [
        (row["question"], row["other"], _ms(row["own_ms"]), _ms(row["other_ms"]), _ratio(row))
        for row in _rows("anchors")
    ]
    return table("what | other | rocefab, ms | other, ms | other / rocefab", rows)


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _ratio(row: Row) -> str:
    ratio = row["other_ms"] / row["own_ms"]
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"


@scale.add("plans")
def _plans() -> str:
    """Return what each plan takes, as CPU of the plan with IPv4 alone."""
    rows = _rows("plans")
    base = {row["command"]: row["cpu_s"] for row in rows if row["plan"] == IPV4}
    head = f"{_nics(rows[0]):,} NICs with | command | elapsed s | CPU s | peak MiB | CPU / IPv4"
    lines = [
        (row["plan"], *_line(row), f"{row['cpu_s'] / base[row['command']]:.2f}") for row in rows
    ]
    return table(head, lines)


@scale.add("growth")
def _growth() -> str:
    by_command: dict[str, list[Row]] = {}
    for row in _rows("commands"):
        by_command.setdefault(row["command"], []).append(row)
    lines = []
    for command, rows in by_command.items():
        rows.sort(key=lambda row: row["hosts"])
        before, last = rows[-2:]
        per_nic = [f"{1e6 * row['cpu_s'] / _nics(row):,.0f}" for row in rows]
        minutes = MILLION * last["cpu_s"] / 60
        growth = (_power(before, last), f"{_slope(before, last):.1f}", f"{minutes:,.1f}")
        lines.append((command, *per_nic, *growth))
    sizes = " | ".join(f"{hosts:,} hosts" for hosts in _sizes())
    last_nics = f"{MILLION * NICS_PER_HOST * _sizes()[-1]:,}"
    head = f"CPU us per NIC | {sizes} | power | KiB per NIC | CPU minutes for {last_nics} NICs"
    return table(head, lines)


def _nics(row: Row) -> int:
    return NICS_PER_HOST * int(row["hosts"])


def _power(before: Row, last: Row) -> str:
    """Return b of CPU = a * NICs ** b through the two largest sizes."""
    return (
        f"{math.log(last['cpu_s'] / before['cpu_s']) / math.log(_nics(last) / _nics(before)):.2f}"
    )


def _slope(before: Row, last: Row) -> float:
    """Return KiB of peak memory for each more NIC."""
    return 1024 * (last["peak_mib"] - before["peak_mib"]) / (_nics(last) - _nics(before))


@scale.add("disk")
def _disk() -> str:
    rows = [row for row in _rows("commands") if "files" in row]
    lines = [
        (f"{row['hosts']:,}", f"{row['files']:,}", f"{row['files_mib']:,}", f"{row['cache_mib']:,}")
        for row in rows
    ]
    return table("hosts | rendered files | MiB | cache, MiB", lines)


@scale.add("larger")
def _larger() -> str:
    rows = [row for row in _rows("larger") if "errors" not in row]
    return table("NICs | command | elapsed s | CPU s | peak MiB", _of_nics(rows))


def _of_nics(rows: Iterable[Row]) -> list[tuple[str, ...]]:
    return [(f"{_nics(row):,}", row["command"], *_measured(row)) for row in rows]


@scale.add("too-large")
def _too_large() -> str:
    (row,) = [row for row in _rows("larger") if "errors" in row]
    lines = "\n".join(f"    {error}" for error in row["errors"])
    return f"{row['hosts']:,} hosts, {_nics(row):,} NICs:\n\n{lines}"


@scale.add("sites")
def _sites() -> str:
    return table("NICs | command | elapsed s | CPU s | peak MiB", _of_nics(_rows("sites")))


@scale.add("million")
def _million() -> str:
    return table("NICs | command | elapsed s | CPU s | peak MiB", _of_nics(_rows("million")))


scale.add("devices-machine")(lambda: _machine(("devices",)))


@scale.add("devices")
def _devices() -> str:
    rows = {(row["system"], row["devices"] > 1): row for row in _rows("devices")}
    lines = []
    for system, title in SYSTEMS.items():
        one, many = rows[system, False], rows[system, True]
        rates = [f"{many['devices'] / seconds:.1f}" for seconds in many["cpu_s"].values()]
        start_s, whole_s = one["cpu_s"]["apply"], many["cpu_s"]["apply"]
        further_ms = 1000 * (whole_s - start_s) / (many["devices"] - one["devices"])
        lines.append((title, *rates, f"{start_s:.1f}", f"{further_ms:.0f}"))
    commands = " | ".join(f"`{command}`" for command in many["cpu_s"])
    head = f"devices per second | {commands} | `apply` of one device, s | each further one, ms"
    return table(head, lines)
