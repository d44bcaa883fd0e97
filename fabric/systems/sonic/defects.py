"""A CONFIG_DB as facts about known defects see it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.defects.fact import fits
from fabric.systems.sonic.config_db import SonicConfig, number
from fabric.validate.defects import Judged, judged_files, rendered_contents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.defects.conditions import ConfigCondition
    from fabric.validate.world import Configuration, Place, World


class SonicContent:
    """Rows of a CONFIG_DB, as tests of facts ask for them."""

    def __init__(self, config: SonicConfig) -> None:
        self._config = config

    def holds(self, test: ConfigCondition) -> bool:
        """Tell whether a row fits a test; one about lines fits none."""
        if not test.table:
            return False
        return (next(self._fitting(test), None) is None) is test.absent

    def place(self, test: ConfigCondition) -> Place | None:
        """Return where the first row that fits stands, or its field."""
        path = None if test.absent else next(self._fitting(test), None)
        return self._config.place(*path) if path else None

    def _fitting(self, test: ConfigCondition) -> Iterator[tuple[str, ...]]:
        rows = self._config.tables.get(test.table)  # keys as they are in the file
        for key, row in rows.items() if isinstance(rows, dict) else ():
            if isinstance(row, dict) and fits(key, test.key) and _is_like(row, test):
                field = test.field or next(iter(test.sum_of), "")
                yield (test.table, key, field) if field else (test.table, key)


def _is_like(row: Mapping[str, Any], test: ConfigCondition) -> bool:
    fields = test.sum_of or ((test.field,) if test.field else ())
    if any(field not in row for field in fields):
        return False
    if test.equals and str(row[fields[0]]) not in test.equals:
        return False
    if test.bounds is None:
        return True
    values = [number(row[field]) for field in fields]
    return None not in values and test.bounds.holds(sum(value or 0 for value in values))


@rendered_contents.add("sonic")
def rendered(files: Sequence[Artefact]) -> SonicContent:
    """Return the CONFIG_DB that is rendered for a switch."""
    file = next(file for file in files if file.kind == "config_db")
    return SonicContent(SonicConfig(file.device, json.loads(file.content), is_rendered=True))


@judged_files.add("sonic")
def judged(config: Configuration, world: World) -> Judged | None:
    """Return a CONFIG_DB for facts; it does not say which release runs."""
    if not isinstance(config, SonicConfig):
        return None
    model = str(config.metadata.get("hwsku", ""))
    sku = world.skus.get(model)
    traits, content = _traits(config), SonicContent(config)
    return Judged(
        config.device,
        "sonic",
        sku.asic if sku else "",
        model,
        traits=traits,
        content=content,
    )


def _traits(config: SonicConfig) -> Mapping[str, frozenset[Any]]:
    ports, watchdogs = config.lossless_ports, config.watchdogs.values()
    speeds = (config.speed_mbps(port.name) for port in ports)
    queues = (row.get("wred_profile") for _, _, row in config.lossless_queues)
    return {
        "pfc": frozenset({bool(ports)}),
        "watchdog": frozenset({bool(watchdogs)}),
        "watchdog_action": frozenset(str(row.get("action", "")) for row in watchdogs),
        "watchdog_detection_ms": _numbers(row.get("detection_time") for row in watchdogs),
        "watchdog_restoration_ms": _numbers(row.get("restoration_time") for row in watchdogs),
        "ecn": frozenset({any(queues)}),
        "lossless_classes": frozenset(len(port.priorities) for port in ports),
        "buffer_model": frozenset({"dynamic" if config.dynamic_buffers else "traditional"}),
        "shared_headroom": frozenset({_shares_headroom(config)}),
        "speed_gbps": frozenset(speed / 1000 for speed in speeds if speed),
        "cable_m": _numbers(config.cable_m(port.name) for port in ports),
    }


def _shares_headroom(config: SonicConfig) -> bool:
    """Tell whether ports share a headroom: one is set, or the ratio that it follows from."""
    pools = config.rows("BUFFER_POOL").values()
    ratios = config.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").values()
    sizes = [pool.get("xoff") for pool in pools] + [
        row.get("over_subscribe_ratio") for row in ratios
    ]
    return any(number(size) for size in sizes if size is not None)


def _numbers(values: Iterable[object]) -> frozenset[int]:
    return frozenset(value for text in values if (value := number(text)) is not None)
