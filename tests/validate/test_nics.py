"""Verdicts on NICs from counters, alike firmware, and the MTU of RoCE."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.hostfacts.facts import NicFacts
from fabric.probe.nics import compare, has_ofed
from fabric.probe.nics.counters import WORDS, NicHealth, deltas, judge, judge_rail, lost_notices
from fabric.probe.nics.hardware import odd_firmware
from fabric.probe.nics.qos import cable_length
from fabric.qos.path import roce_mtu_bytes

DRIVER = (
    "rx_prio3_pause tx_prio3_pause rx_prio0_pause rx_discards_phy tx_discards_phy "
    "rx_prio3_discards tx_pause_storm_error_events tx_pause_storm_warning_events"
)
RDMA = (
    "out_of_sequence packet_seq_err local_ack_timeout_err np_cnp_sent rp_cnp_handled "
    "np_ecn_marked_roce_packets rnr_nak_retry_err"
)
STILL = dict.fromkeys([*DRIVER.split(), *RDMA.split()], 0)

CASES = {
    "nothing moves": ({}, "ok", "no marks"),
    "different counters move": ({"rnr_nak_retry_err": 5}, "ok", ""),
    "CNPs sent": ({"np_cnp_sent": 7}, "marks", "np_cnp_sent +7"),
    "CNPs handled": ({"rp_cnp_handled": 7}, "marks", "rp_cnp_handled +7"),
    "marked packets": ({"np_ecn_marked_roce_packets": 1}, "marks", ""),
    "paused by the network": ({"rx_prio3_pause": 1}, "pauses", "the network slows down the NIC"),
    "pauses the network": ({"tx_prio3_pause": 1}, "pauses", "check PCIe"),
    "both": ({"rx_prio3_pause": 1, "np_cnp_sent": 9}, "pauses", "np_cnp_sent +9"),
    "pause of another priority": (
        {"rx_prio0_pause": 1},
        "pauses",
        "other priorities are paused too",
    ),
    "discard": ({"rx_prio3_discards": 1, "rx_prio3_pause": 4}, "drops", "rx_prio3_discards +1"),
    "discard of the port": ({"tx_discards_phy": 1}, "drops", "tx_discards_phy"),
    "out of sequence": ({"out_of_sequence": 2}, "drops", "out_of_sequence +2"),
    "timeout": ({"local_ack_timeout_err": 1}, "drops", ""),
    "sequence": ({"packet_seq_err": 1}, "drops", ""),
    "pausing was switched off": ({"tx_pause_storm_error_events": 1}, "drops", ""),
    "a warning is none": ({"tx_pause_storm_warning_events": 1}, "ok", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_verdict(name):
    moved, word, reason = CASES[name]
    found = judge("eth1", 0, (3,), {**STILL, **moved})
    assert (found.word, found.deltas) == (word, moved)
    assert reason in found.reason


@pytest.mark.parametrize("absent", ["out_of_sequence", "rx_prio3_pause", "np_cnp_sent"])
def test_without_a_needed_counter_nothing_is_fine(absent):
    rose = {name: value for name, value in STILL.items() if name != absent}
    assert judge("eth1", 0, (3,), rose).word == "unknown"
    assert absent in judge("eth1", 0, (3,), rose).reason
    assert judge("eth1", 0, (3,), {**rose, "rx_discards_phy": 1}).word == "drops"


@given(st.dictionaries(st.sampled_from(sorted(STILL)), st.integers(0, 2**40)))
def test_more_of_a_counter_is_never_better(moved):
    """Worse, or the same; unknown does not come from values."""
    less = judge("eth1", 0, (3,), STILL).word
    more = judge("eth1", 0, (3,), {**STILL, **moved}).word
    assert WORDS.index(more) >= WORDS.index(less)
    assert more != "unknown"


def nic(**fields):
    return NicFacts("mlx5_1", 1, **fields)


UNKNOWN = {
    "before": (nic(hw_counters={}), nic(counters={}, hw_counters={}), "driver counters"),
    "after": (nic(counters={}, hw_counters={}), nic(counters={}), "RDMA counters"),
    "backwards": (
        nic(counters={"a": 2}, hw_counters={}),
        nic(counters={"a": 1}, hw_counters={}),
        "a decreased",
    ),
    "other names": (
        nic(counters={"a": 2}, hw_counters={}),
        nic(counters={"b": 2}, hw_counters={}),
        "different counters",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_differences_that_are_unknown(name):
    before, after, reason = UNKNOWN[name]
    rose = deltas(before, after)
    assert isinstance(rose, str)
    assert reason in rose
    assert judge("eth1", 0, (3,), rose).word == "unknown"


def test_differences():
    before = nic(counters={"a": 2}, hw_counters={"b": 7})
    after = nic(counters={"a": 5}, hw_counters={"b": 7})
    assert deltas(before, after) == {"a": 3, "b": 0}


def health(word, **moved):
    return NicHealth("eth1", 0, word, "", moved)


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.sampled_from(WORDS), min_size=1))
def test_a_rail_is_as_good_as_its_worst_nic(words):
    found = judge_rail(0, {(host, "eth1"): health(word) for host, word in words.items()})
    assert found.word == max(words.values(), key=WORDS.index)


def test_no_nic_is_no_verdict():
    assert judge_rail(0, {}).word == "unknown"


def test_notices_that_nobody_handles():
    sent, handled = health("marks", np_cnp_sent=4), health("marks", rp_cnp_handled=1)
    assert "4 CNPs" in lost_notices([sent, health("ok")])
    assert lost_notices([sent, handled]) == ""
    assert lost_notices([sent, health("unknown")]) == ""
    assert lost_notices([health("ok")]) == ""


FIRMWARE = {
    "alike": ({"a": "1", "b": "1"}, {}),
    "one odd": ({"a": "1", "b": "1", "c": "2"}, {"c": False}),
    "not read": ({"a": "1", "b": None}, {"b": True}),
    "none read": ({"a": None}, {"a": True}),
    "half and half": ({"a": "1", "b": "2"}, {"a": False}),
}


@pytest.mark.parametrize("name", FIRMWARE)
def test_firmware_alike_per_rail(name):
    versions, odd = FIRMWARE[name]
    assert {nic: remark.unknown for nic, remark in odd_firmware(versions).items()} == odd


#: Linux include/rdma/ib_addr.h, iboe_get_mtu.
MTUS = {1500: 1024, 4191: 2048, 4192: 4096, 9000: 4096, 2144: 2048, 576: 256, 100: 256}


@pytest.mark.parametrize("mtu_bytes", MTUS)
def test_mtu_of_roce(mtu_bytes):
    assert roce_mtu_bytes(mtu_bytes) == MTUS[mtu_bytes]


def test_comparison():
    assert list(compare("H1", "x", 1, 1)) == []
    (unread,) = compare("H1", "x", None, 1)
    assert unread.unknown
    (other,) = compare("H1", "x", (3, 4), (3,))
    assert other.message == "x is 3,4, expected 3"


SIZES = (65536, 163840, 0, 0, 0, 0, 0, 0)
PLACES = (0, 0, 0, 1, 0, 0, 0, 0)


def buffers(sizes, places, planned=SIZES):
    """Return what H15 says of a NIC with these receive buffers; its cable is as long as planned."""
    plan = SimpleNamespace(
        cable_m=5, receive_buffer_bytes=planned, priority_to_receive_buffer=PLACES
    )
    qos = SimpleNamespace(cable_m=5, buffer_bytes=sizes, priority_to_buffer=places)
    traits = SimpleNamespace(nic=SimpleNamespace(driver="mlx5-ofed"))
    host = SimpleNamespace(traits=traits)
    looked = SimpleNamespace(ofed=has_ofed(host), plan=plan, nic=SimpleNamespace(qos=qos))
    return [(item.message, item.unknown) for item in cable_length(looked)]


def test_receive_buffers_are_those_of_the_plan():
    assert buffers(SIZES, PLACES) == []
    assert buffers(None, None, planned=()) == []
    ((message, doubt),) = buffers((65536, 65536, *SIZES[2:]), PLACES)
    assert (message.split(" is ")[0], doubt) == ("receive buffers in bytes", False)
    ((message, _),) = buffers(SIZES, (0,) * 8)
    assert message.startswith("receive buffers of the priorities is 0,0,0,0")
    assert [doubt for _, doubt in buffers(None, None)] == [True, True]
