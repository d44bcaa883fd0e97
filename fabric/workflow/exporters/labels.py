"""export labels: a label for each end of each cable, for label printers and as a page."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.exchange.cells import marked
from fabric.render.html import html_page
from fabric.report.labels import labels

if TYPE_CHECKING:
    from fabric.report.labels import LabelEnd
    from fabric.workflow.exporters.bom import PartsOrder

FORM = "labels"
_ENDS = ("rack", "rack_unit", "device", "port", "panel")
HEADERS = (
    "label",
    *_ENDS,
    *(f"far_{name}" for name in _ENDS),
    *("speed_gbps", "cable_m", "cable_type"),
)


def _csv(order: PartsOrder) -> Exported:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADERS)
    for label in labels(order.fabric):
        figures = (label.speed_gbps, label.cable_m, label.cable_type)
        row = (label.text, *_end(label.near), *_end(label.far), *figures)
        writer.writerow([marked(str(cell)) for cell in row])
    return Exported((text_file(FORM, "csv", "labels.csv", text.getvalue()),))


def _end(end: LabelEnd) -> tuple[str, ...]:
    return tuple(getattr(end, name) for name in _ENDS)


def _html(order: PartsOrder) -> Exported:
    name = order.fabric.intent.fabric.name
    page = html_page("labels/page.j2", {"fabric": name, "labels": labels(order.fabric)})
    return Exported((text_file(FORM, "html", "labels.html", page),))


exporters.add(FORM)(
    Exporter(
        {"csv": _csv, "html": _html},
        ("csv",),
        about=About.PARTS,
        title="labels of cables",
        options={"csv": (), "html": ()},
    )
)
