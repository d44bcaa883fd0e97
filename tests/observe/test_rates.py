"""Rates between two snapshots: never negative, over the top of a wrap, unknown after a reset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe import families as of
from fabric.observe.rates import Rates, rates
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import NicCounters, PfcCounters, QueueCounters, SystemFacts

COUNTS = st.lists(st.integers(0, 2**64 - 1), min_size=8, max_size=8)
PORTS = st.dictionaries(st.sampled_from(["Ethernet0", "Ethernet8", "Ethernet16"]), COUNTS)


def pauses(ports: dict[str, list[int]], uptime_s: float | None = None) -> Snapshot:
    counters = {port: PfcCounters(tuple(counts), (None,) * 8) for port, counts in ports.items()}
    return Snapshot("leaf1", facts=SystemFacts("leaf1", uptime_s=uptime_s), pfc_counters=counters)


def queues(**packets: int) -> Snapshot:
    return Snapshot("leaf1", queues={(port, 3): QueueCounters(n) for port, n in packets.items()})


@given(PORTS, PORTS, st.floats(0.001, 1e6))
def test_a_rate_is_never_negative_and_a_reset_has_none(first, second, elapsed_s) -> None:
    result = rates(pauses(first), pauses(second), elapsed_s)
    assert all(value >= 0 for value in result.per_s.values())
    common = first.keys() & second.keys()
    pairs = [pair for port in common for pair in zip(first[port], second[port], strict=True)]
    most = max((max(pair) for pair in pairs), default=0)
    reset = any(now < was and not wrapped(was, now, most) for was, now in pairs)
    assert set(result.unknown) == ({"pfc_counters"} if reset else set())
    assert len(result.per_s) == (0 if reset else 8 * len(common))


def wrapped(was: int, now: int, most: int) -> bool:
    return any(most < top and was >= 15 * top // 16 and now < top // 16 for top in (2**32, 2**64))


@pytest.mark.parametrize("bits", [32, 64])
@given(data=st.data())
def test_a_counter_that_wraps_rises_over_the_top(bits: int, data) -> None:
    top = 2**bits
    was = data.draw(st.integers(0, top - 1) | st.integers(top - 1000, top - 1))
    rise = data.draw(st.integers(0, top // 16 - 1) | st.integers(0, 2000))
    result = rates(queues(a=was), queues(a=(was + rise) % top), 4)
    assert result == Rates(4, {(of.QUEUE_PACKETS, ("a", "3")): rise / 4}, {})


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (15 * 2**28 - 1, 0),  # not yet in the last sixteenth
        (2**32 - 1, 2**28),  # not in the first one any more
        (2**32, 0),
        (2**48, 5),
        (2**60, 2**59),
    ],
)
def test_a_fall_from_elsewhere_is_a_reset(was: int, now: int) -> None:
    result = rates(queues(a=was, b=1), queues(a=now, b=9), 1)
    assert result.per_s == {}
    assert list(result.unknown) == ["queues"]


def test_a_family_that_needs_more_than_32_bits_does_not_wrap_at_them() -> None:
    result = rates(queues(a=2**32 - 1, b=2**32), queues(a=3, b=2**32 + 1), 1)
    assert list(result.unknown) == ["queues"]
    small = rates(queues(a=2**32 - 1, b=7), queues(a=3, b=8), 1)
    assert small.per_s == {(of.QUEUE_PACKETS, ("a", "3")): 4, (of.QUEUE_PACKETS, ("b", "3")): 1}


def test_a_wrap_in_a_reading_that_was_reset_has_no_rate() -> None:
    result = rates(queues(a=2**32 - 1, b=500), queues(a=3, b=0), 1)
    assert result.per_s == {}


@given(PORTS, st.integers(0, 2**32), st.floats(0.001, 1e6))
def test_what_rose_is_divided_by_the_time(ports, rise, elapsed_s) -> None:
    later = {port: [count + rise for count in counts] for port, counts in ports.items()}
    result = rates(pauses(ports), pauses(later), elapsed_s)
    assert set(result.per_s.values()) <= {rise / elapsed_s}
    assert result.unknown == {}


def test_a_reset_is_one_of_its_reading_alone() -> None:
    before = Snapshot(
        "gpu1",
        queues={("e", 3): QueueCounters(100)},
        nics={
            "eth1": NicCounters("mlx5_1", None, {"rx_discards_phy": 9}, {"np_cnp_sent": 5}),
            "eth2": NicCounters("mlx5_2", None, {"rx_discards_phy": 9}, {"np_cnp_sent": 5}),
        },
    )
    after = Snapshot(
        "gpu1",
        queues={("e", 3): QueueCounters(120)},
        nics={
            "eth1": NicCounters("mlx5_1", None, {"rx_discards_phy": 9}, {"np_cnp_sent": 4}),
            "eth2": NicCounters("mlx5_2", None, {"rx_discards_phy": 9}, {"np_cnp_sent": 25}),
        },
    )
    result = rates(before, after, 10)
    message = "rocefab_nic_cnp_sent_total fell from 5 to 4: it was reset"
    assert result.unknown == {"nics eth1": message}
    sent, _ = of.NIC_COUNTERS["np_cnp_sent"]
    assert result.per_s == {
        (of.QUEUE_PACKETS, ("e", "3")): 2.0,
        (of.DISCARDS, ("eth2", "received")): 0.0,
        (sent, ("eth2",)): 2.0,
    }


@pytest.mark.parametrize(
    ("was_s", "now_s", "restarted"),
    [
        (1000.0, 1010.0, False),
        (1000.0, 1000.0, False),  # shown in minutes
        (1000.0, 5.0, True),
        (1.0, 5.0, False),
        (None, 5.0, False),
        (1000.0, None, False),
    ],
)
def test_a_restart_is_recognised_though_all_counters_rose(was_s, now_s, restarted) -> None:
    ports = {"Ethernet0": [1] * 8}, {"Ethernet0": [2] * 8}
    result = rates(pauses(ports[0], was_s), pauses(ports[1], now_s), 10)
    reasons = {"pfc_counters": "the device restarted"} if restarted else {}
    assert result.unknown == reasons
    assert bool(result.per_s) is not restarted


def test_a_device_that_runs_for_less_than_the_time_has_restarted() -> None:
    before, after = pauses({"Ethernet0": [0] * 8}, 10), pauses({"Ethernet0": [9] * 8}, 30)
    assert rates(before, after, 91).unknown == {"pfc_counters": "the device restarted"}
    assert rates(before, after, 89).unknown == {}


def test_a_counter_that_one_reading_lacks_has_no_rate() -> None:
    result = rates(queues(a=1, b=1), queues(b=3, c=9), 2)
    assert result == Rates(2, {(of.QUEUE_PACKETS, ("b", "3")): 1.0}, {})


@pytest.mark.parametrize("elapsed_s", [0, -1])
def test_without_time_there_is_no_rate(elapsed_s) -> None:
    with pytest.raises(ValueError, match="between two readings"):
        rates(queues(a=1), queues(a=1), elapsed_s)
