"""A limit over all ranges of an inventory, counted before any range is expanded."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.documents import Folder
    from fabric.intent.yaml.file import Document

#: A limit that we chose: as many hosts as one range may name (`hostlist.MAX_NAMES`), each in a
#: unit, a tenant and two overrides. A million names take two seconds to check.
MOST_NAMES = 4 * hostlist.MAX_NAMES
#: Lists of entries, and their field that is a range, by the files that have them.
_OF_FABRIC = (("units", "hosts"), ("switches", "names"), ("tenants", "hosts"))
_OF_DEVICES = (("devices", "names"),)
_OF_HOSTS = (("hosts", "names"),)
_OF_TENANTS = (("tenants", "hosts"),)


def too_many_names(folder: Folder) -> Finding | None:
    """Return where the ranges of an inventory name more than `MOST_NAMES`; None where they do not.

    What is wrong with a single range is left to its model.
    """
    total = 0
    for document, path, text in _ranges(folder):
        with suppress(ValueError):
            names = hostlist.count(text)
            total += names if names <= hostlist.MAX_NAMES else 0
        if total > MOST_NAMES:
            listed, index, field = path
            return Finding(
                "INT043",
                Severity.ERROR,
                f"up to here, the ranges of the inventory have {counted(total, 'name')}; at most "
                f"{MOST_NAMES:,} are allowed",
                "correct the ranges, or describe the fabric in several inventories",
                f"{'fabric.' if document is folder.fabric else ''}{listed}[{index}].{field}",
                document.position(path),
            )
    return None


def _ranges(folder: Folder) -> Iterator[tuple[Document, tuple[str, int, str], str]]:
    """Yield each range with its document and place."""
    for documents, fields in (
        ([folder.fabric], _OF_FABRIC),
        (folder.devices, _OF_DEVICES),
        (folder.hosts, _OF_HOSTS),
        (folder.tenants, _OF_TENANTS),
    ):
        for document in documents:
            for listed, field in fields:
                for index, entry in enumerate(_entries(document.data.get(listed))):
                    if isinstance(text := entry.get(field), str):
                        yield document, (listed, index, field), text


def _entries(listed: Any) -> list[dict[str, Any]]:
    """Return the entries of a list; what is no entry counts as an empty one."""
    entries = listed if isinstance(listed, list) else []
    return [entry if isinstance(entry, dict) else {} for entry in entries]
