"""A configuration as IPv4 and as IPv6 see it: each has its own lines, and shares the rest."""

from __future__ import annotations

from ipaddress import ip_interface

from fabric.observe.configuration import Bgp, Configured, ConfiguredPort
from fabric.observe.configuration.family import of_family
from fabric.observe.configuration.model import (
    AddressLine,
    Aggregate,
    BgpPeer,
    Origination,
    PolicyTerm,
    PrefixMatch,
)
from fabric.observe.configuration.static_routes import Discard, StaticRoute
from tests.cases import each


def _address(text: str, line: int) -> AddressLine:
    own = ip_interface(text)
    return AddressLine(int(own.ip), own.network.prefixlen, line, own.version == 6)


def _both() -> Configured:
    """Return a switch with a line of each kind for each family."""
    peers = {
        name: BgpPeer(
            1, session=name, activated=name != "fd00::1", activated6=True, policy_in6="IN6"
        )
        for name in ("10.0.0.1", "fd00::1", "Ethernet1")
    }
    return Configured(
        "eos",
        "config",
        ports={
            "Ethernet2": ConfiguredPort(
                "Ethernet2", 1, addresses=[_address("10.0.0.0/31", 2), _address("fd00::/127", 3)]
            )
        },
        bgp=Bgp(
            65100,
            1,
            max_paths=64,
            max_paths6=8,
            peers=peers,
            originations=[Origination(None, "A", 4), Origination(None, "B", 5, is_ipv6=True)],
            aggregates=[Aggregate(0, 8, 6, hides=True), Aggregate(0, 48, 7, True, is_ipv6=True)],
        ),
        prefix_lists={"L": [PrefixMatch(True, 0, 8, 8, 32, 8)]},
        prefix_lists6={"L": [PrefixMatch(True, 0, 48, 48, 127, 9, is_ipv6=True)]},
        policies={
            "P": [
                PolicyTerm(True, 10, prefix_lists=["L"]),
                PolicyTerm(True, 11, prefix_lists6=["L"]),
                PolicyTerm(False, 12),
            ]
        },
        static_routes=[
            StaticRoute(0, 8, Discard(), 13),
            StaticRoute(0, 48, Discard(), 14, is_ipv6=True),
        ],
        no_routing=["routing is off"],
        no_routing6=["IPv6 is off"],
        no_routing_over_ipv6=["none over ports"],
    )


def _lines(switch: Configured) -> list[int]:
    """Return the lines that a family has, of each kind."""
    assert switch.bgp
    return [
        *(entry.line for entry in switch.ports["Ethernet2"].addresses),
        *(entry.line for entry in switch.bgp.originations),
        *(entry.line for entry in switch.bgp.aggregates),
        *(entry.line for entry in switch.prefix_lists["L"]),
        *(entry.line for entry in switch.static_routes),
    ]


@each(
    ("is_ipv6", "lines", "sessions"),
    [
        (False, [2, 4, 6, 8, 13], {"10.0.0.1", "Ethernet1"}),
        (True, [3, 5, 7, 9, 14], {"fd00::1", "Ethernet1"}),
    ],
)
def test_each_family_has_its_lines(is_ipv6: bool, lines: list[int], sessions: set[str]) -> None:
    own = of_family(_both(), is_ipv6=is_ipv6)
    assert _lines(own) == lines
    assert own.bgp
    assert set(own.bgp.peers) == sessions


def test_ipv6_stands_in_the_fields_of_ipv4() -> None:
    own = of_family(_both(), is_ipv6=True)
    assert own.bgp
    assert own.bgp.max_paths == 8
    peer = own.bgp.peers["fd00::1"]
    assert (peer.activated, peer.policy_in, peer.extended_next_hop) == (True, "IN6", True)
    assert own.no_routing == ["routing is off", "IPv6 is off"]
    assert own.no_routing_over_ipv6 == []


@each(("is_ipv6", "matches"), [(False, [10, 12]), (True, [11, 12])])
def test_a_term_of_the_other_family_matches_nothing(is_ipv6: bool, matches: list[int]) -> None:
    """A term without conditions is of both; one with those of the other has a list that is none."""
    own = of_family(_both(), is_ipv6=is_ipv6)
    known = {*own.prefix_lists}
    terms = own.policies["P"]
    assert [term.line for term in terms if {*term.prefix_lists} <= known] == matches


def test_one_family_alone_stays_what_it_is() -> None:
    """Paths of IPv6 are those of IPv4 where it has no own ones, and the whole is not changed."""
    both = _both()
    assert both.bgp
    both.bgp.max_paths6 = None
    own = of_family(both, is_ipv6=True)
    assert own.bgp
    assert own.bgp.max_paths == 64
    assert _lines(both) == [2, 3, 4, 5, 6, 7, 8, 13, 14]
