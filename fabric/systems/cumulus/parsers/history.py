"""Who applied: ``nv config history -o json``, the last one first.

Known: the command says who applied a revision, when and how
(https://docs.nvidia.com/networking-ethernet-software/cumulus-linux-514/System-Configuration/
NVIDIA-User-Experience-NVUE/NVUE-CLI); a list of objects with ``date``, ``message`` and
``apply-meta``, which holds ``user``, ``method`` and ``reason`` (https://github.com/echuawu/sonic-mgmt
ngts/nvos_tools/infra/OutputParsingTool.py, of NVUE on another system). The order is not published:
the newest date counts.
"""

from __future__ import annotations

from typing import Any

from fabric.core.json_text import parse_json
from fabric.observe.authors import MOST_ENTRIES, Entry, histories


@histories.add("cumulus")
def applies(text: str) -> list[Entry]:
    """Return what was applied, the newest first."""
    try:
        rows: Any = parse_json(text)
    except ValueError:
        return []
    rows = rows if isinstance(rows, list) else []
    entries = [_entry(row) for row in rows if isinstance(row, dict)]
    named = [one for one in entries if one.user]
    return sorted(named, key=lambda one: one.at, reverse=True)[:MOST_ENTRIES]


def _entry(row: dict[str, Any]) -> Entry:
    meta = row.get("apply-meta")
    meta = meta if isinstance(meta, dict) else {}
    return Entry(
        str(meta.get("user", "")),
        str(meta.get("method", "")),
        str(row.get("date", "")),
        str(row.get("message", "")),
    )
