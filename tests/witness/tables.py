"""What is no fault, by rule and reason, and faults that are known and not mended yet.

A row covers the faults that its patterns match, each of them whole. Each row must be met by some
setting of each system that it names: one that is met no more is out of date, and the test says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from tests.witness.faults import Fault


class Row(NamedTuple):
    """Faults that are expected.

    Parameters
    ----------
    systems : tuple of str
        Names of systems; empty for all of them.
    kind : str
        Of the fault.
    text, settings : str
        Regular expressions.
    rule : str
        Rule, or page of ours, that says so to a user.
    reason : str
        The fact behind it.
    """

    systems: tuple[str, ...]
    kind: str
    text: str
    settings: str
    rule: str
    reason: str

    def covers(self, system: str, setting: str, fault: Fault) -> bool:
        """Tell whether a fault is one of these."""
        return (
            (not self.systems or system in self.systems)
            and self.kind == fault.kind
            and bool(re.fullmatch(self.settings, setting))
            and bool(re.fullmatch(self.text, fault.text, re.DOTALL))
        )


class Judged:
    """The faults of one system.

    Attributes
    ----------
    met : list of str
        Faults that no row expects, each kind once.
    """

    def __init__(self, system: str) -> None:
        self.system = system
        self.met: list[str] = []
        self._used: set[Row] = set()
        self._faults: set[Fault] = set()

    def take(self, setting: str, faults: Iterable[Fault]) -> None:
        """Sort the faults of a setting."""
        for fault in faults:
            rows = [row for row in ROWS if row.covers(self.system, setting, fault)]
            self._used.update(rows)
            if not rows and fault not in self._faults:
                self._faults.add(fault)
                self.met.append(f"{setting}: {fault.kind}: {fault.text}")

    @property
    def out_of_date(self) -> list[Row]:
        """Rows that name the system and that none of its settings met."""
        return [row for row in ROWS if self.system in row.systems and row not in self._used]


_VRP8 = ("vrp8", "vrp8, family A")
_SONIC = ("sonic", "sonic, Broadcom")
_EOS = ("eos", "eos, DNX")
_NO_PFC = "PFC False|two classes without PFC"

#: What the product says of itself: no fault.
STATEMENTS = (
    Row(
        (),
        "explain",
        "[!#]? ?Merged by rocefab into what runs: lines of others are kept.",
        "scope merge",
        "docs/audit.md",
        "a comment that marks the file of a part",
    ),
    Row(
        ("esonic", "cumulus", *_EOS, "nxos", "junos", *_VRP8, "comware7"),
        "audit",
        r"AUD001 no port has a lossless class \(PFC\)",
        _NO_PFC,
        "AUD001",
        "the setting asks for it; `check` says QOS004",
    ),
    Row(_SONIC, "audit", "SON027 .*", _NO_PFC, "SON027", "the setting asks for it"),
    Row(
        ("esonic", "cumulus", *_EOS, "nxos", "junos"),
        "audit",
        "AUD006 the PFC watchdog is off.*",
        "no watchdog",
        "AUD006",
        "the setting asks for it",
    ),
    Row(_SONIC, "audit", "SON023 .*", "no watchdog", "SON023", "the setting asks for it"),
    Row(
        ("esonic", *_EOS),
        "audit",
        "AUD006 the PFC watchdog ends no storm.*",
        "watchdog alert.*",
        "AUD006",
        "the setting asks for it",
    ),
    Row(_SONIC, "audit", "SON016 .*", "watchdog alert.*", "SON016", "the setting asks for it"),
    Row(
        _SONIC,
        "audit",
        "SON046 .* no mac.*",
        ".*",
        "SON046",
        "the MAC address is the switch's own: it runs with it, and no file of ours has it",
    ),
    Row(
        _SONIC,
        "audit",
        "SON015 WRED profile AZURE_LOSSLESS_1 .*",
        "policy of a port",
        "SON015",
        "a second profile needs a second name",
    ),
    Row(
        _SONIC,
        "meant",
        "(ARP|MAC) ageing is not read",
        ".*",
        "docs/audit.md",
        "CONFIG_DB has neither",
    ),
    Row(
        ("sonic",),
        "audit shown",
        r"\.ports\.\S+(?:headroom_bytes|dynamic_th)\.3: .* is shown as None",
        "port off",
        "sonic-net/sonic-swss cfgmgr/buffermgr.cpp",
        "the buffer manager takes the lossless groups of a port that is down",
    ),
    Row(
        ("esonic", "cumulus", "junos", "vrp8", "vrp8, family A", "comware7"),
        "meant",
        r"gateway of VLAN \d+ is not read|VLANs: .* is read as set\(\)",
        ".*",
        "docs/audit.md",
        "AUD009 judges the gateways of EOS, NX-OS and SONiC alone",
    ),
    Row(
        ("cumulus",),
        "meant",
        r"description: '(.*)' is read as '\S+'",
        ".*",
        "templates/cumulus",
        "NVUE takes one word: spaces become underscores",
    ),
    Row(
        ("cumulus",),
        "meant",
        "watchdog restoration_ms: .*",
        ".*",
        "CUM rules",
        "a storm ends after one poll without a pause",
    ),
    Row(
        ("junos",),
        "meant",
        "share of the (default|lossless) queue: .*",
        ".*",
        "templates/junos/schedulers.j2",
        "the strict queue has a cap, and the others share what is left",
    ),
    Row(
        ("junos",),
        "meant",
        "k(min|max)_bytes is not read",
        ".*",
        "docs/audit.md",
        "thresholds are percents of a queue",
    ),
    Row(
        ("nxos",),
        "audit shown",
        r"\.hash_fields: .* is shown as None",
        ".*",
        "docs/audit.md",
        "the stand-in hides the line, and no public source says that it is the default",
    ),
    Row(
        _VRP8,
        "meant",
        "watchdog: False is read as True",
        "no watchdog",
        "VRP011",
        "deadlock detection cannot be switched off",
    ),
    Row(
        ("comware7",),
        "meant",
        "MTU is not read",
        ".*",
        "docs/audit.md",
        "the longest frame of a switched port depends on the model",
    ),
    Row(
        ("comware7",),
        "meant",
        "marking of the lossless queue is not read",
        ".*",
        "CMW rules",
        "thresholds are in cells: they are rendered where the inventory sets both",
    ),
    Row(
        ("comware7",),
        "meant",
        "(kmin_bytes|kmax_bytes|pmax_percent) is not read",
        ".*",
        "docs/audit.md",
        "thresholds are in cells",
    ),
    Row(
        ("comware7",),
        "audit",
        "AUD003 priority [34] is lossless, and its queue [34] marks no ECN",
        ".*",
        "CMW rules",
        "thresholds are in cells: they are rendered where the inventory sets both",
    ),
    Row(
        ("comware7",),
        "meant",
        "watchdog is not read",
        ".*",
        "CMW rules",
        "the lines of its deadlock detection are not public",
    ),
    Row(
        ("comware7",),
        "audit",
        "AUD006 the PFC watchdog is off",
        ".*",
        "CMW rules",
        "the lines of its deadlock detection are not public",
    ),
    Row(
        ("comware7",),
        "audit shown",
        r"\.ports\.\S+\.dscp_to_class\.\d+: .* is shown as None|\.mac_ageing_s: 300 .*",
        ".*",
        "docs/audit.md",
        "what is the default on one model is not shown, and not known of all of them",
    ),
    Row(
        ("comware7",),
        "explain",
        "# EXPERIMENTAL: .*|return",
        ".*",
        "docs/reference/platforms.md",
        "a comment, and the end of the file",
    ),
)

#: Faults that are known; each is to be mended, and its row removed then.
KNOWN_FAULTS = (
    Row(
        _SONIC,
        "audit",
        "SON031 fec (fc|none) at (200|400)G",
        "fec (fc|none).*",
        "SON031",
        "`check` of the inventory says nothing of a FEC that PAM4 links do not come up with",
    ),
    Row(
        ("vrp8",),
        "meant",
        "marking of the lossless queue is not read",
        _NO_PFC,
        "",
        "without lines of PFC nothing tells the family that marks without `qos ecn enable`",
    ),
)
ROWS = (*STATEMENTS, *KNOWN_FAULTS)
