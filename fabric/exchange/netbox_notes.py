"""NetBox: what was read in another way than it is there, or not at all, by kind and by name."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.shown import printable
from fabric.exchange.netbox_words import DEVICE_FIELDS, NIC_FIELDS, slug_of
from fabric.exchange.notes import Notes, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

from fabric.exchange.netbox_words import Row

#: Statuses of things that are not there, and of those that are not there yet (DeviceStatusChoices
#: and LinkStatusChoices, netbox-community/netbox v4.6.8, netbox/dcim/choices.py).
_GONE = frozenset({"decommissioning", "inventory", "offline", "failed"})
_COMING = frozenset({"planned", "staged"})
_MAX_NAME = 40


class NetBoxNotes(Notes):
    """Names of objects under what is said of them, in the order of the source."""

    def present(self, things: str, name: str, row: Row) -> bool:
        """Tell whether a device or cable is there; what is not in use is noted."""
        status = slug_of(row.get("status")).lower()
        if status in _GONE:
            fix = "change the status in NetBox if they are part of the fabric"
            self.add(f"{things} are ignored, as they are {status}", fix, name)
            return False
        if status in _COMING:
            fix = "remove them if they are not there yet"
            self.add(f"{things} are {status} in NetBox, and imported", fix, name)
        return True


def missing_fields(devices: Iterable[Row], interfaces: Iterable[Row]) -> list[str]:
    """Return the custom fields that NetBox does not have.

    The API shows each custom field of a model on each object, also without a value
    (netbox/extras/api/customfields.py, v4.6.8). Rows of bulk import do not tell.
    """
    lacking: dict[str, None] = {}
    for rows, fields in ((devices, DEVICE_FIELDS), (interfaces, NIC_FIELDS)):
        shapes = [it["custom_fields"] for it in rows if isinstance(it.get("custom_fields"), dict)]
        known = {key for shape in shapes for key in shape}
        names = [f"rocefab_{name}" for name in fields]
        lacking |= dict.fromkeys(name for name in names if shapes and name not in known)
    return list(lacking)


def unknown_roles(devices: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong and what to type for each role that is not known.

    Parameters
    ----------
    devices : mapping
        Names of devices by the word of their role.
    """
    for word, names in devices.items():
        role = printable(word)[:_MAX_NAME]
        option = shlex.quote(f"{role}=host")
        message = f"the role {role!r} of {counted(len(names), 'device')} is unknown: {shown(names)}"
        yield message, f"set it with --role {option}, or leaf, spine, super-spine instead of host"
