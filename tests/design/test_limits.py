"""Limits of systems: comparisons that no rule of ours uses in that way, and wrong files."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from fabric.design.limits import refusals, rule_violations
from fabric.platforms.features import Limit, LimitedRule
from tests.design.test_examples import switches


def rule(**limit: object) -> LimitedRule:
    return LimitedRule(id="XXX001", title="x", why="x.", source="x", limits=(Limit(**limit),))


LEAF = "su1-rail0"
CASES = {
    "range": ({"fields": ["arp.timeout_s"], "range": [1, 2]}, "arp.timeout_s 240 is outside"),
    "inside": ({"fields": ["arp.timeout_s"], "range": [1, 300]}, ""),
    "reserved": ({"fields": ["addressing.vlan_first"], "reserved": [1, 4094]}, "is reserved by"),
    "another role": ({"fields": ["arp.timeout_s"], "range": [1, 2], "roles": ["spine"]}, ""),
    "another model": ({"fields": ["arp.timeout_s"], "range": [1, 2], "models": ["DCS"]}, ""),
    "a law": ({"fields": ["arp.timeout_s"], "range": [1, 2], "laws": ["spectrum"]}, "240"),
    "not the law": ({"fields": ["arp.timeout_s"], "range": [1, 2], "not_laws": ["spectrum"]}, ""),
    "written": ({"fields": ["arp.timeout_s"], "written": True}, ""),
    "longest": ({"fields": ["devices.ports.description"], "longest": 2}, "more than 2 characters"),
    "no field": ({"always": True, "message": "{model} of {system}"}, "ACS-MSN4700 of SONiC"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_limit_reports(case: str) -> None:
    limit, message = CASES[case]
    messages = [one.message for one in rule_violations(rule(**limit), switches("demo")[LEAF])]
    assert bool(messages) == bool(message)
    assert all(message in text for text in messages), messages


def test_a_field_that_no_design_has_is_named() -> None:
    with pytest.raises(InputError, match=r"sonic: a limit has the unknown field arp\.time;"):
        list(rule_violations(rule(fields=["arp.time"], range=[1, 2]), switches("demo")[LEAF]))


def test_the_examples_exceed_no_limit() -> None:
    assert [one for device in switches("demo").values() for one in refusals(device)] == []
