"""Names of network interfaces: those of the design where the kernel takes them, else short ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: IFNAMSIZ of Linux include/uapi/linux/if.h, without the terminating zero.
LONGEST = 15
#: Letters that dev_valid_name of Linux net/core/dev.c takes, and that need no quotes in a shell.
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]")
#: Names that the kernel or the lab gives.
_TAKEN = frozenset({"lo", "all", "default"})


def kernel_names(ports: Iterable[str]) -> dict[str, str]:
    """Return the name in the kernel of each port, all different.

    The end of a long name is kept: that is where ports of one switch differ.
    """
    names: dict[str, str] = {}
    taken = set(_TAKEN)
    for port in ports:
        fit = _UNFIT.sub("_", port)[-LONGEST:].lstrip("-.")
        name, number = fit, 1
        while name in taken:
            number += 1
            name = f"{fit[: LONGEST - len(str(number)) - 1]}.{number}"
        taken.add(name)
        names[port] = name
    return names
