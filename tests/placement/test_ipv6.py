"""Jobs over IPv6: which family and range NCCL is told, and where it would find no GID."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from fabric.core.findings import Position
from fabric.placement.environment import environment, keep_users
from fabric.placement.gids import expected_gids
from fabric.placement.job_host import Environment, JobImage, UserValue
from fabric.placement.place import place
from fabric.topology import Fabric
from tests.cases import each
from tests.topology.fabrics import fabric, ipv6_plan

FAMILY, RANGE, INDEX = "NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE", "NCCL_IB_GID_INDEX"
SUBNETS = ("NCCL_IB_SUBNET_AWARE_ROUTING", "NCCL_IB_SUBNET_PREFIX_LEN")
MAC = "hosts:\n  - names: a1\n    nics: [{rail: 1, mac: '04:3f:72:00:00:01'}]\n"


def of(built: Fabric, version: str | None = None) -> Environment:
    """Return the environment of the first host."""
    result = place(built, 2, 2)
    return environment(built, result, result.hosts[0], JobImage(version))


def reason(chosen: Environment, name: str) -> str:
    """Return why a variable is left out."""
    return next(item.reason for item in chosen.left_out if item.name == name)


@each(
    ("changes", "family", "pool"),
    [
        (ipv6_plan(), "AF_INET", "10.64.0.0/12"),
        (ipv6_plan(rdma=True), "AF_INET6", "fd00:64::/48"),
        (ipv6_plan(alone=True), "AF_INET6", "fd00:64::/48"),
        (ipv6_plan(alone=True, assignment="slaac"), "AF_INET6", "fd00:64::/48"),
    ],
)
def test_the_family_and_range_of_rdma(changes: dict[str, Any], family: str, pool: str) -> None:
    chosen = of(fabric(**changes)).values
    assert (chosen[FAMILY], chosen[RANGE]) == (family, pool)


@each(
    ("changes", "expected"),
    [
        (ipv6_plan(), ("10.64.0.1", "10.72.0.1")),
        (ipv6_plan(rdma=True), ("fd00:64::21", "fd00:64:0:1::21")),
        (ipv6_plan(alone=True), ("fd00:64::21", "fd00:64:0:1::21")),
        (ipv6_plan(alone=True, assignment="slaac"), ("", "fd00:64:0:8000:63f:72ff:fe00:1")),
    ],
)
def test_the_gid_of_each_nic(changes: dict[str, Any], expected: tuple[str, ...]) -> None:
    """No index: it follows from the order of addresses; none of a MAC that nobody tells."""
    built = fabric(hosts=MAC, **changes)
    gids = expected_gids(built, "a1")
    assert tuple(gid.address for gid in gids) == expected
    assert {gid.index for gid in gids} == {None}
    pool = of(built).pools[0]
    assert all(ip_address(gid.address) in pool for gid in gids if gid.address)


@each("changes", [ipv6_plan(), ipv6_plan(rdma=True), ipv6_plan(alone=True)])
def test_no_index_is_guessed_beside_ipv6(changes: dict[str, Any]) -> None:
    chosen = of(fabric(**changes), "2.20.5")
    assert INDEX not in chosen.values
    assert "show_gids" in reason(chosen, INDEX)


@each(
    ("changes", "length", "why"),
    [
        (ipv6_plan(), "13", ""),
        (ipv6_plan(rdma=True), None, "a rail is a /64"),
        (ipv6_plan(alone=True), None, "a rail is a /64"),
        (ipv6_plan(alone=True, assignment="slaac"), None, "each NIC has its own /64"),
    ],
)
def test_nccl_compares_64_bits_of_ipv6(changes: dict[str, Any], length: object, why: str) -> None:
    """A length is for IPv4 alone; with a /64 for each NIC no peer would match."""
    chosen = of(fabric(host__nccl_subnet_aware=True, **changes), "2.30.7")
    aware = None if "own" in why else "1"
    assert tuple(chosen.values.get(name) for name in SUBNETS) == (aware, length)
    assert length or why in reason(chosen, SUBNETS[1])


@each(
    ("changes", "why"),
    [
        (ipv6_plan(), "the RoCEv2 entry of the address is found"),
        (ipv6_plan(rdma=True), "RoCEv2 GID of IPv4 first"),
        (ipv6_plan(alone=True), "older ones take the first, which is link-local"),
    ],
)
def test_which_gid_ucx_takes(changes: dict[str, Any], why: str) -> None:
    assert why in reason(of(fabric(**changes)), "UCX_IB_GID_INDEX")


ALONE, BOTH = ipv6_plan(alone=True), ipv6_plan(rdma=True)


@each(
    ("changes", "users", "message"),
    [
        (ALONE, {FAMILY: "AF_INET"}, "the NICs have no IPv4 addresses"),
        (ALONE, {FAMILY: "inet6"}, "the NICs have no IPv4 addresses"),
        (ALONE, {RANGE: "fd00:65::/48"}, "no NIC has an address of fd00:65::/48"),
        (ALONE, {INDEX: "0"}, "NCCL_IB_GID_INDEX is 0"),
        ({}, {FAMILY: "AF_INET6"}, "the NICs have no IPv6 addresses"),
        ({}, {RANGE: "10.0.0.0/24"}, "no NIC has an address of 10.0.0.0/24"),
        (BOTH, {FAMILY: "AF_INET", RANGE: "10.0.0.0/24"}, "no NIC has an address of 10.0.0.0/24"),
        (BOTH, {FAMILY: "AF_INET"}, ""),
        (BOTH, {RANGE: "fd00:64:0:1::/64"}, ""),
        (BOTH, {RANGE: "10.64.0.0/12"}, ""),
        (ALONE, {RANGE: "no range"}, ""),
        (ALONE, {RANGE: "fd00:65::"}, ""),
        (ALONE, {INDEX: "3", FAMILY: "AF_INET"}, ""),
        (ALONE, {INDEX: "-1"}, ""),
        (ALONE, {"NCCL_ALGO": "Ring"}, ""),
    ],
)
def test_index_0_is_never_taken_in_silence(
    changes: dict[str, Any], users: dict[str, str], message: str
) -> None:
    """NCCL ignores a range that it cannot read, or of the other family; then any GID fits."""
    position = Position("nccl.env", 3)
    mine = {name: UserValue(value, position) for name, value in users.items()}
    _, notes = keep_users(of(fabric(**changes)), mine)
    errors = [note for note in notes if note.rule == "PLC019"]
    assert [(note.severity.word, note.position) for note in errors] == (
        [("error", position)] if message else []
    )
    assert all(message in note.message for note in errors)


def test_nccl_that_does_not_search_is_judged_by_a_rule() -> None:
    """JOB012 of `check` says it."""
    _, notes = keep_users(of(fabric(**ALONE), "2.20.5"), {FAMILY: UserValue("AF_INET")})
    assert not [note for note in notes if note.rule == "PLC019"]
