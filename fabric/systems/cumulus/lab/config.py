"""Configurations of NVUE as the stand-in keeps them: sets of paths, checked against the tree.

Known: CumulusNetworks/docs, content/cumulus-linux-514 (what the leaves are, which values they take,
that ``qos roce`` means ``mode lossless``, that the PFC watchdog needs PFC, that shares and pools do
not exceed 100 percent, reserved VLANs, one AS number for all VRFs, one VRF for each layer 3 VNI,
``type`` of interfaces and neighbours in startup files), and the form of ``nv config show -o
commands``: sorted, ranges of interfaces and VLANs joined, passwords masked. Assumed: the texts of
refusals, that an unset of what is not there succeeds, and the order of joined lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.systems.cumulus.platforms import RESERVED_VLANS
from fabric.systems.cumulus.platforms.lines import leaves, natural, paths, write
from fabric.systems.cumulus.platforms.tree import is_value, tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.systems.cumulus.platforms.lines import Path
    from fabric.systems.cumulus.platforms.words import Words

_TYPES = (("swp", "swp"), ("eth", "eth"), ("vlan", "svi"), ("lo", "loopback"), ("bond", "bond"))
_SECRET = "hashed-password"  # noqa: S105 - the name of a leaf
_MOST_PERCENT = 100


class LineError(ValueError):
    """The switch refuses a line."""


def check(path: Path, words: Words, *, unset: bool = False) -> None:
    """Refuse a path that the command tree of the release does not have.

    Raises
    ------
    LineError
        Naming the first word that may not stand there.
    """
    node = tree(words)
    for place, word in enumerate(path):
        following = node.next(word)
        if following is None:
            raise LineError(f"Error: Invalid parameter '{word}' after '{' '.join(path[:place])}'")
        node = following
    if not unset and not node.ends and path != ("qos", "roce"):
        raise LineError(f"Error: Incomplete command: {' '.join(path)}")


def change(config: set[Path], verb: str, tokens: list[str], words: Words) -> set[Path]:
    """Return a configuration after one ``nv set`` or ``nv unset``.

    Raises
    ------
    LineError
        When the line is refused.
    """
    try:
        named = list(paths(tokens))
    except ValueError as error:
        raise LineError(f"Error: {error}") from error
    changed = set(config)
    for path in named:
        check(path, words, unset=verb == "unset")
        if verb == "unset":
            changed = {item for item in changed if item[: len(path)] != path}
            continue
        if is_value(path):
            changed = {item for item in changed if item[:-1] != path[:-1]}
        changed |= {path, *_implied(path, changed, words)}
    return leaves(changed)


def _implied(path: Path, config: set[Path], words: Words) -> Iterator[Path]:
    """Yield what the switch writes along with a line."""
    switch = (words.enable, words.on)
    if path == ("qos", "roce"):
        yield ("qos", "roce", *switch)
    if path[:2] == ("qos", "roce") and not any(p[:3] == ("qos", "roce", "mode") for p in config):
        yield ("qos", "roce", "mode", "lossless") if path[2:3] != ("mode",) else path
    if path[0] == "interface":
        yield from _interface(path, config, words)
    if path[:2] == ("router", "bgp") and not any(p[:3] == (*path[:2], switch[0]) for p in config):
        yield ("router", "bgp", *switch)
    if path[2:5] == ("router", "bgp", "neighbor"):
        kind = "numbered" if path[5][0].isdecimal() or ":" in path[5] else "unnumbered"
        if not any(item[:7] == (*path[:6], "type") for item in config | {path}):
            yield (*path[:6], "type", kind)


def _interface(path: Path, config: set[Path], words: Words) -> Iterator[Path]:
    name = path[1]
    has = {item[2] for item in config | {path} if item[:2] == path[:2] and len(item) > 2}  # noqa: PLR2004
    kind = next((kind for prefix, kind in _TYPES if name.startswith(prefix)), "")
    if kind and "type" not in has:
        yield ("interface", name, "type", kind)
    if kind == "svi" and "vlan" not in has:
        yield ("interface", name, "vlan", name.removeprefix("vlan"))
    if path[2:] == ("qos", "pfc-watchdog"):
        yield (*path, "state", words.watch)


def complaints(config: set[Path], words: Words) -> Iterator[str]:
    """Yield what ``nv config apply`` finds invalid."""
    on = (words.enable, words.on)
    if any(path[2:4] == ("router", "bgp") for path in config) and not any(
        path[:3] == ("router", "bgp", "autonomous-system") for path in config
    ):
        yield "router.bgp.autonomous-system is required"
    lossless = ("qos", "roce", *on) in config and ("qos", "roce", "mode", "lossless") in config
    watched = [p[1] for p in config if p[2:] == ("qos", "pfc-watchdog", "state", words.watch)]
    if watched and not lossless:
        yield f"interface.{min(watched)}.qos.pfc-watchdog: PFC is not configured"
    for path in sorted(config):
        if (
            path[:2] == ("bridge", "domain")
            and path[3:4] == ("vlan",)
            and int(path[4]) in (RESERVED_VLANS)
        ):
            yield f"bridge.domain.{path[2]}.vlan: {path[4]} is reserved"
        if path[-2:-1] == ("remote-as",) and path[5] not in {p[5] for p in config if len(p) > 6}:  # noqa: PLR2004
            yield f"neighbor {path[5]} has no remote-as"
    yield from _vrf_complaints(config)
    for leaf in ("bw-percent", "memory-percent"):
        if sum(int(path[-1]) for path in config if path[-2:-1] == (leaf,)) > _MOST_PERCENT:
            yield f"the sum of {leaf} is above {_MOST_PERCENT}"


def _vrf_complaints(config: set[Path]) -> Iterator[str]:
    """Yield what is wrong with VRFs: a VNI is that of one of them, and BGP has one AS number."""
    asns = {path[-1] for path in config if path[:3] == ("router", "bgp", "autonomous-system")}
    vnis: dict[str, str] = {}
    for path in sorted(path for path in config if path[0] == "vrf"):
        name, branch = path[1], path[2:-1]
        if branch == ("router", "bgp", "autonomous-system") and {path[-1]} != asns:
            yield f"vrf.{name}.router.bgp.autonomous-system is not that of router.bgp"
        if branch == ("evpn", "vni"):
            other = vnis.setdefault(path[-1], name)
            if other != name:
                yield f"vrf.{name}.evpn.vni: {path[-1]} is that of vrf {other}"


def commands(config: Iterable[Path], verb: str = "set") -> str:
    """Return a configuration as ``nv config show -o commands`` prints it."""
    shown = {(*path[:-1], "*") if _SECRET in path else path for path in config}
    groups: dict[tuple[Path, Path], list[str]] = {}
    for path in sorted(shown, key=natural):
        place = _listed(path)
        key = (path[:place], path[place + 1 :]) if place else (path, ())
        groups.setdefault(key, []).append(path[place] if place else "")
    joined = {
        (*head, _join(names), *tail) if names != [""] else head
        for (head, tail), names in groups.items()
    }
    return write(joined, verb)


def _listed(path: Path) -> int:
    if path[0] == "interface" and path[-2:-1] != ("address",):
        return 1
    return 4 if path[:2] == ("bridge", "domain") and path[3:4] == ("vlan",) else 0


def _join(names: list[str]) -> str:
    """Join names as NVUE does: ``swp1-2,32``."""
    runs: list[tuple[str, int, int]] = []
    others = []
    for name in names:
        numbered = re.fullmatch(r"(\D*|swp\d+s)(\d+)", name)
        if not numbered:
            others.append(name)
        elif runs and runs[-1][0] == numbered[1] and runs[-1][2] + 1 == int(numbered[2]):
            runs[-1] = (numbered[1], runs[-1][1], int(numbered[2]))
        else:
            runs.append((numbered[1], int(numbered[2]), int(numbered[2])))
    pieces, last = [], None
    for prefix, first, end in runs:
        head = "" if prefix == last else prefix
        pieces.append(f"{head}{first}-{end}" if end > first else f"{head}{first}")
        last = prefix
    return ",".join([*others, *pieces])
