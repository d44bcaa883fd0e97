"""What the user has set stays as it is, and what differs is told."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.placement.environment import (
    Environment,
    UserValue,
    environment,
    keep_users,
    read_environment,
)
from fabric.placement.place import place
from tests.topology.fabrics import fabric


@cache
def ours() -> Environment:
    built = fabric()
    return environment(built, place(built, 2, 2), "a1")


def test_a_file() -> None:
    result = read_environment(
        "# mine\n\nNCCL_IB_HCA==mlx5_7\r\nexport A='b c'\nEMPTY=\nQ=\"\n", "my.env"
    )
    assert {name: item.value for name, item in result.items()} == {
        "NCCL_IB_HCA": "=mlx5_7",
        "A": "b c",
        "EMPTY": "",
        "Q": '"',
    }
    assert str(result["NCCL_IB_HCA"].position) == "my.env:3:1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A=1\nB 2\n",
            "my.env:2:1: 'B 2' is not a variable assignment; use the form NAME=value [PLC006]",
        ),
        ("A=1\nA=2", "my.env:2:1: A is set twice; remove one of the lines [PLC006]"),
        (
            "A=\x1b[31m",
            (
                r"my.env:1:1: 'A=\x1b[31m' is not a variable assignment; use the form NAME=value "
                r"[PLC006]"
            ),
        ),
        (
            "A-B=1",
            "my.env:1:1: 'A-B=1' is not a variable assignment; use the form NAME=value [PLC006]",
        ),
    ],
)
def test_what_is_refused(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_environment(text, "my.env")
    assert [str(item) for item in caught.value.findings] == [expected]


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    """Read or refused, and what is read is one line each."""
    try:
        result = read_environment(text, "x")
    except InputError as error:
        assert error.findings
    else:
        assert all(item.value.isprintable() for item in result.values())


def test_nothing_of_the_user_is_changed() -> None:
    users = {"NCCL_IB_HCA": UserValue("mlx5_7"), "MINE": UserValue("1")}
    merged, notes = keep_users(ours(), users)
    values = {item.name: item.value for item in merged}
    assert values == ours().values | {"NCCL_IB_HCA": "mlx5_7", "MINE": "1"}
    assert [str(note) for note in notes] == [
        (
            "NCCL_IB_HCA is 'mlx5_7' and is kept; rocefab would set '=mlx5_1,mlx5_2': the NICs "
            "of the rails in use; the equals sign matches full names; remove "
            "it unless you have a specific reason [PLC010]"
        )
    ]


def test_the_same_value_is_no_conflict_and_a_choice_of_theirs_is_told() -> None:
    users = {"NCCL_CROSS_NIC": UserValue("2"), "NCCL_ALGO": UserValue("Ring")}
    merged, notes = keep_users(ours(), users)
    assert ("NCCL_ALGO", "Ring") in {(item.name, item.value) for item in merged}
    assert [(note.rule, note.severity.word) for note in notes] == [("PLC011", "info")]
    assert "a fixed one is for benchmarks" in str(notes[0])


def names() -> st.SearchStrategy[str]:
    return st.sampled_from([*ours().values, *(item.name for item in ours().left_out), "OTHER"])


@given(st.dictionaries(st.deferred(names), st.text(max_size=5).map(UserValue)))
def test_any_choice_of_the_user_stays(users: dict[str, UserValue]) -> None:
    merged, notes = keep_users(ours(), users)
    values = {item.name: item.value for item in merged}
    assert len(values) == len(merged)
    assert {name: item.value for name, item in users.items()}.items() <= values.items()
    assert set(values) == set(ours().values) | set(users)
    differing = {n for n, item in users.items() if ours().values.get(n, item.value) != item.value}
    assert len([note for note in notes if note.rule == "PLC010"]) == len(differing)
