"""The texts of one host, parsed; what is missing or unreadable is remembered with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.observe.hostfacts import readers
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOT_READ = "not read"


class Readings:
    """Values by ``reading`` or ``reading:target``.

    Parameters
    ----------
    texts : mapping
        Outputs of commands by reading; ``mlnx_qos:eth1`` is that of one network device.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.unread: dict[str, str] = {}
        self.raw: dict[str, str] = {}
        self._values: dict[str, Any] = {}
        for key, text in texts.items():
            self._read(key, text)

    def _read(self, key: str, text: str) -> None:
        name = key.partition(":")[0]
        if name not in readers:
            self.unread[key] = f"there is no reading {name!a}"
            return
        try:
            self._values[key] = readers[name].parse(text)
        except UnreadableError as error:
            self.unread[key] = str(error)
            self.raw[key] = text

    def first(self, *keys: str) -> Any:
        """Return the value of the first of these that was read.

        When there is none, each that nobody handed in is remembered as not read.
        """
        for key in keys:
            if key in self._values:
                return self._values[key]
        for key in keys:
            self.unread.setdefault(key, NOT_READ)
        return None

    def have(self, key: str) -> Any:
        """Return a value, None without one, and remember nothing."""
        return self._values.get(key)

    def agreed(self, field: str, told: Iterable[Any]) -> Any:
        """Return what readings say of a field, leaving out None; when they disagree, None."""
        values = list(dict.fromkeys(value for value in told if value is not None))
        if len(values) > 1:
            self.unread[field] = "readings disagree: " + ", ".join(str(value) for value in values)
        return values[0] if len(values) == 1 else None
