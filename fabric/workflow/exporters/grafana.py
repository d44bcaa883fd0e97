"""export grafana: dashboards of a fabric, its rails, its hosts and its jobs.

What they show is in ``templates/grafana/dashboards.yml``. Form: the JSON model of a dashboard, https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import partial
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import yaml

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.render.engine import template_folder

if TYPE_CHECKING:
    from fabric.exchange.plant import Plant

FORM = "grafana"
#: Schema of dashboards of Grafana 10.1 and newer, which migrate it where theirs is newer.
_SCHEMA_VERSION = 38
#: Longest UID that Grafana accepts: https://grafana.com/docs/grafana/latest/developers/http_api/dashboard/.
_LONGEST_UID = 40
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
#: Width of the grid of a dashboard.
_COLUMNS = 24
_NAMES = ("fabric", "rail", "host", "job")


@dataclass(frozen=True)
class _Names:
    """What the inventory puts into queries."""

    fabric: str
    rails: tuple[int, ...]

    def into(self, text: str) -> str:
        return text.replace("$fabric", self.fabric)


def _dashboard(plant: Plant, name: str) -> Exported:
    rails = {device.rail for device in plant.devices} | {nic.rail for nic in plant.nics}
    names = _Names(plant.name, tuple(sorted(rail for rail in rails if rail is not None)))
    board = _boards()[name]
    body = {
        "uid": _uid(f"rocefab-{plant.name}-{name}"),
        "title": f"{plant.name}: {board['title']}",
        "description": board["description"],
        "tags": ["rocefab", plant.name],
        "timezone": "browser",
        "editable": False,
        "graphTooltip": 1,  # one crosshair for all panels
        "refresh": "1m",
        "schemaVersion": _SCHEMA_VERSION,
        "time": {"from": "now-1h", "to": "now"},
        "templating": {
            "list": [_DATASOURCE, *(_variable(one, names) for one in board.get("variables", ()))],
        },
        "panels": _panels(board["panels"], names),
        "links": [_LINK],
    }
    text = json.dumps(body, indent=2) + "\n"
    return Exported((text_file(FORM, name, f"{name}.json", text),))


_DATASOURCE = {
    "name": "datasource",
    "label": "Data source",
    "type": "datasource",
    "query": "prometheus",
    "hide": 0,
}
_LINK = {
    "title": "rocefab",
    "type": "dashboards",
    "tags": ["rocefab"],
    "asDropdown": True,
    "includeVars": False,
    "keepTime": True,
    "targetBlank": False,
    "icon": "external link",
    "tooltip": "",
    "url": "",
}


def _uid(name: str) -> str:
    if len(name) <= _LONGEST_UID:
        return name
    return f"rocefab-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _boards() -> dict[str, Any]:
    boards: dict[str, Any] = yaml.safe_load(
        (template_folder() / "grafana" / "dashboards.yml").read_text(encoding="utf-8")
    )
    return boards


def _variable(one: dict[str, Any], names: _Names) -> dict[str, Any]:
    multi = one.get("multi", False)
    base = {
        "name": one["name"],
        "label": one["label"],
        "hide": 0,
        "multi": multi,
        "includeAll": multi,
        **({"allValue": ".+"} if multi else {}),
    }
    if "query" not in one:
        rails = ",".join(map(str, names.rails))
        return {**base, "type": "custom", "query": rails}
    query = names.into(one["query"])
    return {
        **base,
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": query, "refId": one["name"]},
        "refresh": 2,  # when the time range changes
        "sort": 7,  # natural order
    }


def _panels(panels: list[dict[str, Any]], names: _Names) -> list[dict[str, Any]]:
    """Return the panels row by row: numbers are small and stand four in a row, curves two."""
    placed, x, y, row_height = [], 0, 0, 0
    for number, panel in enumerate(panels, 1):
        width, height = (6, 4) if _is_stat(panel) else (12, 8)
        if x + width > _COLUMNS:
            x, y, row_height = 0, y + row_height, 0
        placed.append(_panel(number, panel, {"h": height, "w": width, "x": x, "y": y}, names))
        x, row_height = x + width, max(row_height, height)
    return placed


def _is_stat(panel: dict[str, Any]) -> bool:
    return panel.get("type") == "stat"


def _panel(
    number: int, panel: dict[str, Any], place: dict[str, int], names: _Names
) -> dict[str, Any]:
    defaults: dict[str, Any] = {"unit": panel["unit"], "min": 0}
    if _is_stat(panel):
        steps = [{"color": "green", "value": None}, {"color": "red", "value": 1}]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
    return {
        "id": number,
        "type": panel.get("type", "timeseries"),
        "title": panel["title"],
        "description": panel["description"],
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "targets": [
            {
                "refId": letter,
                "datasource": _SOURCE,
                "expr": names.into(query["expr"]),
                "legendFormat": query.get("legend", ""),
                "instant": _is_stat(panel),
                "range": not _is_stat(panel),
            }
            for letter, query in zip(ascii_uppercase, panel["queries"], strict=False)
        ],
    }


exporters.add(FORM)(
    Exporter(
        {name: partial(_dashboard, name=name) for name in _NAMES},
        about=About.MONITORING,
        title="dashboards for Grafana",
    )
)
