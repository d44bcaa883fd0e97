"""Names of devices as they are printed: in any case, with their domain or without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def label(name: str) -> str:
    """Return the first label of a name, in lower case."""
    return name.partition(".")[0].lower()


def is_same_device(printed: str, name: str) -> bool:
    """Tell whether a printed name can be that of a device; a domain can be missing on one side."""
    first, second = printed.lower(), name.lower()
    is_short = "." not in first or "." not in second
    return first == second or (is_short and label(first) == label(second))


class DeviceNames:
    """Devices by the names that are printed of them.

    A name is matched as a whole first, then by its first label, then as the first label of a single
    device.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        self._by_label: dict[str, set[str]] = {}
        for name in names:
            self.add(name, name)

    def add(self, printed: str, device: str) -> None:
        """Add another name of a device."""
        self._names[printed.lower()] = device
        self._by_label.setdefault(label(printed), set()).add(device)

    def match(self, printed: str) -> str | None:
        """Return the device that a printed name means; None where there is none, or several."""
        whole, short = printed.lower(), label(printed)
        exact = self._names.get(whole) or self._names.get(short)
        if exact or whole != short:
            return exact
        others = self._by_label.get(short, set())
        return next(iter(others)) if len(others) == 1 else None
