"""Files of the OFED driver below ``ecn``: DCQCN of one NIC (en_sysfs.c of DOCA-OFED 25.10)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import number, shown
from fabric.observe.parsers import UnreadableError

_ENABLE = re.compile(r"/sys/class/net/[^/:]{1,64}/ecn/roce_(rp|np)/enable/([0-7]):([01])")
_CNP = re.compile(r"/sys/class/net/[^/:]{1,64}/ecn/roce_np/cnp_dscp:([0-9]{1,2})")
_HIGHEST_DSCP = 63


@dataclass(frozen=True, slots=True)
class EcnFiles:
    """Priorities on which the NIC reacts to CNPs, those on which it sends them, and their DSCP."""

    reaction_point: frozenset[int]
    notification_point: frozenset[int]
    cnp_dscp: int


@reads(
    "ecn_files",
    "grep -H '' /sys/class/net/{interface}/ecn/roce_rp/enable/*"
    " /sys/class/net/{interface}/ecn/roce_np/enable/*"
    " /sys/class/net/{interface}/ecn/roce_np/cnp_dscp",
)
def parse_ecn_files(text: str) -> EcnFiles:
    """Parse ``PATH:value`` of the files of one NIC.

    Raises
    ------
    UnreadableError
        When a priority or the DSCP is missing, stands twice, or a line is something else.
    """
    states: dict[tuple[str, str], str] = {}
    dscps = []
    for line in whole_lines(text):
        if (match := _ENABLE.fullmatch(line)) and match.groups()[:2] not in states:
            states[match[1], match[2]] = match[3]
        elif match := _CNP.fullmatch(line):
            dscps.append(number(match[1], "DSCP", high=_HIGHEST_DSCP))
        else:
            raise UnreadableError(f"no file of DCQCN, or one twice: {shown(line)}")
    if len(states) != 2 * 8 or len(dscps) != 1:
        raise UnreadableError("files of DCQCN are missing")
    on = {
        side: frozenset(
            int(place) for (one, place), bit in states.items() if (one, bit) == (side, "1")
        )
        for side in ("rp", "np")
    }
    return EcnFiles(on["rp"], on["np"], dscps[0])
