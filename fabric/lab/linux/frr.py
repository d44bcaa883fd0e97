"""``vtysh`` of the stand-ins: graceful shutdown of BGP, and single routes of a VRF.

Known: FRR 8.4.4 with one instance answers the three calls of the shutdown as here, twice the same
ones too. Routes: FRRouting/frr zebra/zebra_vty.c, ``show_route_detail``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from fabric.lab.shell.state import Context

_SHUTDOWN = "bgp graceful-shutdown"
_ROUTE = re.compile(r"show ip route vrf (\S+) ([0-9./]+)")
_ENTRY = """Routing entry for {prefix}
  Known via "bgp", distance 20, metric 0, vrf {vrf}, best
  Last update 00:10:00 ago
"""


class Frr:
    """What FRR runs with and no configuration of the switch says.

    Attributes
    ----------
    drained : bool
        Whether BGP is shut down gracefully; a restart of FRR ends it.

    Parameters
    ----------
    vrfs : callable
        Returns the VRFs of the switch.
    has_route : callable
        Tells whether a VRF has a route to a prefix.
    """

    def __init__(
        self, vrfs: Callable[[], Container[str]], has_route: Callable[[str, str], bool]
    ) -> None:
        self.drained = False
        self._vrfs, self._has_route = vrfs, has_route

    def vtysh(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer a call of ``vtysh -c LINE -c LINE``."""
        if not context.root:
            return Result("", "Permission denied\n", 1)
        match argv[1:]:
            case ["-c", "configure terminal", "-c", "router bgp", "-c", line] if (
                line.removeprefix("no ") == _SHUTDOWN
            ):
                self.drained = line == _SHUTDOWN
                return Result()
            case ["-c", "show running-config bgpd"]:
                shutdown = f" {_SHUTDOWN}\n" if self.drained else ""
                return Result(f"Building configuration...\n\nrouter bgp 65100\n{shutdown}exit\n")
            case ["-c", line] if asked := _ROUTE.fullmatch(line):
                return self._route(asked[1], asked[2])
        return Result("", "% Unknown command.\n", 1)

    def _route(self, vrf: str, prefix: str) -> Result:
        if vrf not in self._vrfs():
            return Result(f"% VRF {vrf} not found\n", "", 1)
        if not self._has_route(vrf, prefix):
            return Result("% Network not in table\n", "", 1)
        return Result(_ENTRY.format(vrf=vrf, prefix=prefix))
