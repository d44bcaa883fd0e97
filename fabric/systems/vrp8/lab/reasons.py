"""Why the VRP8 stand-in refuses a line that fits the grammar.

Known and assumed: see `fabric.systems.vrp8.lab.config`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from fabric.lab.lines.addresses import address_of, overlapping
from fabric.systems.vrp8.lab.rules import (
    BUILT_IN_PRIORITIES,
    HEADROOM_KBYTES,
    LAST_QUEUE,
    LAYER_2,
    LAYER_3,
    MARKING_BYTES,
    MOST_DOMAINS,
    MOST_PFC_PROFILES,
    MOST_PRIORITIES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.lab.lines.tree import Section

_ENABLE = re.compile(r"dcb pfc enable(?: (?!mode )(\S+))?(?: mode \w+)?")
_MARKING = re.compile(r"ecn buffer-size low-limit (\d+) high-limit (\d+) .*")
_POOL = re.compile(r"qos buffer headroom-pool size (\d+) (\w)bytes .*")
_QUEUES = re.compile(r"qos drr [0-7](?: (?:to )?[0-7])*")
HOST_MASK = "255.255.255.255"
KBYTES_PER_MBYTE = 1024


class Editor(Protocol):
    """What the reasons ask the editor of a tree."""

    root: Section
    ports: tuple[str, ...]
    family: str

    def present(self) -> Iterator[str]:
        """Yield the ports that there are, as they are split."""


def addition_reason(editor: Editor, context: Section, line: str) -> str:
    """Return why a line cannot be added, empty when it can."""
    reasons = {
        "config": _system_reason,
        "port": _port_reason,
        "vlanif": _address_reason,
        "loopback": _address_reason,
        "meth": _address_reason,
        "pfc": _priority_reason,
        "drop": _marking_reason,
        "bgp": _bgp_reason,
        "bgp-af": _family_reason,
        "bgp-af6": _family_reason,
    }
    reason = reasons.get(context.mode)
    return reason(editor, context, line) if reason else ""


def _system_reason(editor: Editor, context: Section, line: str) -> str:
    words = line.split()
    if line.startswith("interface ") and "GE" in line and words[1] not in editor.present():
        return "Wrong parameter found at '^' position."
    if line.startswith("port split "):
        return _split_reason(editor, line)
    if line.startswith("interface Vlanif") and not context.has(f"vlan batch {words[1][6:]}"):
        return "The VLAN does not exist."
    if line.startswith("bgp ") and any(node.line != line for node in context.below("bgp ")):
        return "BGP is already running in another AS."
    if line.startswith("dcb pfc ") and words[2] not in ("global", "dscp-mapping", "default"):
        profiles = [node for node in context.below("dcb pfc ") if node.mode == "pfc"]
        if not words[2].startswith("deadlock") and len(profiles) + 1 >= MOST_PFC_PROFILES:
            return "The number of PFC profiles exceeds the upper limit."
    if line.startswith("diffserv domain ") and len(context.below("diffserv ")) + 1 >= MOST_DOMAINS:
        return "The number of DiffServ domains exceeds the upper limit."
    pool = _POOL.fullmatch(line)
    if pool:
        kbytes = int(pool[1]) * (KBYTES_PER_MBYTE if pool[2] == "m" else 1)
        low, high = HEADROOM_KBYTES[editor.family]
        return "" if low <= kbytes <= high else "The headroom buffer is out of range."
    return ""


def _split_reason(editor: Editor, line: str) -> str:
    *_, port, _, word = line.split()
    parts, speed_gbps = word.removesuffix("GE").split("*")
    if port not in editor.ports or int(port.partition("GE")[0]) != int(parts) * int(speed_gbps):
        return "Wrong parameter found at '^' position."
    return "" if port in editor.present() else "The port is split already."


def _port_reason(editor: Editor, context: Section, line: str) -> str:
    routed = context.has("undo portswitch")
    if line in {"undo portswitch", "portswitch"}:
        left = LAYER_2 if line.startswith("undo") else LAYER_3
        wrong = [node.line for node in context.children.values() if node.line.startswith(left)]
        return f"Delete the configuration {wrong[0]!r} of the port first." if wrong else ""
    if line.startswith(LAYER_2) and routed:
        return "The port is not a layer 2 port."
    if line.startswith(LAYER_3) and not routed:
        return "The port is not a layer 3 port."
    word = line.rsplit(maxsplit=1)[-1]
    if line.startswith("port default vlan ") and word != "1":
        return "" if editor.root.has(f"vlan batch {word}") else "The VLAN does not exist."
    if line.startswith("trust upstream ") and word not in ("none", "default"):
        known = editor.root.has(f"diffserv domain {word}")
        return "" if known else "The DiffServ domain does not exist."
    return _queue_reason(editor, context, line) or _address_reason(editor, context, line)


def _queue_reason(editor: Editor, context: Section, line: str) -> str:
    word = line.rsplit(maxsplit=1)[-1]
    if " wred " in line and not editor.root.has(f"drop-profile {word}"):
        return "The drop profile does not exist."
    if line.startswith("qos queue ") and line.endswith(" ecn"):
        queue = " ".join(line.split()[:3])
        return "" if context.value(f"{queue} wred") else "Apply a WRED drop profile first."
    if line.startswith("qos drr ") and not _QUEUES.fullmatch(line):
        return "Unrecognized command found at '^' position."
    if line.startswith("qos drr ") and context.below("qos drr "):
        return "The scheduling mode of the queues is configured already."
    enabled = _ENABLE.fullmatch(line)
    if enabled:
        name = enabled[1] or "default"
        if name != "default" and not editor.root.has(f"dcb pfc {name}"):
            return "The PFC profile does not exist."
        pool = editor.root.below("qos buffer headroom-pool ")
        if editor.family == "b" and not pool:
            return "The headroom buffer of the chip is not configured."
        if context.below("dcb pfc enable"):
            return "Another PFC profile is applied to the port."
    return ""


def _address_reason(editor: Editor, context: Section, line: str) -> str:
    words = line.split()
    if not line.startswith("ip address ") or words[2] == "unnumbered":
        return ""
    if words[3] == HOST_MASK and context.mode != "loopback":
        return "The mask of 32 bits is for loopback interfaces."
    address = address_of(line)
    pair = address.network.num_addresses <= 2  # noqa: PLR2004
    if not pair and address.ip == address.network.network_address:
        return "The specified IP address is invalid."
    other = overlapping(editor.root, context, line)
    return f"The address conflicts with that of {other}." if other else ""


def priorities(profile: Section, name: str) -> set[int]:
    """Return the priorities that a PFC profile pauses."""
    own = {int(node.line.split()[1]) for node in profile.children.values() if not node.mode}
    return own | BUILT_IN_PRIORITIES.get(name, set())


def _priority_reason(editor: Editor, context: Section, line: str) -> str:
    words = line.split()
    if int(words[1]) > LAST_QUEUE[editor.family]:
        return "The priority does not support PFC."
    name = context.line.removeprefix("dcb pfc").strip() or "default"
    known = priorities(context, name)
    if len(words) > 2:  # noqa: PLR2004 - times of a priority
        return "" if int(words[1]) in known else "PFC is not enabled for the priority."
    full = len(known | {int(words[1])}) > MOST_PRIORITIES[editor.family]
    return "The number of priorities exceeds the upper limit." if full else ""


def _marking_reason(editor: Editor, context: Section, line: str) -> str:
    marking = _MARKING.fullmatch(line)
    if marking is None:
        return ""
    low, high = MARKING_BYTES[editor.family]
    fits = low <= int(marking[1]) <= int(marking[2]) <= high
    return "" if fits else "The threshold is out of range."


def _bgp_reason(editor: Editor, context: Section, line: str) -> str:
    if not line.startswith("peer "):
        return ""
    if " as-number " not in line and not _is_known(context, line.split()[1]):
        return "The peer does not exist."
    changed = context.value(f"peer {line.split()[1]} as-number")
    if " as-number " in line and changed and changed != line.rsplit(maxsplit=1)[-1]:
        return "The AS number of the peer is configured already."
    if " bfd enable" in line and not editor.root.has("bfd"):
        return "BFD is not enabled globally."
    return ""


def _family_reason(editor: Editor, context: Section, line: str) -> str:
    bgp = next(node for node in editor.root.children.values() if context in node.children.values())
    peer = line.split()[1]
    return (
        "" if not line.startswith("peer ") or _is_known(bgp, peer) else "The peer does not exist."
    )


def _is_known(bgp: Section, name: str) -> bool:
    """Tell whether there is a peer with an address, or a group with a name."""
    return bool(bgp.value(f"peer {name} as-number") or bgp.below(f"group {name} "))


def removal_reason(editor: Editor, context: Section, node: Section) -> str:
    """Return why a line cannot be removed, empty when it can."""
    line, word = node.line, node.line.rsplit(maxsplit=1)[-1]
    ports = list(_ports(editor))
    used = ""
    if node.mode == "pfc":
        used = f"dcb pfc enable {word}"
    elif line.startswith("diffserv domain "):
        used = f"trust upstream {word}"
    elif line.startswith("qos buffer headroom-pool ") and editor.family == "b":
        used = "dcb pfc enable"
    if used and any(below.line.startswith(used) for port in ports for below in port.sorted()):
        return f"It is in use: {used}."
    if line.startswith("drop-profile ") and any(
        below.line.endswith(f" wred {word}") for port in ports for below in port.sorted()
    ):
        return "The drop profile is in use."
    if line.startswith("vlan batch "):
        in_use = any(port.has(f"port default vlan {word}") for port in ports)
        return "The VLAN is in use." if in_use or _has_gateway(editor, word) else ""
    if context.mode == "pfc" and len(line.split()) == 2:  # noqa: PLR2004 - a priority itself
        times = any(other.line.startswith(f"{line} ") for other in context.children.values())
        return "Restore the times of the priority first." if times else ""
    if context.mode == "port" and " wred " in line and context.has(f"{line.split(' wred')[0]} ecn"):
        return "ECN of the queue is enabled."
    if line == "bfd" and any(
        " bfd enable" in peer.line for bgp in editor.root.below("bgp ") for peer in bgp.sorted()
    ):
        return "BFD is in use."
    return ""


def _has_gateway(editor: Editor, vlan: str) -> bool:
    return editor.root.has(f"interface Vlanif{vlan}")


def _ports(editor: Editor) -> Iterator[Section]:
    yield from (node for node in editor.root.children.values() if node.mode == "port")
