"""Sections of an inventory that come or go whole, as the values in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.intent.model import FabricFile
from fabric.intent.tenancy_model import TenantsFile
from fabric.report.diff.applied import applied
from fabric.report.diff.traced import ABSENT, Swap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from fabric.report.diff.traced import Path

#: What each kind of file must be.
_MODELS: dict[str, type[BaseModel]] = {
    "fabric": FabricFile,
    "devices": DevicesFile,
    "hosts": HostsFile,
    "tenants": TenantsFile,
}


class ValueChange(NamedTuple):
    """A value that differs between two files.

    Parameters
    ----------
    label : tuple
        How it is named.
    paths : tuple of tuple
        Where it stands on both sides.
    values : tuple
        Its two values; `ABSENT` where there is none.
    section : int
        See `Swap`.
    """

    label: Path
    paths: tuple[Path, Path]
    values: tuple[Any, Any]
    section: int = 0

    def swap(self, file: str = "", *, back: bool = False) -> Swap:
        """Return the change as data, on request that from the second side to the first."""
        (before, after), (old, new) = self.paths, self.values
        if back:
            before, after, old, new = after, before, new, old
        return Swap(file, before, after, old, new, self.section)


def opened(kind: str, data: tuple[Any, ...], change: ValueChange) -> Iterator[ValueChange]:
    """Yield the values of a section that comes or goes; fields that need each other as a whole.

    Parameters
    ----------
    kind : str
        Kind of the file.
    data : tuple
        Content of the file on both sides.
    """
    members = tuple(_members(change))
    if members and all(_stands_alone(kind, data, member) for member in members):
        for member in members:
            yield from opened(kind, data, member)
    else:
        yield change


def _members(change: ValueChange) -> Iterator[ValueChange]:
    """Yield the members of a mapping that one side lacks; a row of a list is one value."""
    (old, new), (key, *_) = change.values, change.label[::-1]
    has_both = old is not ABSENT and new is not ABSENT
    mapping = old if new is ABSENT else new
    if has_both or not isinstance(mapping, dict) or str(key).startswith("["):
        return
    for member, value in mapping.items():
        values = (value, ABSENT) if new is ABSENT else (ABSENT, value)
        before, after = ((*path, member) for path in change.paths)
        label = (*change.label, member)
        yield ValueChange(label, (before, after), values, change.section + 1)


def _stands_alone(kind: str, data: tuple[Any, ...], change: ValueChange) -> bool:
    """Tell whether each side is valid with this change alone, both ways alike."""
    made = applied(data[0], [change.swap()]), applied(data[1], [change.swap(back=True)])
    return kind in _MODELS and all(_is_valid(_MODELS[kind], content) for content in made)


def _is_valid(model: type[BaseModel], content: dict[str | int, Any]) -> bool:
    try:
        model.model_validate(content)
    except ValidationError:
        return False
    return True
