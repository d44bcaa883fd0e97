"""The blocks of docs/reference/speed.md: figures that a run of the benchmarks measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fabric.core.registry import Registry
from tests.bench import figures as kept
from tests.docs.lossless import table

speed: Registry[Callable[[], str]] = Registry("block of docs/reference/speed.md")

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

#: Parts of the file that the page shows, as it calls them; `make bench` prints all of them.
TITLES = {"commands": "Commands", "judge": "Verdicts", "devices": "Devices"}
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


speed.add("machine")(lambda: _machine(TITLES))


@speed.add("commands")
def _commands() -> str:
    """Return a row for each command: elapsed time at each size, the rest at the largest one."""
    by_command: dict[str, dict[int, Row]] = {}
    for row in _rows("commands"):
        by_command.setdefault(row["command"], {})[row["hosts"]] = row
    lines = [
        (command, *(_elapsed(rows[hosts]) for hosts in _sizes()), *_load(rows[_sizes()[-1]]))
        for command, rows in by_command.items()
    ]
    none = ("",) * (len(_sizes()) - 1)
    lines += [(row["command"], *none, _elapsed(row), *_load(row)) for row in _rows("judge")]
    sizes = " | ".join(f"{hosts:,} hosts" for hosts in _sizes())
    return table(f"elapsed s | {sizes} | CPU s | peak MiB", lines)


def _elapsed(row: Row) -> str:
    goal_s = GOALS_S.get(row.get("hosts", 0), {}).get(row["command"])
    return f"{row['elapsed_s']:.1f}" + (f" (goal {goal_s})" if goal_s else "")


def _load(row: Row) -> tuple[str, str]:
    return f"{row['cpu_s']:.1f}", f"{row['peak_mib']:,}"


@speed.add("devices")
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
