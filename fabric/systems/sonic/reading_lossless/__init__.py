"""SONiC: what a CONFIG_DB says of PFC, ECN, maps, watchdog and MTU.

Ageing is not in CONFIG_DB: MAC addresses age by switch.json, neighbours by sysctl, and the hash
takes addresses and ports where no ``SWITCH_HASH`` row says otherwise; all of that stays unknown.
"""

from __future__ import annotations

from fabric.observe.configuration.lossless import Lossless, LosslessReader, lossless_readers
from fabric.systems.sonic.reading_lossless import classes, ports
from fabric.systems.sonic.reading_lossless.model import READER, Dump, DumpedSwitch

__all__ = ["classes", "ports", "read"]


def read(text: str) -> Lossless:
    """Return what a CONFIG_DB says of the lossless class."""
    device = DumpedSwitch(Dump(text), Lossless("sonic"))
    for table, action in READER.tables.items():
        for row in device.dump.local_rows(table):
            action(device, row)
    ports.join_bundles(device)
    return device.switch


#: What rules SON001 to SON037 judge by the tables themselves.
_JUDGED = frozenset((
    "AUD001",
    "AUD002",
    "AUD003",
    "AUD004",
    "AUD006",
    "AUD007",
    "AUD008",
    "AUD015",
))

lossless_readers.add("sonic")(
    LosslessReader(read, (r'"DEVICE_METADATA"\s*:', r'"PORT"\s*:', r'"hwsku"\s*:'), _JUDGED)
)
