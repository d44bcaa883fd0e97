"""Names on the boxes of a picture: what all share is left out where there is no room for it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

#: Longest label, our choice; a longer one loses its middle.
LABEL_LENGTH = 24
#: Most characters of names without what they share, one after the other until all fit; our choice.
#: The last is that of the line below a name, such as ``AS 65100``.
LENGTHS = (LABEL_LENGTH, 14, 8)
#: What parts of a name stand between.
_SEPARATORS = "-_."
#: Where something is missing.
LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class Shared:
    """What all names of some devices begin and end with, whole parts of a name; may be empty."""

    start: str
    end: str

    def __bool__(self) -> bool:
        """Return whether anything is shared."""
        return bool(self.start or self.end)

    def cut(self, name: str) -> str:
        """Return a name without what is shared."""
        return name[len(self.start) : len(name) - len(self.end)]

    def marked(self, label: str) -> str:
        """Return a label with a sign where something is left out."""
        return f"{LEFT_OUT * bool(self.start)}{label}{LEFT_OUT * bool(self.end)}"


NOTHING_SHARED = Shared("", "")


def shared_by(names: Collection[str]) -> Shared:
    """Return what names share: ``dc1-`` and ``-x`` of ``dc1-a-x`` and ``dc1-b-x``."""
    if len(names) < 2:  # noqa: PLR2004 - a name alone shares all of it
        return NOTHING_SHARED
    start = _same_parts(min(names), max(names))
    turned = [name[len(start) :][::-1] for name in names]
    end = _same_parts(min(turned), max(turned))[::-1]
    return Shared(start, end)


def _same_parts(first: str, last: str) -> str:
    """Return the parts that two names begin with."""
    pairs = enumerate(zip(first, last, strict=False))
    most = next((at for at, (one, other) in pairs if one != other), min(len(first), len(last)))
    return first[: max(first.rfind(sign, 0, most) for sign in _SEPARATORS) + 1]


def shortened(text: str, length: int = LABEL_LENGTH) -> str:
    """Return a label with its middle left out where it is too long."""
    if len(text) <= length:
        return text
    half = (length - 1) // 2
    return f"{text[:half]}{LEFT_OUT}{text[-half:]}"


def shorter_names(devices: Sequence[tuple[str, int, str]]) -> Iterator[list[str]]:
    """Yield labels of devices, each time shorter ones.

    Parameters
    ----------
    devices : sequence of (str, int, str)
        Kind, column and name of each.
    """
    kinds, columns = defaultdict(list), defaultdict(list)
    for kind, column, name in devices:
        kinds[kind].append(name)
        columns[kind, column].append(name)
    of_kind = {key: shared_by(some) for key, some in kinds.items()}
    of_column = {key: shared_by(some) for key, some in columns.items()}
    wide = [of_kind[kind] for kind, _, _ in devices]
    narrow = [of_column[kind, column] or of_kind[kind] for kind, column, _ in devices]
    before = [shortened(name) for _, _, name in devices]
    for shared, length in ((wide, LABEL_LENGTH), *((narrow, most) for most in LENGTHS)):
        labels = [
            _shorter(name, one, length) for (_, _, name), one in zip(devices, shared, strict=True)
        ]
        if labels != before:
            yield labels
        before = labels


def _shorter(name: str, shared: Shared, length: int) -> str:
    """Return a label that is no longer than the name, or than the shortest that is of use."""
    if len(name) <= LENGTHS[-1]:
        return name
    return shortened(min(name, shared.marked(shared.cut(name)), key=len), length)
