"""A switch with other lossless values than most, in a folder of configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.audit.alike import unlike_most
from fabric.observe.configuration.lossless import Lossless, Marking, Value
from fabric.workflow.project import Project
from tests.cli.runs import run

DEMO = Path(__file__).parents[2] / "inventory" / "demo"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the configurations of four leaves."""
    for name, artefacts in Project(DEMO).switch_artefacts.items():
        if name.startswith("su"):
            text = artefacts[0].text.replace('"hostname"', '"mac": "02:00:00:00:00:01", "hostname"')
            (tmp_path / f"{name}.json").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"150000"', '"600000"', "ecn.kmin_bytes 600000 (3 of 4 switches: 150000)"),
        (
            '"detection_time": "400"',
            '"detection_time": "800"',
            "watchdog.detection_ms 800 (3 of 4 switches: 400)",
        ),
    ],
)
def test_an_odd_switch_is_named_with_all_that_is_odd(
    folder: Path, before: str, after: str, words: str
) -> None:
    file = folder / "su1-rail0.json"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))
    said = run("audit", folder).out
    assert f"su1-rail0: {words};" in said
    assert said.count("AUD049") == 1


def test_switches_alike_and_halves_are_not_odd(folder: Path) -> None:
    assert "AUD049" not in run("audit", folder).out
    for name in ("su1-rail0", "su2-rail0"):
        file = folder / f"{name}.json"
        file.write_text(file.read_text().replace('"150000"', '"600000"'))
    assert "AUD049" not in run("audit", folder).out


def _switch(limits: tuple[float, float], share_percent: float) -> Lossless:
    """Return a switch with a port of each of two speeds, and thresholds in a unit of its own."""
    switch = Lossless("junos")
    for speed_gbps in (400.0, 800.0):
        port = switch.port(f"et-{speed_gbps}", 1)
        port.speed_gbps, port.pfc = speed_gbps, {3: 1}
        port.markings = {3: Marking(1, limits=limits)}
        port.percent = {3: Value(share_percent, 1)}
    return switch


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        (
            [_switch((1, 2), 45)] * 5 + [_switch((20, 40), 45)],
            "ecn.kmin 20 (5 of 6 switches: 1), ecn.kmax 40 (5 of 6 switches: 2)",
        ),
        (
            [_switch((1, 2), 45)] * 5 + [_switch((1, 2), 25)],
            "scheduler.lossless_percent 25 (5 of 6 switches: 45)",
        ),
        ([_switch((1, 2), 45)] * 6 + [_switch((2, 4), 45)] * 2, ""),  # may be two spines
    ],
    ids=["percents", "shares", "two models"],
)
def test_thresholds_without_bytes_are_compared(switches: list[Lossless], words: str) -> None:
    odd = dict(unlike_most({str(number): one for number, one in enumerate(switches)}))
    assert [fault.message for fault in odd.values()] == [words] * bool(words)


def test_a_field_that_is_odd_at_two_speeds_names_them() -> None:
    switches = {str(number): _switch((1, 2), 45) for number in range(5)}
    del switches["0"].ports["et-800.0"]
    switches["5"] = _switch((1, 2), 25)
    ((_, fault),) = unlike_most(switches)
    assert fault.message == (
        "scheduler.lossless_percent 25 "
        "(400 Gb/s ports, 5 of 6 switches: 45; 800 Gb/s ports, 4 of 5 switches: 45)"
    )
