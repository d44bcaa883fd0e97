"""Options that take a duration: with its unit, or seconds."""

from __future__ import annotations

import re

import pytest
import typer

from fabric.cli.options import duration_s
from tests.cli import tree
from tests.cli.runs import DEMO, run

DURATIONS = (
    {"apply": "--max-age", "prove": "--deadline", "first-contact": "--window"}
    | dict.fromkeys(("place", "export", "judge"), "--state-max-age")
    | dict.fromkeys(("cabling", "verify", "whatif"), "--snapshot-max-age")
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("0.5s", 0.5), ("90s", 90), ("10m", 600), ("24h", 86_400), ("7d", 604_800)],
)
def test_a_duration_in_seconds(text: str, seconds: float) -> None:
    assert duration_s("--x", text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-5m", "5 m", "5M", "1h30m", "inf", "nan", "1e9", "٣m"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="--x: .* such as 30s, 90m, 24h or 7d"):
        duration_s("--x", text)


@pytest.mark.parametrize("command", DURATIONS)
def test_help_and_default_name_the_unit(command: str) -> None:
    leaf, _ = tree.find([command])
    (option,) = [one for one in leaf.options if DURATIONS[command] in one.opts]
    assert duration_s("", option.default) >= 0
    assert not option.default[-1].isdigit()
    assert re.search(r"\b\d+[smhd]\b", option.help)
    assert option.help.endswith("a number alone is in seconds.")


@pytest.mark.parametrize(
    "words",
    [
        ("prove", DEMO, "--deadline", "soon"),
        ("place", DEMO, "--nodes", "1", "--state-max-age", "soon"),
        ("export", "slurm", DEMO, "--state-max-age", "soon"),
    ],
)
def test_another_text_is_an_error_of_usage(words: tuple[object, ...]) -> None:
    ended = run(*words)
    assert ended.code == 2
    assert "'soon' is not a duration such as 30s, 90m, 24h or 7d" in ended.err
