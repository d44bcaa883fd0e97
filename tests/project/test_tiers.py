"""The tiers of the suite, and loops that report every case."""

from __future__ import annotations

import inspect
from contextlib import contextmanager

import pytest
from hypothesis import settings

from tests import tiers
from tests.cases import CI_EXAMPLES, QUICK_EXAMPLES, each, examples
from tests.tools.durations import shortest, slow_of

TESTS = ("a.py::f[1]", "a.py::f[2]", "a.py::g", "b.py::C::h")


class Reports:
    """Stands for the fixture ``subtests``: gathers what failed."""

    def __init__(self):
        self.failed = []

    @contextmanager
    def test(self, case):
        try:
            yield
        except AssertionError:
            self.failed.append(case)


def test_each_case_that_fails_is_reported():
    @each("left", [1, 2])
    @each("right, sign", [(1, "+"), (2, "-")])
    @pytest.mark.fault(17)
    def test(left, right, sign, tmp_path):
        assert left == right, tmp_path

    reports = Reports()
    test(subtests=reports, tmp_path=None)
    assert reports.failed == ["left=1 right=2 sign=-", "left=2 right=1 sign=+"]
    assert list(inspect.signature(test).parameters) == ["subtests", "tmp_path"]
    assert [mark.name for mark in test.pytestmark] == ["fault"]


@pytest.mark.parametrize(
    ("names", "cases"), [("left", []), ("left", [pytest.param(1, marks=pytest.mark.slow)])]
)
def test_a_loop_that_would_lose_something_is_an_error(names, cases):
    def test(left):
        raise ValueError

    with pytest.raises(AssertionError):
        each(names, cases)(test)(subtests=Reports())


@pytest.mark.parametrize(
    ("default", "most", "taken"),
    [
        (QUICK_EXAMPLES, 400, QUICK_EXAMPLES),
        (QUICK_EXAMPLES, 8, 8),
        (CI_EXAMPLES, 400, 400),
        (CI_EXAMPLES, 8, 8),
        (2000, 400, 2000),
    ],
)
def test_examples_of_a_property(default, most, taken):
    before = settings.default
    settings.register_profile("tried", max_examples=default, deadline=None)
    settings.load_profile("tried")
    try:
        assert examples(most).max_examples == taken
    finally:
        settings.register_profile("tried", before)
        settings.load_profile("tried")


def test_a_list_names_a_file_or_a_test_where_all_below_it_are_slow():
    assert shortest({"a.py::f[1]", "b.py::C::h"}, TESTS) == ["a.py::f[1]", "b.py"]
    assert shortest({"a.py::f[1]", "a.py::f[2]"}, TESTS) == ["a.py::f"]
    assert shortest(TESTS, TESTS) == ["a.py", "b.py"]
    assert shortest((), TESTS) == []


@pytest.mark.parametrize("name", ["a.py::f[1]", "a.py::f", "a.py"])
def test_a_name_stands_for_all_below_it(name):
    assert tiers.is_slow("a.py::f[1]", {name})
    assert not tiers.is_slow("b.py::C::h", {name})


def test_a_test_changes_its_tier_only_beyond_the_limit():
    times = {"quick": 0.1, "near": 0.28, "slow": 5.0}
    assert slow_of(times, ()) == {"slow"}
    assert slow_of(times, {"near", "quick"}) == {"near", "slow"}


@pytest.mark.parametrize(
    ("expression", "tier", "left_out"),
    [
        ("not benchmark and not judge and not lab and not slow", "slow", True),
        ("slow or judge", "judge", False),
        ("slow or judge", "lab", True),
        ("", "slow", False),
        ("fault", "slow", False),
        ("fault and not mechanism", "slow", False),
        ("fault and not slow", "slow", True),
    ],
)
def test_files_of_another_tier_are_left_out(expression, tier, left_out):
    assert tiers.leaves_out(expression, tier) is left_out


def test_folders_have_a_tier():
    judges = tiers.ROOT / "tests" / "judges"
    assert tiers.tier_of_file(judges / "test_dot.py") == "judge"
    assert tiers.tier_of_file(tiers.ROOT / "tests" / "core" / "test_core.py") == ""
    assert {path.name for path in judges.parent.iterdir()} >= set(tiers.FOLDERS)


class Item:
    """Stands for a test with marks."""

    def __init__(self, *marks):
        self.get_closest_marker = {name: name for name in marks}.get


def test_what_waits_begins_first():
    items = [Item(), Item("slow"), Item("waits", "slow")]
    expected = [items[2], *items[:2]]
    tiers.longest_first(items)
    assert items == expected


class Named:
    """Stands for a test of pytest."""

    def __init__(self, nodeid: str, mark: str) -> None:
        self.nodeid, self._mark = nodeid, mark

    def get_closest_marker(self, name: str) -> str | None:
        return name if name == self._mark else None


def test_each_slow_file_is_in_one_share_and_all_else_in_each():
    tests = [
        (f"tests/a/test_{file}.py::test_{row}", "slow") for file in range(60) for row in (1, 2)
    ]
    tests += [("tests/judges/test_a.py::test", "judge"), ("tests/a/test_1.py::test_quick", "")]
    kept = []
    for share in range(3):
        items = [Named(*test) for test in tests]
        others = tiers.keep_share(items, share, 3)
        assert len(items) + len(others) == len(tests)
        kept.append({item.nodeid for item in items})
    always = kept[0] & kept[1] & kept[2]
    assert always == {"tests/judges/test_a.py::test", "tests/a/test_1.py::test_quick"}
    assert set.union(*kept) == {nodeid for nodeid, _ in tests}
    assert sum(len(own - always) for own in kept) == 120
    assert all(len(own) > 20 for own in kept)
    assert all(f"{one[:-1]}2" in own for own in kept for one in own if one.endswith("::test_1"))


def test_the_share_is_that_of_the_sources():
    assert tiers.share_of_tree(3) in range(3)
    assert tiers.share_of_tree(1) == 0
