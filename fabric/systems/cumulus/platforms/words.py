"""The words of NVUE that changed from release to release.

Source: CumulusNetworks/docs, content/cumulus-linux-515, New and Changed NVUE Commands (``enable
on`` became ``state enabled``, ``ip address`` became ``ipv4 address``, ``ip vrf`` became ``vrf``,
``service ntp`` and ``service lldp`` moved below ``system``); content/cumulus-linux-514 and 516,
Quality of Service (``pfc-watchdog state disable`` became ``state disabled``, in one of 5.15 and
5.16: taken as 5.15, as for the others); content/nvue-reference (``system syslog`` since 5.13).
content/cumulus-linux-516 to 519, New and Removed NVUE Commands: none of the lines that we write is
removed or changed there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_RELEASE = "5.14"
_RELEASE = re.compile(r"5\.(\d{1,2})(\.\d{1,3})*")


@dataclass(frozen=True, slots=True)
class Words:
    """What one range of releases calls things.

    Parameters
    ----------
    enable, on, off : str
        How a feature is switched: ``enable on`` or ``state enabled``.
    watch, unwatch : str
        How the PFC watchdog of a port is switched, below its ``state``.
    ip, ip6 : str
        Branches of the addresses of an interface, of IPv4 and of IPv6.
    ntp, syslog, lldp : str
        Branches of the services.
    vrf : str
        Branch of an interface that names its VRF.
    """

    enable: str
    on: str
    off: str
    watch: str
    unwatch: str
    ip: str
    ip6: str
    ntp: str
    syslog: str
    lldp: str
    vrf: str

    def of_release(self, spellings: frozenset[str]) -> frozenset[str]:
        """Return those of several words that the range of releases has."""
        same = next((words for words in _SPELLINGS if words == spellings), frozenset())
        own = {self.enable, self.on, self.off, self.watch, self.unwatch, self.ip, self.ip6}
        return spellings & own if same else spellings

    def has(self, line: Sequence[str]) -> bool:
        """Tell whether a line begins with no branch that other releases alone have."""
        own = {self.ntp, self.syslog, self.lldp}
        text = " ".join([*line, ""])
        branch = " ".join([*line[2:], ""]) if line[:1] == ["interface"] else ""
        return not any(text.startswith(f"{other} ") for other in _BRANCHES - own) and not any(
            branch.startswith(f"{other} ") for other in _VRF_BRANCHES - {self.vrf}
        )


_UP_TO_12 = Words(
    "enable",
    "on",
    "off",
    "enable",
    "disable",
    "ip",
    "ip",
    "service ntp mgmt",
    "service syslog mgmt",
    "service lldp",
    "ip vrf",
)
_UP_TO_14 = replace(_UP_TO_12, syslog="system syslog")
_FROM_15 = Words(
    "state",
    "enabled",
    "disabled",
    "enabled",
    "disabled",
    "ipv4",
    "ipv6",
    "system ntp",
    "system syslog",
    "system lldp",
    "vrf",
)
#: First minor release of each vocabulary, newest first, and the newest that is known.
_FIRST_MINOR = ((15, _FROM_15), (13, _UP_TO_14), (10, _UP_TO_12))
VOCABULARIES = tuple(vocabulary for _, vocabulary in _FIRST_MINOR)
_NEWEST = 19
#: Words that mean the same in different releases, and branches that moved.
_SPELLINGS = tuple(
    frozenset(word for words in VOCABULARIES for word in pick(words))
    for pick in (
        lambda words: (words.enable,),
        lambda words: (words.on, words.off),
        lambda words: (words.watch, words.unwatch),
        lambda words: (words.ip,),
        lambda words: (words.ip6,),
    )
)
_BRANCHES = {name for words in VOCABULARIES for name in (words.ntp, words.syslog, words.lldp)}
_VRF_BRANCHES = {words.vrf for words in VOCABULARIES}
#: Trains that are known.
RELEASES = tuple(f"5.{minor}" for minor in range(_FIRST_MINOR[-1][0], _NEWEST + 1))


def trains_like(release: str) -> tuple[str, str]:
    """Return the first and the last known train that calls things as a release does."""
    alike = [train for train in RELEASES if words(train) == words(release)]
    return alike[0], alike[-1]


def words(release: str) -> Words:
    """Return the vocabulary of a release such as ``5.14`` or ``5.10.1``.

    Raises
    ------
    ValueError
        When the release is not known.
    """
    match = _RELEASE.fullmatch(release)
    minor = int(match[1]) if match else 0
    for first, vocabulary in _FIRST_MINOR:
        if first <= minor <= _NEWEST:
            return vocabulary
    raise ValueError(f"Cumulus Linux {release} is not known; known are 5.10 to 5.{_NEWEST}")
