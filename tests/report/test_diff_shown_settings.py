"""diff: settings as people read them."""

from __future__ import annotations

import pytest

from fabric.report.diff.model import Setting
from fabric.report.diff.shown_settings import cells, rows

NUMBERS = " ".join(map(str, range(26)))
#: File, path and values, and what is shown.
CASES = {
    "a short one": (
        ("leaf/config_db.json", "PORT|Ethernet0|mtu", "9100", "9216"),
        ("PORT|Ethernet0|mtu", "9100", "9216"),
    ),
    "one side": (("leaf/eos.cfg", "ntp server 192.0.2.1", None, "present"), None),
    "a list of numbers": (
        (
            *("spine/eos.cfg", f"qos map dscp {NUMBERS} ... ... 28 29 to traffic-class 0"),
            *("27, 30", "26, 27"),
        ),
        ("qos map dscp 0 ... 29 to traffic-class 0", "30", "26"),
    ),
    "a list that is cut": (
        ("spine/eos.cfg", "qos map dscp 0 1 2 3 ...", "4", "5"),
        ("qos map dscp 0 ...", "4", "5"),
    ),
    "a few numbers": (("leaf/eos.cfg", "wrr 1 2 3", "4", "5"), ("wrr 1 2 3", "4", "5")),
    "items in another order": (("leaf/eos.cfg", "a", "1, 2", "2, 1"), ("a", "1, 2", "2, 1")),
    "an object": (
        ("gpu/state.json", "nics|eth1|dscp", '{"24": 0, "26": 3}', '{"24": 3, "26": 3, "30": 3}'),
        ("nics|eth1|dscp", '{"24": 0}', '{"24": 3, "30": 3}'),
    ),
    "an object that is cut": (
        ("gpu/state.json", "nics|eth1|dscp", '{"24": 0, ...', '{"24": 3, ...'),
        ("nics|eth1|dscp", '{"24": 0, ...', '{"24": 3, ...'),
    ),
    "a command of a script": (
        (
            "gpu/apply.sh",
            'if [ "$only" = eth1 ]; then: mlnx_qos -i eth1 \\: --dscp2prio ... \\',
            "set,26,3",
            "set,26,0",
        ),
        ("mlnx_qos -i eth1 --dscp2prio ...", "set,26,3", "set,26,0"),
    ),
}


@pytest.mark.parametrize(("setting", "shown"), CASES.values(), ids=CASES)
def test_a_setting_is_short(
    setting: tuple[str, str, str | None, str | None], shown: tuple[str, ...] | None
) -> None:
    assert cells(Setting(*setting)) == (shown or (setting[1], "(absent)", setting[3]))


def test_like_lines_of_ports_are_one() -> None:
    """Another value, or another row of a table, is a line of its own."""
    every = [
        *(Setting("a", f"PORT|Ethernet{n}|mtu", "9100", "9216") for n in (0, 8, 16)),
        Setting("a", "PORT|Ethernet24|mtu", "1500", "9216"),
        *(Setting("a", f"DSCP_TO_TC_MAP|AZURE|{n}", "3", "0") for n in (26, 27)),
    ]
    assert [row[0] for row in rows(every)] == [
        "PORT|Ethernet0|mtu (and 2 like it)",
        "PORT|Ethernet24|mtu",
        "DSCP_TO_TC_MAP|AZURE|26",
        "DSCP_TO_TC_MAP|AZURE|27",
    ]
