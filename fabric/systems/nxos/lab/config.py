"""The configuration tree of the NX-OS stand-in: editing by lines, canonical text.

Known: a line belongs to the innermost open mode that accepts it, else to the mode around it; what
is the default is not shown, but `no shutdown` of a routed port is; jobs of the scheduler are shown
without indentation up to ``end-job`` (batfish and ciscoconfparse captures).
Assumed: ports are switched and up when nothing is configured on them; a port that changes between
switched and routed loses all but its description and state; the ports of the hardware are always
shown; texts of refusals other than ``% Invalid command``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.lab.lines.grammar import Grammar, InvalidInputError
from fabric.lab.lines.tree import Node, natural, policies_of
from fabric.systems.nxos.lab.rules import (
    FEATURES,
    HIDDEN,
    KEPT_BY_PORT,
    MODES,
    ROUTED_ONLY,
    SWITCHED_ONLY,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.lab.lines.grammar import Matched

GRAMMAR = Grammar(MODES, frozenset())


class LineRefusedError(ValueError):
    """A line that NX-OS refuses, in its words."""


class Editor:
    """Applies lines to a tree, as the configuration mode of NX-OS does.

    Parameters
    ----------
    root : Node
        The tree to change.
    ports : iterable of str
        Ports of the hardware: they cannot be removed, and others not be made.
    """

    def __init__(self, root: Node, ports: Iterable[str] = ()) -> None:
        self.root = root
        self.ports = tuple(ports)
        self.stack: list[Node] = [root]
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
            self._store(self.root, GRAMMAR["config"].match(["interface", name]))

    def feed(self, line: str) -> None:
        """Apply one line.

        Raises
        ------
        LineRefusedError
            In the words of the switch.
        """
        words = line.split()
        if not words or words[0].startswith("!"):
            return
        if words in (["exit"], ["end-job"]):
            self.stack = self.stack[:-1] or self.stack
            return
        if words == ["end"]:
            self.stack = self.stack[:1]
            return
        try:
            self._feed(words)
        except InvalidInputError:
            message = "% Invalid command\n"
            raise LineRefusedError(message) from None

    def _feed(self, words: list[str]) -> None:
        errors: list[InvalidInputError] = []
        for depth in range(len(self.stack), 0, -1):
            try:
                opened = self._apply(self.stack[depth - 1], words)
            except InvalidInputError as error:
                errors.append(error)
                continue
            self.stack = [*self.stack[:depth], *([opened] if opened else [])]
            return
        raise max(errors, key=lambda error: error.depth)

    def _apply(self, context: Node, words: list[str]) -> Node | None:
        mode = GRAMMAR[context.mode]
        if words[0] != "no" or self._knows(context, words):
            return self._store(context, mode.match(words))
        keys, longer = mode.match_removal(words[1:])
        for key in keys:
            self._remove(context, key, longer=longer)
        return None

    def _knows(self, context: Node, words: list[str]) -> bool:
        try:
            GRAMMAR[context.mode].match(words)
        except InvalidInputError:
            return False
        return True

    def _store(self, context: Node, matched: Matched) -> Node | None:
        key, line, _ = next(iter(matched.entries()))
        self._check(context, line)
        was_routed = context.has("no switchport")
        if line in HIDDEN.get(context.mode, ()):
            context.children.pop(key, None)
            self._settle(context, was_routed=was_routed)
            return None
        node = context.children.get(key)
        if node is None or node.line != line:
            order = (matched.rule.rank, natural(line))
            node = context.children[key] = Node(line, matched.rule.opens or "", order)
            node.mode = matched.rule.opens or "config"
            if line.startswith("interface breakout "):
                self._add_ports()
        self._settle(context, was_routed=was_routed)
        return node if matched.rule.opens else None

    def _remove(self, context: Node, key: str, *, longer: bool) -> None:
        found = [
            name
            for name in context.children
            if name == key or (longer and name.startswith(f"{key} "))
        ]
        for name in found:
            self._check_removal(context.children[name])
            was_routed = context.has("no switchport")
            gone = context.children.pop(name)
            self._settle(context, was_routed=was_routed)
            if gone.line.startswith("interface breakout "):
                self._add_ports()
            if gone.line.startswith("feature "):
                self._forget(gone.line.split()[1])

    def _forget(self, feature: str) -> None:
        """Take away what a feature brought."""
        for words, name in FEATURES.items():
            if name == feature and words != "bfd":
                for key in [k for k in self.root.children if k.startswith(words)]:
                    del self.root.children[key]

    @staticmethod
    def _settle(context: Node, *, was_routed: bool) -> None:
        """Take away what a port loses when it changes between switched and routed."""
        if context.mode != "if-ethernet" or context.has("no switchport") is was_routed:
            return
        for key, node in list(context.children.items()):
            if not node.line.startswith(KEPT_BY_PORT):
                del context.children[key]

    def _check(self, context: Node, line: str) -> None:
        """Refuse a line that fits the grammar and not the state.

        Raises
        ------
        LineRefusedError
            In the words of the switch.
        """
        for words, feature in FEATURES.items():
            if line.startswith(words) and not self.root.has(f"feature {feature}"):
                message = "% Invalid command\n"
                raise LineRefusedError(message)
        reason = self._reason(context, line)
        if reason:
            message = f"ERROR: {reason}\n"
            raise LineRefusedError(message)

    def _reason(self, context: Node, line: str) -> str:
        word = line.rsplit(maxsplit=1)[-1]
        if line.startswith("interface Ethernet") and line.split()[1] not in self.present():
            return "Invalid interface"
        if (
            line.startswith("interface breakout")
            and f"Ethernet1/{line.split()[5]}" not in self.ports
        ):
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

    def _policy_reason(self, context: Node, line: str) -> str:
        _, _, kind, *direction, name = line.split()
        if name not in policies_of(self.root, kind):
            return f"policy-map {name} of type {kind} does not exist"
        if kind == "queuing" and not self._is_of(name, direction[0]):
            return f"policy-map {name} has classes of the other direction"
        old = context.value(line.rpartition(" ")[0])
        if context.mode == "if-ethernet" and old and old != name:
            return "another policy is already attached"
        return ""

    def _is_of(self, policy: str, direction: str) -> bool:
        """Tell whether a queuing policy has classes of one direction alone."""
        kind = "c-in" if direction == "input" else "c-out"
        line = f"policy-map type queuing {policy}"
        [found] = (node for node in self.root.below(line) if node.line == line)
        return all(f" {kind}-" in node.line for node in found.children.values())

    def _share_reason(self, context: Node, percent: int) -> str:
        policy = self.stack[-2] if self.stack[-1] is context else self.stack[-1]
        others = sum(
            int(node.value("bandwidth remaining percent") or 0)
            for node in policy.children.values()
            if node is not context
        )
        return "total bandwidth exceeds 100 percent" if others + percent > 100 else ""  # noqa: PLR2004

    def _port_reason(self, context: Node, line: str) -> str:
        routed = context.has("no switchport")
        jumbo = self.root.value("system jumbomtu") or "9216"
        if line.startswith("mtu ") and not routed and line.split()[1] not in ("1500", jumbo):
            return f"MTU of a layer 2 port is 1500 or {jumbo}"
        if line.startswith(ROUTED_ONLY) and not routed:
            return "not a layer 3 port"
        if line.startswith(SWITCHED_ONLY) and routed:
            return "not a layer 2 port"
        return self._address_reason(context, line)

    def _address_reason(self, context: Node, line: str) -> str:
        from ipaddress import ip_interface

        if not line.startswith("ip address "):
            return ""
        wanted = ip_interface(line.split()[2]).network
        for other in self.root.below("interface "):
            value = other.value("ip address")
            if other is not context and value and ip_interface(value).network.overlaps(wanted):
                return f"{wanted} overlaps with address configured on {other.line.split()[1]}"
        return ""

    def _check_removal(self, node: Node) -> None:
        """Refuse to remove what is fixed or in use."""
        message = ""
        if node.line.startswith("interface Ethernet") or node.line in ("vlan 1", "interface mgmt0"):
            message = "% Invalid command\n"
        name = node.line.split()[-1]
        if node.line.startswith("policy-map ") and _uses(self.root, "service-policy", name):
            message = f"ERROR: policy-map {name} is in use, it cannot be deleted\n"
        if node.line.startswith("class-map ") and _uses(self.root, "class", name):
            message = f"ERROR: class-map {name} is in use, it cannot be deleted\n"
        if message:
            raise LineRefusedError(message)


def _uses(root: Node, words: str, name: str) -> bool:
    return any(
        child.line.startswith(f"{words} ") and child.line.split()[-1] == name
        for node in root.children.values()
        for child in node.children.values()
    )


def read_text(text: str, ports: Iterable[str]) -> Node:
    """Read a whole configuration.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    root = Node()
    feed_text(Editor(root, ports), text)
    return root


def feed_text(editor: Editor, text: str) -> None:
    """Apply a text of several lines, as a person would paste it; lists of VLANs are taken too.

    Raises
    ------
    ValueError
        When a line is refused; the lines before it are applied.
    """
    for number, line in enumerate(text.splitlines(), 1):
        vlans = re.fullmatch(r"vlan ([\d,-]+)", line)
        try:
            for one in _vlans(vlans[1]) if vlans else (line,):
                editor.feed(one)
        except LineRefusedError as error:
            message = f"line {number}: {line!r}: {str(error).strip()}"
            raise ValueError(message) from error


def _vlans(text: str) -> Iterator[str]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from (f"vlan {number}" for number in range(int(first), int(last or first) + 1))
