"""What dcb shows beyond the settings of ``host_dcb``: counters of PFC (-s), and limits of rates.

Known: iproute2/iproute2, dcb/dcb_pfc.c and dcb_maxrate.c at ee2a4a86: ``requests`` were sent,
``indications`` received (IEEE 802.1Q, 12.23); limits are bytes per second since 6.18.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result
from fabric.systems.host.lab import dcb as host_dcb

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn

_KILOBIT = 1000


def command(host: HostStandIn) -> Tool:
    """Return the command dcb of a host."""
    settings = host_dcb.command(host)

    def run(context: Context, argv: list[str], stdin: str) -> Result:
        words = [word for word in argv[1:] if not word.startswith("-")]
        match words:
            case ["maxrate", "show", "dev", name] if name in host.qos and "-j" in argv:
                rates = [rate * _KILOBIT // 8 for rate in host.qos[name].rates]
                return Result(json.dumps({"tc_maxrate": rates}) + "\n")
            case ["pfc", "show", "dev", name] if name in host.qos and {"-j", "-s"} <= set(argv):
                shown = settings(context, argv, stdin)
                assert isinstance(shown, Result)
                counts = host.counters.of_driver(name)
                row = json.loads(shown.stdout)
                for member, way in (("requests", "tx"), ("indications", "rx")):
                    row[member] = [counts[f"{way}_prio{number}_pause"] for number in range(8)]
                return Result(json.dumps(row) + "\n")
        found = settings(context, argv, stdin)
        assert isinstance(found, Result)
        return found

    return run
