"""The configuration of the NX-OS stand-in: what its lines depend on, and canonical text.

Known: a line belongs to the innermost open mode that accepts it, else to the mode around it; what
is the default is not shown, but `no shutdown` of a routed port is; jobs of the scheduler are shown
without indentation up to ``end-job`` (batfish and ciscoconfparse captures); a port that is bound to
a VRF, or no longer bound, loses its addresses (batfish test configuration nxos_vrf).
Assumed: ports are switched and up when nothing is configured on them; a port that changes between
switched and routed loses all but its description and state; the ports of the hardware are always
shown; texts of refusals other than ``% Invalid command``; with its addresses a port loses all other
lines of IP; a VRF is removed only without VNI, BGP and ports, as FRR demands it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.book.grammar import Grammar, LineRefusedError
from fabric.lab.lines.addresses import address_of, overlapping
from fabric.lab.lines.editor import Editor as LineEditor
from fabric.lab.lines.editor import feed_text
from fabric.lab.lines.tree import Section, natural, spans
from fabric.systems.nxos.lab.rules import (
    EVPN,
    FEATURES,
    HIDDEN,
    KEPT_BY_PORT,
    LOST_BY_BINDING,
    MODES,
    ROUTED_ONLY,
    SWITCHED_ONLY,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.book.grammar import InvalidInputError, Matched

GRAMMAR = Grammar(MODES, frozenset())
INVALID = "% Invalid command"
#: Sections whose lines keep the order in which they came.
_UNSORTED = ("job", "qos-policy")


class Editor(LineEditor):
    """Applies lines to a tree, as the configuration mode of NX-OS does.

    Parameters
    ----------
    root : Section
        The tree to change.
    ports : iterable of str
        Ports of the hardware: they cannot be removed, and others not be made.
    """

    leave = ("exit", "end-job")
    climbs = True
    hidden = HIDDEN
    prefix = "ERROR: "

    def __init__(self, root: Section, ports: Iterable[str] = ()) -> None:
        super().__init__(root, GRAMMAR)
        self.ports = tuple(ports)
        self._add_ports()

    def present(self) -> Iterator[str]:
        """Yield the ports that there are, as they are broken out."""
        parts = {
            f"Ethernet1/{node.line.split()[5]}": int(node.line.rpartition("-")[2].rstrip("x"))
            for node in self.root.below("interface breakout ")
        }
        for port in self.ports:
            names = [f"{port}/{part}" for part in range(1, parts.get(port, 0) + 1)]
            yield from names or [port]

    def _add_ports(self) -> None:
        """Bring the ports in line with the hardware, which cannot be configured away."""
        names = tuple(self.present())
        for key in [k for k in self.root.children if k.startswith("interface Ethernet")]:
            if key.split()[1] not in names:
                del self.root.children[key]
        for name in names:
            self.store(self.root, GRAMMAR["config"].match(["interface", name]))

    def feed(self, line: str) -> None:
        """Apply one line; ``end`` leaves all modes."""
        if line.split() == ["end"]:
            self.stack = self.stack[:1]
        else:
            super().feed(line)

    def paste(self, line: str) -> None:
        """Apply one line of a text; lists of VLANs are taken too."""
        vlans = re.fullmatch(r"vlan ([\d,-]+)", line)
        for one in _vlans(vlans[1]) if vlans else (line,):
            self.feed(one)

    def invalid(self, words: list[str], error: InvalidInputError) -> LineRefusedError:
        """Return what NX-OS says of every line that it does not know."""
        return LineRefusedError(f"{INVALID}\n")

    def node(self, context: Section, matched: Matched, line: str, number: int | None) -> Section:
        """Return the node of a line; some sections keep the order in which lines came."""
        place = () if context.mode in _UNSORTED else (matched.rule.rank, natural(line))
        return Section(line, matched.rule.opens, place)

    def arrived(self, context: Section, node: Section) -> None:
        """Bring the parts of a port."""
        if node.line.startswith("interface breakout "):
            self._add_ports()

    def left(self, context: Section, node: Section) -> None:
        """Take away the parts of a port, and what a feature brought."""
        if node.line.startswith("interface breakout "):
            self._add_ports()
        if node.line.startswith("feature "):
            gone = node.line.removeprefix("feature ")
            self.root.drop(*(w for w, name in FEATURES.items() if name == gone and w != "bfd"))

    def mark(self, context: Section) -> tuple[bool, str]:
        """Return whether a port is routed, and its VRF."""
        return context.has("no switchport"), context.value("vrf member")

    def settle(self, context: Section, mark: tuple[bool, str]) -> None:
        """Take away what a port loses when it changes between switched and routed, or its VRF."""
        routed, vrf = mark
        if context.mode == "if-ethernet" and context.has("no switchport") is not routed:
            for key, node in list(context.children.items()):
                if not node.line.startswith(KEPT_BY_PORT):
                    del context.children[key]
        if context.mode.startswith("if-") and context.value("vrf member") != vrf:
            context.drop(*LOST_BY_BINDING)

    # -- refusals --------------------------------------------------------------------------------

    def reason(self, context: Section, line: str) -> str:
        """Return why a line that fits the grammar does not fit the state."""
        if self._is_off(line):
            return INVALID
        word = line.rsplit(maxsplit=1)[-1]
        if context.mode == "vrf" and line.startswith("vni "):
            return self._vni_reason(context, line.split()[1])
        if self._is_of_no_port(line):
            return "Invalid interface"
        if line.startswith("router bgp ") and any(
            node.line != line for node in self.root.below("router bgp ")
        ):
            return "BGP is already running with another autonomous system number"
        if line.startswith("service-policy type "):
            return self._policy_reason(context, line)
        if context.mode == "qos-policy" and word != "class-default":
            known = {node.line.split()[-1] for node in self.root.below("class-map ")}
            if word not in known:
                return f"class-map {word} does not exist"
        if context.mode == "queue" and line.startswith("bandwidth"):
            return self._share_reason(context, int(word))
        if context.mode == "if-ethernet":
            return self._port_reason(context, line)
        return self._address_reason(context, line)

    def _is_of_no_port(self, line: str) -> bool:
        """Tell whether a line names a port that the switch does not have."""
        if line.startswith("interface breakout"):
            return f"Ethernet1/{line.split()[5]}" not in self.ports
        return line.startswith("interface Ethernet") and line.split()[1] not in self.present()

    def _is_off(self, line: str) -> bool:
        """Tell whether a line exists only with a feature that is off."""
        missing = [one for words, one in FEATURES.items() if line.startswith(words)]
        return any(not self.root.has(f"feature {one}") for one in missing) or (
            line == "address-family l2vpn evpn" and not self.root.has(EVPN)
        )

    def _policy_reason(self, context: Section, line: str) -> str:
        _, _, kind, *direction, name = line.split()
        if name not in policies_of(self.root, kind):
            return f"policy-map {name} of type {kind} does not exist"
        if kind == "queuing" and not self._is_of(name, direction[0]):
            return f"policy-map {name} has classes of the other direction"
        old = context.value(line.rpartition(" ")[0])
        if context.mode == "if-ethernet" and old and old != name:
            return "another policy is already attached"
        return ""

    def _vni_reason(self, context: Section, vni: str) -> str:
        for other in self.root.below("vrf context "):
            if other is not context and other.value("vni").split()[:1] == [vni]:
                return f"VNI {vni} is already configured in {other.line}"
        return ""

    def _has_vrf(self, vrf: Section, name: str) -> bool:
        """Tell whether a port, BGP or a tunnel has a VRF."""
        vni = vrf.value("vni").partition(" ")[0]
        return any(
            child.line in {f"vrf member {name}", f"vrf {name}"}
            or (vni and child.line.startswith(f"member vni {vni} "))
            for node in self.root.children.values()
            for child in node.children.values()
        )

    def _is_of(self, policy: str, direction: str) -> bool:
        """Tell whether a queuing policy has classes of one direction alone."""
        kind = "c-in" if direction == "input" else "c-out"
        classes = self.root.children[f"policy-map type queuing {policy}"].children.values()
        return all(f" {kind}-" in node.line for node in classes)

    def _share_reason(self, context: Section, percent: int) -> str:
        sections = [nodes[0] for nodes in self.stack]
        policy = sections[sections.index(context) - 1] if context in sections else sections[-1]
        others = sum(
            int(node.value("bandwidth remaining percent") or 0)
            for node in policy.children.values()
            if node is not context
        )
        return "total bandwidth exceeds 100 percent" if others + percent > 100 else ""  # noqa: PLR2004

    def _port_reason(self, context: Section, line: str) -> str:
        routed = context.has("no switchport")
        jumbo = self.root.value("system jumbomtu") or "9216"
        if line.startswith("mtu ") and not routed and line.split()[1] not in ("1500", jumbo):
            return f"MTU of a layer 2 port is 1500 or {jumbo}"
        if line.startswith(ROUTED_ONLY) and not routed:
            return "not a layer 3 port"
        if line.startswith(SWITCHED_ONLY) and routed:
            return "not a layer 2 port"
        return self._address_reason(context, line)

    def _address_reason(self, context: Section, line: str) -> str:
        other = overlapping(self.root, context, line, "vrf member")
        network = address_of(line).network if other else ""
        return f"{network} overlaps with address configured on {other}" if other else ""

    def removal_reason(self, context: Section, node: Section) -> str:
        """Return why a line that is fixed or in use cannot be removed."""
        if node.line.startswith("interface Ethernet") or node.line in ("vlan 1", "interface mgmt0"):
            return INVALID
        name = node.line.split()[-1]
        if node.line.startswith("vrf context ") and self._has_vrf(node, name):
            return f"VRF {name} is in use, it cannot be deleted"
        for what, words in (("policy-map", "service-policy"), ("class-map", "class")):
            if node.line.startswith(f"{what} ") and _uses(self.root, words, name):
                return f"{what} {name} is in use, it cannot be deleted"
        return ""


def policies_of(root: Section, kind: str) -> set[str]:
    """Return the names of the policies of a type."""
    return {node.line.split()[-1] for node in root.below(f"policy-map type {kind} ")}


def _uses(root: Section, words: str, name: str) -> bool:
    return any(
        child.line.startswith(f"{words} ") and child.line.split()[-1] == name
        for node in root.children.values()
        for child in node.children.values()
    )


def _vlans(text: str) -> Iterator[str]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from (f"vlan {number}" for number in range(int(first), int(last or first) + 1))


def read_text(text: str, ports: Iterable[str]) -> Section:
    """Read a whole configuration.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    root = Section()
    feed_text(Editor(root, ports), text)
    return root


def text_lines(root: Section) -> Iterator[str]:
    """Yield the lines of the running configuration, with blank lines between sections."""
    vlans = [1, *(int(node.line.split()[1]) for node in root.below("vlan "))]
    listed = False
    for node in root.sorted():
        if node.mode == "vlan" and not listed:
            yield ""
            yield f"vlan {','.join(spans(vlans))}"
            listed = True
        if node.mode in ("vlan", "system-qos") and not node.children:
            continue
        if node.mode not in ("", "vlan"):
            yield ""
        yield from node.line.split("\n")
        if node.mode == "job":
            yield from (child.line for child in node.sorted())
            yield from ("", "end-job")
        else:
            yield from _below(node, 1)
    if not listed:
        yield "vlan 1"


def _below(node: Section, depth: int) -> Iterator[str]:
    for child in node.sorted():
        yield "  " * depth + child.line
        yield from _below(child, depth + 1)
    if node.has("no switchport") and not node.has("shutdown"):
        yield "  " * depth + "no shutdown"
