"""Whether a release lies in a range: yes, no, or not known."""

from __future__ import annotations

import pytest

from fabric.defects.releases import Releases, is_affected, is_empty, order_of
from tests.cases import each

RANGE = [Releases(first="202405", fixed="202505")]
TRAIN = [Releases(first="5.14.1", fixed="5.16.0")]


@each(
    "system, release, ranges, expected",
    [
        ("sonic", "202405", RANGE, True),
        ("sonic", "SONiC.202411.1047-8b9de06", RANGE, True),
        ("sonic", "202505", RANGE, False),
        ("sonic", "master", RANGE, False),
        ("sonic", "202311", RANGE, False),
        ("sonic", "", RANGE, None),
        ("sonic", None, RANGE, None),
        ("sonic", "our image", RANGE, None),
        ("sonic", None, [], True),
        ("sonic", "202505", [Releases(fixed="202505.3")], None),
        ("sonic", "202505.2", [Releases(fixed="202505.3")], True),
        ("sonic", "202505.10", [Releases(fixed="202505.3")], False),
        ("sonic", "202405.7", [Releases(first="202405", last="202405")], True),
        ("sonic", "202411", [Releases(first="202405", last="202405")], False),
        ("sonic", "202411", [*RANGE, Releases(first="202605")], True),
        ("cumulus", "5.14", TRAIN, None),
        ("cumulus", "5.14.0", TRAIN, False),
        ("cumulus", "5.15.3", TRAIN, True),
        ("cumulus", "5.9.1", TRAIN, False),
        ("cumulus", "5.14", [Releases(first="5.14.0")], True),
        ("eos", "4.30.2F", [Releases(fixed="4.30.2M")], False),
        ("eos", "4.9.1F", [Releases(fixed="4.30.2")], True),
        ("nxos", "10.4(3)F", [Releases(first="10.4(2)", fixed="10.5(1)")], True),
        ("nxos", "9.3(10)", [Releases(first="10.4(2)")], False),
        ("junos", "23.4R2-S3-EVO", [Releases(first="22.4R1", fixed="23.4R2-S4")], True),
        ("junos", "23.4R2-S10", [Releases(fixed="23.4R2-S4")], False),
    ],
)
def test_a_release_lies_in_a_range(system, release, ranges, expected):
    assert is_affected(system, release, ranges) is expected


@pytest.mark.parametrize(
    "span",
    [Releases(first="202505", fixed="202505"), Releases(first="202505", last="202411")],
    ids=["fixed", "last"],
)
def test_an_empty_range_is_noticed(span):
    assert is_empty("sonic", span)
    assert not is_empty("sonic", Releases(first="202405", last="202405"))


@each("first, second", [("202505", "master"), ("202505", "202505.1"), ("202311", "202405")])
def test_releases_have_an_order(first, second):
    assert order_of("sonic", first) < order_of("sonic", second)
