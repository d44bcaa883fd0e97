"""Several receivers at once: what goes in comes out, nothing is lost, all get the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.dcqcn.presets import CONNECTX, PAPER
from fabric.qos.simulate.classes import Ingress
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import Cable, End, Scenario, Stream
from fabric.qos.simulate.summary import Summary
from tests.cases import examples

MARKING = CongestionPoint(kmin_bytes=50_000, kmax_bytes=200_000, pmax_percent=20)
DELAY_NS, GBPS = 500.0, 100
#: Round trip of a cable, the pause and the frames in its way: 100 Gb/s, 4,178 and 84 bytes.
HEADROOM = int(12.5 * 2 * DELAY_NS) + 2 * 4178 + 84


@dataclass(frozen=True)
class Star:
    """Senders on one switch, each of which sends to every receiver."""

    senders: int
    receivers: int
    reaction: str
    shared_bytes: int
    headroom_bytes: int = HEADROOM
    size_bytes: int | None = None

    def run(self, duration_us: float) -> Summary:
        hosts = self.senders + self.receivers
        ingress = Ingress(alpha=0.5, headroom_bytes=self.headroom_bytes, reserve_bytes=4096)
        far = End(node=hosts, ingress=ingress, marking=MARKING)
        cables = tuple(
            Cable(near=End(node=host), far=far, speed_gbps=GBPS, delay_ns=DELAY_NS)
            for host in range(hosts)
        )
        streams = tuple(
            Stream(path=(2 * sender, 2 * (self.senders + to) + 1), size_bytes=self.size_bytes)
            for sender in range(self.senders)
            for to in range(self.receivers)
        )
        return Summary(
            simulate(
                Scenario(
                    shared_bytes=(*[None] * hosts, self.shared_bytes),
                    cables=cables,
                    streams=streams,
                    parameters=PAPER if self.reaction == "dcqcn" else CONNECTX,
                    reaction=self.reaction,
                    duration_us=duration_us,
                )
            )
        )


stars = st.builds(
    Star,
    senders=st.integers(2, 6),
    receivers=st.integers(1, 4),
    reaction=st.sampled_from(["off", "dcqcn", "hpcc", "delay"]),
    shared_bytes=st.integers(60_000, 2_000_000),
)


@given(stars)
@examples(20)
def test_nothing_is_lost_while_headroom_holds(star):
    outcome = star.run(150.0).outcome
    ports, flows = outcome.ports, outcome.flows
    assert ports["dropped"].sum() == 0
    assert ports["most_headroom"].max() <= star.headroom_bytes
    assert (flows["expected"] <= flows["sent"]).all()


@given(stars)
@examples(20)
def test_bytes_are_conserved(star):
    """What NICs sent is delivered, in the queues, or on a cable; a switch holds what it counts."""
    outcome = star.run(150.0).outcome
    ports, flows = outcome.ports, outcome.flows
    inside = flows["sent"].sum() - flows["expected"].sum()
    payload = 4096 / (4096 + 82)
    switch = ports["queue"].sum()
    assert ports["queue"].sum() == pytest.approx(
        (ports["used"] + ports["in_headroom"]).sum(), abs=0
    )
    flying = len(ports) * (12.5 * DELAY_NS + 4178)
    assert switch * payload <= inside + 1 <= switch * payload + flying + 1


@given(stars)
@examples(10)
def test_transfers_end_and_are_whole(star):
    sized = Star(star.senders, star.receivers, star.reaction, star.shared_bytes, size_bytes=50_000)
    flows = sized.run(3_000.0).outcome.flows
    assert (flows["expected"] == 50_000).all()
    assert (flows["finish"] > 0).all()


@pytest.mark.parametrize("receivers", [1, 2, 4])
def test_equal_flows_get_equal_shares(receivers):
    """PFC alone is symmetric; a reaction point takes longer than this run to become fair."""
    star = Star(4, receivers, "off", 1_000_000)
    expected = star.run(600.0).outcome.flows["expected"].astype(float)
    by_sender = expected.reshape(4, receivers)
    for shares in (expected, by_sender.sum(axis=0), by_sender.sum(axis=1)):
        assert shares.sum() ** 2 / (len(shares) * np.square(shares).sum()) > 0.97


def test_headroom_that_is_too_small_loses_packets():
    outcome = Star(4, 2, "off", 100_000, headroom_bytes=1_000).run(150.0).outcome
    assert outcome.ports["dropped"].sum() > 0
