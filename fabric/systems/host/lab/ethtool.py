"""ethtool of a GPU host.

Known: jonmasters/ethtool and its netlink part (mkubecek/ethtool, netlink/settings.c, fec.c,
pause.c) for the texts; mlx5 reports the pause of the link without autonegotiation and offers FEC
by RS, BaseR and none.
Assumed: options are written as here, ``-s`` is not supported; FEC in force is what was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.pages import pages
from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context
    from fabric.lab.spec import NicSpec
    from fabric.systems.host.lab import HostStandIn

page = pages(__file__)
_FEC = {"rs": "RS", "baser": "BaseR", "off": "Off"}
_STORM = "pfc-prevention-tout"
#: As of a veth, which has no such tunable.
_UNSUPPORTED = Result("", "Cannot get tunable: Operation not supported\n", 1)
_DENIED = Result("", "netlink error: Operation not permitted\n", 1)


class Ethtool:
    """The command."""

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self._options: dict[str, Callable[[Context, NicSpec, list[str]], Result]] = {
            "": self._settings,
            "-i": self._driver,
            "-a": self._pause,
            "-A": self._set_pause,
            "-S": self._statistics,
            "--show-fec": self._fec,
            "--set-fec": self._set_fec,
            "--set-tunable": self._set_storm,
            "--get-tunable": self._storm,
        }

    def command(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer ethtool."""
        words = argv[1:]
        option = words.pop(0) if words and words[0].startswith("-") else ""
        if option not in self._options:
            return Result("", f"ethtool: {option} is not supported\n", 1)
        name = words.pop(0) if words else ""
        nic = next((item for item in self._host.spec.nics if item.interface == name), None)
        if nic is None:
            return Result("", "netlink error: No such device\n", 1)
        if words and option not in ("-A", "--set-fec", "--set-tunable", "--get-tunable"):
            return Result("", "ethtool: bad command line argument(s)\n", 1)
        return self._options[option](context, nic, words)

    def _settings(self, _context: Context, nic: NicSpec, _words: list[str]) -> Result:
        up = self._host.link_up(nic.interface)
        speed_mbps = self._host.cards[nic.interface].speed_gbps * 1000
        return Result(page("ethtool", interface=nic.interface, up=up, speed_mbps=speed_mbps))

    def _driver(self, _context: Context, nic: NicSpec, _words: list[str]) -> Result:
        card = self._host.cards[nic.interface]
        return Result(page("ethtool-i", card=card))

    def _pause(self, _context: Context, nic: NicSpec, _words: list[str]) -> Result:
        pause = self._host.pause[nic.interface]
        states = "".join(f"{way.upper()}:\t\t{pause[way]}\n" for way in ("rx", "tx"))
        return Result(f"Pause parameters for {nic.interface}:\nAutonegotiate:\toff\n{states}\n")

    def _set_pause(self, context: Context, nic: NicSpec, words: list[str]) -> Result:
        if not context.root:
            return _DENIED
        pause = dict(zip(words[::2], words[1::2], strict=False))
        bad = set(pause) - {"rx", "tx", "autoneg"} or set(pause.values()) - {"on", "off"}
        if bad or not pause:
            return Result("", "ethtool: bad command line argument(s)\n", 1)
        if pause.pop("autoneg", "off") == "on":
            return Result("", "netlink error: Operation not supported\n", 1)
        self._host.pause[nic.interface].update(pause)
        return Result()

    def _statistics(self, _context: Context, nic: NicSpec, _words: list[str]) -> Result:
        counts = self._host.counters.of_driver(nic.interface)
        rows = (f"     {name}: {value}\n" for name, value in counts.items())
        return Result("NIC statistics:\n" + "".join(rows))

    def _fec(self, _context: Context, nic: NicSpec, _words: list[str]) -> Result:
        fec = self._host.cards[nic.interface].fec
        up = self._host.link_up(nic.interface)
        return Result(page("ethtool-fec", interface=nic.interface, fec=fec, up=up))

    def _set_fec(self, context: Context, nic: NicSpec, words: list[str]) -> Result:
        if not context.root:
            return _DENIED
        if len(words) != 2 or words[0] != "encoding" or words[1].lower() not in _FEC:  # noqa: PLR2004
            return Result("", "ethtool: bad command line argument(s)\n", 1)
        self._host.cards[nic.interface].fec = _FEC[words[1].lower()]
        return Result()

    def _set_storm(self, context: Context, nic: NicSpec, words: list[str]) -> Result:
        if _STORM in self._host.without:
            return _UNSUPPORTED
        match words:
            case ["pfc-prevention-tout", value] if value.isdigit() and context.root:
                milliseconds = int(value)
            case _:
                return Result("", "ethtool: bad command line argument(s)\n", 1)
        if milliseconds not in (0, 65535) and not 80 <= milliseconds <= 8000:  # noqa: PLR2004
            return Result("", "netlink error: Invalid argument\n", 1)
        self._host.storm_ms[nic.interface] = milliseconds
        return Result()

    def _storm(self, _context: Context, nic: NicSpec, words: list[str]) -> Result:
        if _STORM in self._host.without:
            return _UNSUPPORTED
        if words != [_STORM]:
            return Result("", "ethtool: bad command line argument(s)\n", 1)
        return Result(f"pfc-prevention-tout: {self._host.storm_ms.get(nic.interface, 0)}\n")
