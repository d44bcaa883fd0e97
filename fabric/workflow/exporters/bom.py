"""export bom: the parts of a fabric, as CSV, JSON and Markdown."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.exchange.cells import marked
from fabric.report.bill import HEADERS, Bill, bill

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.topology.model import Fabric

FORM = "bom"


@dataclass(frozen=True)
class PartsOrder:
    """A fabric whose parts are listed, and the share of spare ones."""

    fabric: Fabric
    spare_percent: int = 0


def _csv(listed: Bill) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADERS)
    for record in listed.records():
        writer.writerow([marked(str(value)) for value in record.values()])
    return text.getvalue()


def _json(listed: Bill) -> str:
    head = {"fabric": listed.fabric, "spare_percent": listed.spare_percent}
    parts = [
        {name: None if value == "" else value for name, value in record.items()}
        for record in listed.records()
    ]
    return json.dumps({**head, "parts": parts}, indent=2) + "\n"


def _markdown(listed: Bill) -> str:
    lines = [
        f"# Parts of {_cell(listed.fabric)}",
        "",
        f"Spare parts: {listed.spare_percent} % of each line, rounded up.",
        "",
        f"| {' | '.join(HEADERS)} |",
        f"|{' --- |' * len(HEADERS)}",
    ]
    lines += [f"| {' | '.join(map(_cell, record.values()))} |" for record in listed.records()]
    return "\n".join([*lines, ""])


def _cell(value: object) -> str:
    """Return a value as text of Markdown, which can be neither a cell nor markup."""
    return "".join(f"\\{sign}" if sign in "\\|`*_[]<>&#!" else sign for sign in str(value))


def _part(name: str, suffix: str, write: Callable[[Bill], str]) -> Callable[[PartsOrder], Exported]:
    def export(order: PartsOrder) -> Exported:
        listed = bill(order.fabric, order.spare_percent)
        file = text_file(FORM, name, f"parts.{suffix}", write(listed))
        return Exported((file,), listed.notes)

    return export


exporters.add(FORM)(
    Exporter(
        {
            "csv": _part("csv", "csv", _csv),
            "json": _part("json", "json", _json),
            "markdown": _part("markdown", "md", _markdown),
        },
        ("csv",),
        about=About.PARTS,
        title="parts list: switches, cables, NICs",
    )
)
