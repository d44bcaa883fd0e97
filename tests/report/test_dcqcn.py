"""show dcqcn: kinds of ports, figures against the model, and the plot against the table."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fabric.core.errors import InputError
from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.presets import CONNECTX, PAPER
from fabric.qos.dcqcn.recommend import Need, recommend
from fabric.qos.path import ROCE_PACKET_BYTES
from fabric.report import dcqcn as show_dcqcn
from fabric.report.dcqcn import FLOWS, Question, dcqcn, dcqcn_points, figure, kinds, plot
from fabric.workflow.project import Project
from tests.change.labs import INVENTORY, write_inventory
from tests.topology.fabrics import fabric

ROOT = Path(__file__).parents[2]
VERDICTS = {"stable", "oscillates", "rides past Kmax into PFC"}
#: Another threshold on one port of one leaf.
OVERRIDES = """\
devices:
  - names: su1-rail0
    ports:
      Ethernet0: {lossless: {ecn: {kmin_bytes: 200000, pmax_percent: 5}}}
"""


@pytest.fixture(scope="module")
def demo() -> Project:
    return Project(ROOT / "inventory" / "demo")


@pytest.fixture(scope="module")
def points(demo) -> tuple[show_dcqcn.Point, ...]:
    return dcqcn_points(demo, Question(parameters="paper"))


def test_kinds_are_those_of_the_inventory(demo):
    speeds = {("host", int(speed)) for speed in demo.fabric.nics.speed_gbps}
    speeds |= {("uplink", int(speed)) for speed in demo.fabric.uplinks.speed_gbps}
    result = kinds(demo)
    assert {(kind.port, kind.speed_gbps) for kind in result} == speeds
    assert {kind.marking for kind in result} == {"150-1500 kB 100 %"}


def test_a_port_of_its_own_is_a_kind_of_its_own(tmp_path):
    folder = write_inventory(tmp_path / "inventory", INVENTORY)
    (folder / "devices").mkdir()
    (folder / "devices" / "leaf.yaml").write_text(OVERRIDES)
    results = [(kind.port, kind.marking) for kind in kinds(Project(folder))]
    assert results == [("host", "200-1500 kB 5 %"), ("uplink", "150-1500 kB 100 %")]


def test_thresholds_that_cannot_be_are_told(tmp_path):
    folder = write_inventory(tmp_path / "inventory", INVENTORY)
    (folder / "devices").mkdir()
    (folder / "devices" / "leaf.yaml").write_text(OVERRIDES.replace("200000", "2000000"))
    with pytest.raises(InputError, match="kmax_bytes is 1500000; it must lie above kmin_bytes"):
        kinds(Project(folder))


def test_every_kind_has_every_number_of_flows(demo, points):
    expected = [(kind, flows) for kind in kinds(demo) for flows in FLOWS]
    assert [(point.kind, point.flows) for point in points] == expected
    assert FLOWS == (2, 4, 8, 16, 32, 64, 128, 256)


def test_figures_are_those_of_the_model(points):
    for point in points:
        speed, switch = point.kind.speed_gbps, point.kind.congestion_point
        steady = fixed_point(loop(PAPER, speed * 1e9, point.flows, ROCE_PACKET_BYTES))
        assert point.marking_percent == pytest.approx(100 * float(steady.marking))
        assert point.alpha == pytest.approx(float(steady.alpha))
        assert point.rate_gbps == speed / point.flows
        share = float(steady.marking) * 100 / switch.pmax_percent
        queue = switch.kmin_bytes + share * (switch.kmax_bytes - switch.kmin_bytes)
        assert point.queue_bytes == pytest.approx(queue)
        assert point.kmax_margin_bytes == pytest.approx(switch.kmax_bytes - point.peak_bytes)
        assert point.verdict in VERDICTS


def test_the_table_can_be_printed_as_json(points):
    table = dcqcn(points)
    assert len(table.rows) == len(points)
    rows = [dict(zip(table.headers, row, strict=True)) for row in table.rows]
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert [row["verdict"] for row in rows] == [point.verdict for point in points]
    assert rows[0]["queue_kb"] == round(points[0].queue_bytes / 1000, 1)


def test_a_port_without_a_steady_state_has_no_figure_for_it(tmp_path):
    """Pmax 5 % is less than 256 flows need at 400 Gb/s."""
    folder = write_inventory(tmp_path / "inventory", INVENTORY)
    (folder / "devices").mkdir()
    (folder / "devices" / "leaf.yaml").write_text(OVERRIDES)
    project = Project(folder)
    results = [
        point
        for point in dcqcn_points(project, Question(parameters="paper"))
        if point.kind.congestion_point.pmax_percent == 5
    ]
    above = [point for point in results if point.marking_percent > 5]
    assert above
    assert {point.verdict for point in above} == {"rides past Kmax into PFC"}
    assert {(point.queue_bytes, point.slope_margin) for point in above} == {(None, None)}
    row = dict(zip(dcqcn(tuple(above)).headers, dcqcn(tuple(above)).rows[0], strict=True))
    assert (row["queue_kb"], row["slope_margin"]) == ("-", "-")


def test_the_default_is_what_nics_come_with(demo):
    default = dcqcn_points(demo)
    assert default == dcqcn_points(demo, Question(parameters=CONNECTX.name))
    assert "oscillates" in {point.verdict for point in default}


def test_our_own_set_comes_with_its_thresholds(demo):
    """They are stable, and Kmax stays below the PFC level that is named."""
    result = dcqcn_points(demo, Question(parameters="rocefab"))
    assert {point.verdict for point in result} == {"stable"}
    speed = result[0].kind.speed_gbps
    own = recommend(Need(speed_gbps=speed)).parameters.congestion_point
    assert result[0].kind.congestion_point == own
    low = dcqcn_points(demo, Question(parameters="rocefab", xoff_threshold_bytes=1_300_000.0))
    assert {point.verdict for point in low} == {"stable"}
    assert max(point.kind.congestion_point.kmax_bytes for point in low) <= 1_300_000


def test_a_pfc_level_below_the_queue_is_reached(demo):
    result = dcqcn_points(demo, Question(parameters="paper", xoff_threshold_bytes=100_000.0))
    assert {point.verdict for point in result} == {"rides past Kmax into PFC"}


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Question(parameters="x"), "unknown parameter set 'x'; available: paper, connectx"),
        (Question(round_trip_s=0.0), "round trip is 0.0 s"),
        (
            Question(parameters="rocefab", round_trip_s=1e-3, xoff_threshold_bytes=1e6),
            "no step leaves .* show ecn --recommend",
        ),
        (Question(xoff_threshold_bytes=-1.0), "xoff_threshold_bytes must be above zero"),
    ],
)
def test_wild_questions_are_refused(demo, question, message):
    with pytest.raises(InputError, match=message):
        dcqcn_points(demo, question)


def test_the_plot_shows_the_table(points):
    drawing = figure(points)
    table = dcqcn(points)
    rows = [dict(zip(table.headers, row, strict=True)) for row in table.rows]
    panels = {axes.get_title(): axes for axes in drawing.axes}
    assert len(panels) == len({(row["port"], row["gbps"], row["marking"]) for row in rows})
    for title, axes in panels.items():
        own = [
            row
            for row in rows
            if title == f"{row['port']} ports, {row['gbps']} Gb/s, {row['marking']}"
        ]
        lines = {line.get_label(): line for line in axes.get_lines()}
        for label, column in (("steady queue", "queue_kb"), ("peak", "peak_kb")):
            assert lines[label].get_xdata().tolist() == [row["flows"] for row in own]
            expected = [row[column] for row in own]
            assert np.round(lines[label].get_ydata(), 1).tolist() == expected
        assert lines["Kmin"].get_ydata() == [150.0, 150.0]
        assert lines["Kmax"].get_ydata() == [1500.0, 1500.0]


def test_what_has_no_queue_is_not_drawn(points):
    gone = replace(points[-1], queue_bytes=None)
    (axes, *_) = figure((points[0], gone) if points[0].kind == gone.kind else (gone,)).axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert len(lines["steady queue"].get_xdata()) == len(lines["peak"].get_xdata()) - 1


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_two_plots_are_the_same_bytes(tmp_path, points, suffix):
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    plot(points, first)
    plot(points, second)
    content = first.read_bytes()
    assert content == second.read_bytes()
    assert content.startswith(b"<?xml" if suffix == "svg" else b"\x89PNG")
    assert b"flows on the port" in content or suffix == "png"


def test_another_suffix_is_refused(tmp_path, points):
    with pytest.raises(InputError, match=r"\.svg or \.png"):
        plot(points, tmp_path / "a.pdf")


def test_without_matplotlib_it_says_what_to_install(tmp_path, points, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install 'rocefab\[plots\]'"):
        plot(points, tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())


def test_advice_is_of_the_verdicts_that_are_there(points):
    lines = show_dcqcn.advice(points)
    words = {word for point in points for word in point.verdict.split(", ")} - {"stable"}
    assert len(lines) == len(words)
    assert any(line.startswith("oscillates: ") and "--recommend" in line for line in lines)
    assert show_dcqcn.advice([replace(points[0], verdict="stable")]) == ()
    known = {
        point
        for todo in ("rides past Kmax into PFC", "pauses at the start, starves")
        for point in show_dcqcn.advice([replace(points[0], verdict=todo)])
    }
    assert len(known) == 3


def test_nics_of_other_makers_are_named():
    broadcom = {"vendor": "broadcom", "driver": "bnxt", "model": "BCM57608"}
    assert show_dcqcn.other_nics(fabric()) == ""
    said = show_dcqcn.other_nics(fabric(host__nic=broadcom))
    assert "DCQCN of NICs by broadcom is not modelled; they are taken as ConnectX" in said
    assert said.startswith("a[1-3],b[1-2]: ")
