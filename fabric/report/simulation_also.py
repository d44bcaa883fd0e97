"""simulate: traffic besides the incast, of other classes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.report.simulation_sizes import size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What ``--also`` calls a ring of the NICs that take part.
RING = "ring"
_MOST_SENDERS = 256
#: Names of classes, as in the inventory.
_NAME = r"[a-z][a-z0-9]{0,15}"


@dataclass(frozen=True, slots=True)
class Also:
    """Traffic of another lossless class.

    Parameters
    ----------
    class_name : str
        Name of the class.
    senders : int
        NICs that send to each receiver of the incast; 0 is a ring: each NIC that takes part sends
        to the next.
    size_bytes : int or None
        Bytes of each queue pair; None sends until the end.
    """

    class_name: str
    senders: int
    size_bytes: int | None = None


def also_of(words: Sequence[str]) -> tuple[Also, ...]:
    """Return traffic from words such as ``storage:8:4MiB`` or ``rdma:ring``.

    Raises
    ------
    InputError
        When a word is something else, or two name the same class.
    """
    chosen = tuple(_also(word) for word in words)
    names = [also.class_name for also in chosen]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"--also names class {twice[0]} twice; give each class once")
    return chosen


def _also(words: str) -> Also:
    name, _, rest = words.partition(":")
    kind, _, size = rest.partition(":")
    number = 0 if kind == RING else int(kind) if re.fullmatch(r"[0-9]{1,3}", kind) else -1
    is_count = kind == RING or 1 <= number <= _MOST_SENDERS
    if not re.fullmatch(_NAME, name) or not is_count:
        raise InputError(
            f"--also is {words!r}; write CLASS:SENDERS or CLASS:ring, then :BYTES if it ends, such "
            "as storage:8:4MiB"
        )
    return Also(name, number, size_of(size) if size else None)
