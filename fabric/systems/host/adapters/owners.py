"""Files of other tools on a host that configure our NICs, or win over a kernel parameter of ours.

networkd applies the first ``.network`` file that matches, by name over all folders
(systemd.network(5)); netplan merges its files, of two values the one of the later file counts
(netplan(5)); systemd-sysctl applies the files by name, the last one counts (sysctl.d(5)).
NetworkManager activates one of several profiles of an interface (nm-settings(5)).
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from fabric.systems.host.adapters.commands import NETPLAN, NETWORKD, PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fabric.core.artefact import Artefact

#: Services in the order in which the driver asks for them.
SERVICES = ("NetworkManager", "systemd-networkd", "networking")
_LINE = re.compile(r"(/[A-Za-z0-9@:_.+/\\-]{1,200}?):(.{1,400})")
_MOST_LINES = 20_000
#: Made by netplan of its files, or ours.
_MADE = re.compile(r".*/(?:10-netplan-|netplan-)[^/]*|.*rocefab[^/]*|.*/rocefab/.*")
_SYSCTL = re.compile(r"-?(net[./]ipv[46][./][A-Za-z0-9_./-]+)\s*=\s*([A-Za-z0-9_.:-]{1,64})\s*")
_CALLS = re.compile(r"\b(mlnx_qos|cma_roce_tos)\b")
_CLOUD = (
    "; cloud-init writes it at each boot: put `network: {config: disabled}` into "
    "/etc/cloud/cloud.cfg.d/99-disable-network-config.cfg"
)


@dataclass(frozen=True)
class Others:
    """What files of other tools do.

    Parameters
    ----------
    conflicts : tuple of str
        Files that win over ours, each with what to do.
    notes : tuple of str
        Files that configure the same and do not win, or not surely.
    """

    conflicts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def other_files(
    system: Mapping[str, str], ours: Mapping[str, Artefact], nics: Iterable[str]
) -> Others:
    """Return what files of other tools do to the NICs of a host.

    Parameters
    ----------
    system : mapping
        ``owners``, lines of files as ``grep`` prints them, and ``services``, their states.
    ours : mapping
        Files of ours by path.
    """
    files: dict[str, list[str]] = defaultdict(list)
    for line in system.get("owners", "").splitlines()[:_MOST_LINES]:
        match = _LINE.fullmatch(line)
        if match and not _MADE.fullmatch(match[1]):
            files[match[1]].append(match[2])
    judge = _Judge(ours, tuple(nics), frozenset(_active(system.get("services", ""))))
    said = [one for path in sorted(files) for one in judge.of(path, files[path])]
    return Others(
        tuple(text for wins, text in said if wins), tuple(text for wins, text in said if not wins)
    )


def _active(text: str) -> Iterator[str]:
    for name, state in zip(SERVICES, text.split(), strict=False):
        if state == "active":
            yield name


class _Judge:
    def __init__(
        self, ours: Mapping[str, Artefact], nics: tuple[str, ...], active: frozenset[str]
    ) -> None:
        self._nics, self._active = nics, active
        self._sysctl = {
            _dotted(match[1]): (path.rpartition("/")[2], match[2])
            for path, item in ours.items()
            if "/sysctl.d/" in path
            for line in item.text.splitlines()
            if (match := _SYSCTL.match(line))
        }
        self._netplan = next((path for path in ours if path.startswith(NETPLAN)), "")
        self._units = [_name(path) for path in ours if path.startswith(NETWORKD)]
        self._profiles = any(path.startswith(PROFILES) for path in ours)

    def of(self, path: str, lines: list[str]) -> Iterator[tuple[bool, str]]:
        """Yield what a file does, and whether it wins over ours."""
        for folder, reader in _READERS.items():
            if folder in path:
                yield from reader(self, path, lines)
                return
        tools = {match[1] for line in lines if (match := _CALLS.search(line))}
        for tool in sorted(tools):
            yield False, f"{path} runs {tool} too: what runs last counts; remove it there"

    def netplan(self, path: str, lines: list[str]) -> Iterator[tuple[bool, str]]:
        """Judge a file of netplan: it is merged with ours, or makes units and profiles itself."""
        form = r'(?:(?:^|[{{,\s])["\']?{0}["\']?\s*:|set-name:\s*["\']?{0}\b)'
        last = bool(self._netplan) and _name(path) > _name(self._netplan)
        fix = f"there{_CLOUD if 'cloud-init' in path else ''}"
        for nic in self._named(form, lines):
            if last or self._profiles:
                reason = "is merged after ours" if last else "makes a second profile of it"
                yield True, f"{path} configures {nic} and {reason}; remove {nic} {fix}"
            elif self._netplan:
                kept = "its addresses, routes and DHCP stay"
                yield False, f"{path} configures {nic}: {kept}; remove {nic} {fix}"

    def networkd(self, path: str, lines: list[str]) -> Iterator[tuple[bool, str]]:
        """Judge a file of networkd: the first one by name is applied."""
        words = [word for line in lines if line.startswith("Name=") for word in line[5:].split()]
        for nic in self._nics if path.endswith(".network") else ():
            own = (name for name in self._units if name.endswith(f"-{nic}.network"))
            mine = next(own, f"10-netplan-{nic}.network")
            wins = _name(path) < mine
            if not any(fnmatchcase(nic, word) for word in words):
                continue
            if wins and not self._profiles:
                fix = f"remove {nic} there, or give the file a later name"
                yield True, f"{path} matches {nic} and is read before {mine}; {fix}"
            elif self._profiles:
                yield self._of_service("systemd-networkd", path, nic)

    def profile(self, path: str, lines: list[str]) -> Iterator[tuple[bool, str]]:
        """Judge a profile of NetworkManager, in either of its forms."""
        for nic in self._named(r'(?:interface-name|DEVICE)=["\']?{0}["\']?\s*$', lines):
            if self._profiles:
                yield True, f"{path} is a second profile of {nic}; remove it"
            else:
                yield self._of_service("NetworkManager", path, nic)

    def ifupdown(self, path: str, lines: list[str]) -> Iterator[tuple[bool, str]]:
        """Judge a file of ifupdown."""
        for nic in self._named(r"\s*iface\s+{0}\s", lines):
            yield self._of_service("networking", path, nic)

    def sysctl(self, path: str, lines: list[str]) -> Iterator[tuple[bool, str]]:
        """Judge kernel parameters: the last file by name counts."""
        for line in lines:
            match = _SYSCTL.match(line.strip())
            mine, value = self._sysctl.get(_dotted(match[1]), ("", "")) if match else ("", "")
            if match and mine and _name(path) > mine and match[2] != value:
                other = f"{path} sets {_dotted(match[1])} to {match[2]}"
                yield True, f"{other} after {mine}, which sets {value}; remove the line there"

    def _named(self, form: str, lines: list[str]) -> Iterator[str]:
        for nic in self._nics:
            pattern = re.compile(form.format(re.escape(nic)))
            if any(pattern.search(line) for line in lines):
                yield nic

    def _of_service(self, service: str, path: str, nic: str) -> tuple[bool, str]:
        runs = service in self._active
        state = "runs" if runs else "does not run"
        return runs, f"{path} configures {nic} by {service}, which {state}; remove {nic} there"


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _dotted(key: str) -> str:
    """Return a parameter as sysctl.d has it; the first separator decides (sysctl.d(5))."""
    return key.translate(str.maketrans("./", "/.")) if key.startswith("net/") else key


_READERS: dict[str, Callable[[_Judge, str, list[str]], Iterator[tuple[bool, str]]]] = {
    "/netplan/": _Judge.netplan,
    "/systemd/network/": _Judge.networkd,
    "/NetworkManager/": _Judge.profile,
    "/network-scripts/": _Judge.profile,
    "/etc/network/": _Judge.ifupdown,
    "/sysctl.d/": _Judge.sysctl,
}
