"""``vtysh`` of the stand-ins: graceful shutdown of BGP alone.

Known: FRR 8.4.4 with one instance answers the three calls as here, twice the same ones too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context

_SHUTDOWN = "bgp graceful-shutdown"


class Frr:
    """What FRR runs with and no configuration of the switch says.

    Attributes
    ----------
    drained : bool
        Whether BGP is shut down gracefully; a restart of FRR ends it.
    """

    def __init__(self) -> None:
        self.drained = False

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
        return Result("", "% Unknown command.\n", 1)
