"""Ranges of names: expanding, folding, and the order that Slurm gives them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core import hostlist
from tests.cases import each

PREFIXES = st.sampled_from(["n", "gpu-a", "leaf-1-", "x2y", ""])
NUMBERS = st.builds(
    lambda value, width: f"{value:0{width}d}", st.integers(0, 120), st.integers(1, 4)
)
NAMES = st.builds("{}{}".format, PREFIXES, NUMBERS) | st.sampled_from(["login", "a1b", "n"])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("n1,n2,n3,n10,n011,gpu-a1,gpu-a2", "gpu-a[1-2],n[1-3,10,011]"),
        ("leaf-1-1,leaf-1-2,leaf-2-1", "leaf-1-[1-2],leaf-2-1"),
        ("a1b,a2b", "a1b,a2b"),
        ("n9,n10", "n[9-10]"),
        ("n99,n100,n101", "n[99-101]"),
        ("n10,n010,n011", "n[10,010-011]"),
        ("n01,n1,n2", "n[1-2,01]"),
        ("n00,n01,n1", "n[1,00-01]"),
        ("n098,n099,n100,n101", "n[098-101]"),
        ("n9,n10,n09", "n[9-10,09]"),
        ("x,x1", "x,x1"),
        ("1,2,3", "[1-3]"),
        ("n5", "n5"),
        ("n2,n1,n2", "n[1-2]"),
    ],
)
def test_fold(names: str, expected: str) -> None:
    """As ``scontrol show hostlistsorted`` of Slurm 22.05 folds them."""
    assert hostlist.fold(names.split(",")) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("su1-leaf,su2-leaf,spine1", "spine1,su[1-2]-leaf"),
        ("su[9-11]-leaf", "su[9-11]-leaf"),
        ("su[1-2]-rail[0-7],su3-rail[0-3]", "su[1-2]-rail[0-7],su3-rail[0-3]"),
        ("pod[1-2]-su[1-2],pod3-su1", "pod[1-2]-su[1-2],pod3-su1"),
        ("a1b,a01b", "a[1,01]b"),
        ("n[1-3],x", "n[1-3],x"),
    ],
)
def test_fold_inside(names: str, expected: str) -> None:
    """In lists for people: `classic-tor` has its numbers inside of names."""
    assert hostlist.fold_inside(hostlist.expand(names)) == expected
    assert hostlist.in_short(hostlist.expand(names)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n[8-11]", "n8 n9 n10 n11"),
        ("n[08-11]", "n08 n09 n10 n11"),
        ("n[098-101]", "n098 n099 n100 n101"),
        ("n[8-011]", "n8 n9 n10 n11"),
        ("n[99,100-101]", "n99 n100 n101"),
        ("r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02"),
        ("gpu[01-03],login", "gpu01 gpu02 gpu03 login"),
        ("a[1,3]b", "a1b a3b"),
        (" a , b ", "a b"),
    ],
)
def test_expand(text: str, expected: str) -> None:
    """As ``scontrol show hostnames`` of Slurm 22.05 expands them."""
    assert hostlist.expand(text) == expected.split()
    assert hostlist.count(text) == len(expected.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a name range; use the form gpu[001-064]"),
        ("a,,b", "'a,,b' is not a name range; use the form gpu[001-064]"),
        ("a[1-2", "'a[1-2' is not a name range; use the form gpu[001-064]"),
        ("a]1[", "'a]1[' is not a name range; use the form gpu[001-064]"),
        ("a[]", "'a[]' is not a name range; use the form gpu[001-064]"),
        ("a[1-x]", "'a[1-x]' is not a name range; use the form gpu[001-064]"),
        ("a[[1]]", "'a[[1]]' is not a name range; use the form gpu[001-064]"),
        ("a[3-1]", "[3-1] counts down; write the range as [1-3]"),
        ("a[1-2-3]", "[1-2-3] is not a range; use the form [001-064]"),
        ("gpu001-gpu032", "'gpu001-gpu032' is one name; write the range as gpu[001-032]"),
        ("login,a1-b9-a1-b12", "'a1-b9-a1-b12' is one name; write the range as a1-b[9-12]"),
        ("a[1,]", "[1,] is not a range; use the form [001-064]"),
        ("a[-2]", "[-2] is not a range; use the form [001-064]"),
        (
            "a[1-2000]b[1-2000]",
            "'a[1-2000]b[1-2000]' expands to more than 1,000,000 names",
        ),
    ],
)
@pytest.mark.fault(21)
def test_what_is_no_range(text: str, message: str) -> None:
    """Exact messages; nothing is made before the count is known."""
    with pytest.raises(ValueError) as caught:
        hostlist.expand(text)
    assert str(caught.value) == message


@given(st.lists(NAMES))
def test_fold_then_expand_gives_the_names(names: list[str]) -> None:
    """Each once, whatever the order in which they came; folding again changes nothing."""
    text = hostlist.fold(names)
    expanded = hostlist.expand(text) if names else []
    assert sorted(expanded) == sorted(set(names))
    assert hostlist.fold(reversed(names)) == text
    assert hostlist.fold(expanded) == text
    inside = hostlist.fold_inside(names)
    assert sorted(hostlist.expand(inside) if names else []) == sorted(set(names))
    assert hostlist.fold_inside(expanded) == inside


@given(st.lists(NAMES, unique=True))
def test_natural_order_is_total(names: list[str]) -> None:
    """Numbers by value: n9 before n10."""
    ordered = sorted(names, key=hostlist.natural_key)
    assert sorted(ordered) == sorted(names)
    assert sorted(["n10", "n9", "n"], key=hostlist.natural_key) == ["n", "n9", "n10"]


def test_the_hash_seed_does_not_matter() -> None:
    """Names that differ in their padding only come in one order."""
    code = (
        "from fabric.core.hostlist import fold\n"
        "print(fold(['n1', 'n01', 'n001', 'a2b', 'a02b', 'a002b']))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": str(seed)},
            cwd=hostlist.__file__.partition("/fabric/core")[0],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(6)
    }
    assert outputs == {"a002b,a02b,a2b,n[1,01,001]\n"}


@each(
    "text",
    [
        "n[1]" * 17,
        f"n[{'0' * 253}1-{'0' * 253}9]",
        f"[1-1000000]{'x' * 254}",
        "n," * 100_000,
        "n[1," + "2," * 100_000,
        "1-" * 100_000,
    ],
)
def test_what_is_no_name_is_refused_in_time(text: str) -> None:
    """Time grew with the square of commas and hyphens, and names with each bracket."""
    with pytest.raises(ValueError, match="^.{1,400}$"):
        hostlist.expand(text)


def test_a_long_list_is_split_in_time() -> None:
    names = [f"n{number}" for number in range(50_000)]
    assert hostlist.expand(",".join(names)) == names


def test_strange_names_are_cut() -> None:
    """Such as those of a file that somebody damaged."""
    assert hostlist.in_short(["l1,2,[" * 40], most=12) == "l1,2,[l1,2,[..."


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["gpu128", "gpu001", "gpu002", "gpu003"], "gpu128,gpu[001-003]"),
        (["n1", "n2", "n3"], "n[1-3]"),
        (["n3", "n2", "n1"], "n3,n2,n1"),
        (["a", "b", "a1"], "a,b,a1"),
        (["n09", "n10", "n010"], "n[09-10],n010"),
        ([], ""),
    ],
)
def test_ranges_that_keep_the_order(names: list[str], text: str) -> None:
    assert hostlist.fold_in_order(names) == text
    assert hostlist.expand(text) == names if names else not text
