"""The questions that Batfish is asked, in the shortest form that it takes (Batfish 0.36)."""

from __future__ import annotations

import re
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Question = dict[str, Any]
    Rows = list[dict[str, Any]]
    Ask = Callable[[Question], Rows]

#: Port of RoCEv2 (InfiniBand Architecture Specification 1.3, annex A17).
ROCE_PORT = "4791"

#: Every end of a packet but the right one. ``failure`` alone leaves out a NIC that is not there:
#: a packet to its subnet counts as delivered.
LOST = "failure,delivered_to_subnet,exits_network,insufficient_info"
ARRIVED = "accepted"

#: Ranges in one question: 128 are fine, 4,096 addresses overflow the stack of Batfish 0.36.
MOST_RANGES = 128

#: Name of the VRF in which uplinks and loopbacks are (Batfish, ``DEFAULT_VRF_NAME``).
DEFAULT_VRF = "default"

#: All hosts of a snapshot, which are our NICs.
ALL_NICS = "@deviceType(host)"


def _question(name: str, **fields: Any) -> Question:
    return {"class": f"org.batfish.question.{name}", **fields}


_SESSION = ("Address_Families", "Local_Interface", "Remote_IP")

FILE_STATUS = _question("initialization.FileParseStatusQuestion")
PARSE_WARNINGS = _question("initialization.ParseWarningQuestion")
ISSUES = _question("initialization.InitIssuesQuestion")
UNDEFINED = _question("UndefinedReferencesQuestionPlugin$UndefinedReferencesQuestion")
INTERFACES = _question(
    "interfaceproperties.InterfacePropertiesQuestion",
    properties="Active,Admin_Up,Inactive_Reason,MTU,Access_VLAN,Primary_Address",
)
VRFS = _question("interfaceproperties.InterfacePropertiesQuestion", properties="VRF")
CABLES = _question("edges.EdgesQuestion", edgeType="LAYER1")
COMPATIBILITY = _question("bgpsessionstatus.BgpSessionCompatibilityQuestion")
SESSIONS = _question("bgpsessionstatus.BgpSessionStatusQuestion")
PROCESSES = _question("bgpproperties.BgpProcessConfigurationQuestion")
DUPLICATES = _question("ipowners.IpOwnersQuestion", duplicatesOnly=True)
LOOPS = _question("loop.DetectLoopsQuestion")


#: Columns of the answers that are read, by the last word of the class of the question.
_COLUMNS = {
    "FileParseStatusQuestion": ("File_Name", "Status", "File_Format", "Nodes"),
    "ParseWarningQuestion": ("Filename", "Line", "Text", "Comment"),
    "InitIssuesQuestion": ("Nodes", "Source_Lines", "Type", "Details", "Line_Text"),
    "UndefinedReferencesQuestion": ("File_Name", "Struct_Type", "Ref_Name", "Lines"),
    "EdgesQuestion": ("Interface", "Remote_Interface"),
    "BgpSessionCompatibilityQuestion": ("Node", "Configured_Status", *_SESSION),
    "BgpSessionStatusQuestion": ("Node", "Established_Status", *_SESSION),
    "BgpProcessConfigurationQuestion": ("Node", "Router_ID"),
    "RoutesQuestion": ("Node", "VRF", "Network", "Next_Hop", "Protocol"),
    "IpOwnersQuestion": ("Node", "VRF", "Interface", "IP"),
    "SpecifiersReachabilityQuestion": ("Flow", "Traces"),
    "MultipathConsistencyQuestion": ("Flow", "Traces"),
    "DetectLoopsQuestion": ("Flow", "Traces"),
    "DifferentialReachabilityQuestion": ("Flow", "Snapshot_Traces"),
}


def columns_of(question: Question) -> tuple[str, ...]:
    """Return the columns of the answer to a question that are read."""
    name = short_name(question)
    if name == "InterfacePropertiesQuestion":
        return ("Interface", *str(question["properties"]).split(","))
    return _COLUMNS[name]


def short_name(question: Question) -> str:
    """Return the last word of the class of a question."""
    return str(question["class"]).rpartition(".")[2].rpartition("$")[2]


def routes(nodes: Iterable[str]) -> Question:
    """Return the question for the routes of some nodes."""
    return _question("routes.RoutesQuestion", nodes=any_of(nodes))


def reachability(starts: str, addresses: str, actions: str) -> Question:
    """Return the question for a flow of each start that ends in one of some ways, on any path."""
    return _flows("specifiers.SpecifiersReachabilityQuestion", starts, addresses, actions=actions)


def multipath(starts: str, addresses: str) -> Question:
    """Return the question for flows that end well on one path and badly on another."""
    return _flows("multipath.MultipathConsistencyQuestion", starts, addresses)


def differences(starts: str, addresses: str) -> Question:
    """Return the question for flows that end well in one snapshot and badly in another."""
    return _flows("differentialreachability.DifferentialReachabilityQuestion", starts, addresses)


def _flows(name: str, starts: str, addresses: str, **fields: Any) -> Question:
    return _question(
        name,
        headers={"dstIps": addresses, "ipProtocols": ["udp"], "dstPorts": ROCE_PORT},
        pathConstraints={"startLocation": starts},
        maxTraces=1,
        **fields,
    )


def any_of(nodes: Iterable[str]) -> str:
    """Return the words for some nodes: one expression, since a list of them nests."""
    return f"/^({'|'.join(re.escape(node) for node in sorted(nodes))})$/"


def address_ranges(addresses: Sequence[int]) -> Iterator[str]:
    """Yield addresses as lists of ranges, short enough for one question each."""
    spans: list[list[int]] = []
    for address in sorted(set(addresses)):
        if spans and spans[-1][1] == address - 1:
            spans[-1][1] = address
        else:
            spans.append([address, address])
    for first in range(0, len(spans), MOST_RANGES):
        part = spans[first : first + MOST_RANGES]
        yield ",".join(f"{IPv4Address(low)}-{IPv4Address(high)}" for low, high in part)
