"""The words of NVUE that changed from release to release.

Source: CumulusNetworks/docs, content/cumulus-linux-515, New and Changed NVUE Commands (``enable
on`` became ``state enabled``, ``ip address`` became ``ipv4 address``, ``service ntp`` and ``service
lldp`` moved below ``system``); content/nvue-reference (``system syslog`` since 5.13).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

DEFAULT_RELEASE = "5.14"
_RELEASE = re.compile(r"5\.(\d{1,2})(\.\d{1,3})*")


@dataclass(frozen=True, slots=True)
class Words:
    """What one range of releases calls things.

    Parameters
    ----------
    enable, on, off : str
        How a feature is switched: ``enable on`` or ``state enabled``.
    ip : str
        Branch of the IPv4 addresses of an interface.
    ntp, syslog, lldp : str
        Branches of the services.
    """

    enable: str
    on: str
    off: str
    ip: str
    ntp: str
    syslog: str
    lldp: str


_UP_TO_12 = Words(
    "enable", "on", "off", "ip", "service ntp mgmt", "service syslog mgmt", "service lldp"
)
_UP_TO_14 = replace(_UP_TO_12, syslog="system syslog")
_FROM_15 = Words(
    "state", "enabled", "disabled", "ipv4", "system ntp", "system syslog", "system lldp"
)
#: First minor release of each vocabulary, newest first, and the newest that is known.
_FIRST_MINOR = ((15, _FROM_15), (13, _UP_TO_14), (10, _UP_TO_12))
VOCABULARIES = tuple(vocabulary for _, vocabulary in _FIRST_MINOR)
_NEWEST = 15
#: Trains that are known.
RELEASES = tuple(f"5.{minor}" for minor in range(_FIRST_MINOR[-1][0], _NEWEST + 1))


def words(release: str) -> Words:
    """Return the vocabulary of a release such as ``5.14`` or ``5.10.1``.

    Raises
    ------
    ValueError
        When the release is not known.
    """
    found = _RELEASE.fullmatch(release)
    minor = int(found[1]) if found else 0
    for first, vocabulary in _FIRST_MINOR:
        if first <= minor <= _NEWEST:
            return vocabulary
    raise ValueError(f"Cumulus Linux {release} is not known; known are 5.10 to 5.{_NEWEST}")
