"""prove: what a proof came to, in words and figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.counts import counted, noun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.prove.batfish.judge import Judgement
    from fabric.prove.engine import Proof
    from fabric.prove.isolation import TenantCounts
    from fabric.validate.runner import Outcome

#: What no engine proves.
NOT_PROVED = (
    "PFC, ECN, buffers and scheduling (`rocefab check` judges them)",
    "addresses of hosts, speed, FEC, lanes and breakouts of ports (they are not read)",
    "the MTU of whole paths, hashing, BFD, ARP and MAC ageing",
    "source routing on hosts, and their failover between two leaves",
)

#: What no engine proves of tenants.
NOT_OF_TENANTS = (
    "QoS of the tunnel (`rocefab check` judges it), routes that hosts have of their tenant"
)

#: What Batfish is not asked about tenants.
NOT_OF_TENANTS_BY_BATFISH = (
    "services, management, VNIs, route targets and route distinguishers of tenants (`--engine own` "
    "proves them)"
)

#: What has to be said as long as no real Batfish was asked about tenants.
UNCONFIRMED = (
    "unconfirmed: the questions about tenants were not tried against a Batfish of any release yet"
)

#: What Batfish 0.36 does not model, and our own engine does.
NOT_BY_BATFISH = "`maximum-paths` and the import check of FRR (`--engine both` proves them)"

#: Why pairs of NICs without a path in the design are no findings.
_SEPARATE = ", which keeps planes, rails or units apart: that fails nothing"
_CUT = ": the files are as designed, and `rocefab check` reports the design (TOP026)"


class Left(NamedTuple):
    """What a failure leaves: ordered pairs of NICs that reach each other over every path."""

    failure: str
    pairs: int


@dataclass(frozen=True)
class Proved:
    """What a proof says.

    Parameters
    ----------
    outcome : Outcome
        Findings, and the rules that were looked at.
    own : Proof or None
        Counts of our own engine; None where it was not asked.
    batfish : Judgement or None
        Counts of Batfish; None where it was not asked, or did not answer.
    scenarios : int
        Failures that were tried as well.
    failure : str
        Why the proof did not take place; empty where it did.
    idle : dict, optional
        Rules that nothing was looked at by, with the reason.
    unread : tuple of str
        Switches whose tenants Batfish does not read, so that it was not asked: a line for each
        reason.
    worst : Left or None
        What the worst failure leaves; None where none was tried.
    cables : int
        Cables between switches of which ``link`` tried some; 0 where it was not asked for.
    is_cut : bool
        Whether the design joins leaves by cables that have no route to each other.
    changed : str
        What a change does to next hops; empty where no files from before it were named.
    """

    outcome: Outcome
    own: Proof | None = None
    batfish: Judgement | None = None
    scenarios: int = 0
    failure: str = ""
    idle: dict[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    worst: Left | None = None
    cables: int = 0
    is_cut: bool = False
    changed: str = ""

    def summary(self) -> list[str]:
        """Return what was proved, and what was not."""
        if self.failure:
            return [f"nothing is proved: {self.failure}"]
        return [
            *(_own_summary(self.own, is_cut=self.is_cut) if self.own else ()),
            *(_batfish_summary(self.batfish) if self.batfish else ()),
            *self.unread,
            *([self._failures()] if self.scenarios else []),
            *([self.changed] if self.changed else []),
            *(f"not proved: {part}" for part in NOT_PROVED),
            *([f"not proved: {NOT_OF_TENANTS}"] if self._has_tenants else []),
            *([f"not proved: {NOT_BY_BATFISH}"] if not self.own else []),
            *(
                [f"not proved: {NOT_OF_TENANTS_BY_BATFISH}"]
                if self._has_tenants and not self.own
                else []
            ),
        ]

    def _failures(self) -> str:
        tried = f"{counted(self.scenarios, 'failure')} tried"
        if self.cables:
            cables = counted(self.cables, "cable")
            tried += f" (link: of {cables}, one for each impact at each upper switch)"
        if self.worst is None or self.own is None:
            return tried
        which = "the worst of these, " if self.scenarios > 1 else ""
        left, pairs = self.worst.pairs, self.own.nic_pairs()[1]
        return (
            f"{tried}: after {which}{self.worst.failure}, {left:,} of {pairs:,} pairs of NICs "
            "reach each other"
        )

    @property
    def _has_tenants(self) -> bool:
        return bool((self.own and self.own.tenants) or (self.batfish and self.batfish.tenants))


def _own_summary(proof: Proof, *, is_cut: bool) -> Iterator[str]:
    works = proof.pairs - proof.lost_pairs
    family = " by IPv6" if proof.is_ipv6 else " by IPv4" if proof.other else ""
    whose = " without a tenant" if proof.tenants else ""
    words = f"pairs of NICs{whose} that the design connects reach each other{family}"
    if proof.pairs or not proof.tenants:
        yield f"{works:,} of {proof.pairs:,} {words} over every path"
    if more := proof.unplanned_pairs:
        have = noun(more, "has", "have")
        why = _CUT if is_cut else _SEPARATE
        yield f"{counted(more, 'other pair')} of NICs{whose} {have} no path in the design{why}"
    yield from _tenant_summary(proof.tenants) if proof.tenants else ()
    yield _sessions_up(proof.sessions, proof.routes)
    yield from _own_summary(proof.other, is_cut=is_cut) if proof.other else ()


def _sessions_up(sessions: int, routes: int) -> str:
    up = counted(sessions, "end of a BGP session comes up", "ends of BGP sessions come up")
    return f"{up}, {counted(routes, 'next hop')}"


def _tenant_summary(counts: TenantCounts) -> Iterator[str]:
    apart = counts.pairs - counts.leaking_pairs
    works = counts.nic_pairs - counts.lost_nic_pairs
    yield (
        f"{counted(counts.tenants, 'tenant')}: {apart:,} of {counted(counts.pairs, 'pair')} of "
        f"them {noun(apart, 'is', 'are')} isolated"
    )
    yield (
        f"{works:,} of {counted(counts.nic_pairs, 'pair')} of NICs inside tenants and their "
        "services are connected over every path"
    )
    inside = counts.tenants - counts.exposed
    yield (
        f"{inside:,} of {counted(counts.tenants, 'tenant')} {noun(inside, 'reaches', 'reach')} no "
        "loopback, tunnel end point or management"
    )


def _batfish_summary(judgement: Judgement) -> Iterator[str]:
    yield (
        f"Batfish: {counted(judgement.pairs, 'pair')} of {counted(judgement.nics, 'NIC')} that the "
        "design connects were asked for, over every path"
    )
    yield f"Batfish: {_sessions_up(judgement.sessions, judgement.routes)}"
    if judgement.tenants:
        yield (
            f"Batfish: {counted(judgement.tenants, 'tenant was', 'tenants were')} asked for, each "
            "about NICs of all others, loopbacks and tunnel end points"
        )
        yield UNCONFIRMED
    yield from (f"not asked of Batfish: {words}" for words in judgement.not_asked)
    for words, names in (
        ("read by rocefab and not by Batfish", judgement.translated),
        ("not read at all, with a stand-in from the design", judgement.stand_ins),
    ):
        if names:
            yield f"{words}: {', '.join(names)}"
