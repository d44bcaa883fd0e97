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
from fabric.report.dcqcn import FLOWS, Kind, Question, dcqcn, dcqcn_points, figure, kinds, plot
from fabric.workflow.project import Project
from tests.change.labs import INVENTORY, write_inventory
from tests.render.vrp8_designs import FAMILY_A
from tests.topology.fabrics import fabric

ROOT = Path(__file__).parents[2]
VERDICTS = {"stable", "oscillates", "rides past Kmax into PFC"}
#: Models of `inventory/mixed` that are marked alike, and whose buffer is not known.
UNKNOWN = "7060X6-64PE, CE8855-32CQ4BQ, N9K-C9364D-GX2A, SN4700, Z9332F-ON"
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


def without_buffers(project: Project) -> list[Kind]:
    return [replace(kind, xoff_threshold_bytes=0.0, buffer=None) for kind in kinds(project)]


@pytest.fixture(scope="module")
def ports(demo) -> tuple[Kind, ...]:
    """Return the kinds of ports of a fabric whose pause thresholds and buffers are not known."""
    return tuple({kind.port: kind for kind in without_buffers(demo)}.values())


@pytest.fixture(scope="module")
def points(ports) -> tuple[show_dcqcn.Point, ...]:
    return dcqcn_points(ports, Question(parameters="paper"))


#: Models of switches by kind of port, with their XOFF threshold and pool; 0 is not known.
LIMITS = {
    "demo": {
        ("host", "ACS-MSN4700"): (20_627_456 / 2, 20_627_456),
        ("uplink", "ACS-MSN4700"): (20_627_456 / 2, 20_627_456),
        ("uplink", "7060X6-64PE"): (0, 0),
    },
    "mixed": {
        ("host", "ACS-MSN4700"): (20_627_456 / 2, 20_627_456),
        ("host", UNKNOWN): (0, 0),
        ("host", "QFX5240-64OD"): (0, 0),
        ("host", "S9820-64H"): (0, 0),
        ("uplink", "ACS-MSN4700"): (20_627_456 / 2, 20_627_456),
        ("uplink", "ACS-SN5600"): (52_161_690 / 2, 52_161_690),
        ("uplink", UNKNOWN): (0, 0),
        ("uplink", "QFX5240-64OD"): (0, 0),
        ("uplink", "S9820-64H"): (0, 0),
    },
    "fixed levels": {
        ("host", FAMILY_A): (128_000, 0),
        ("uplink", "ACS-MSN4700"): (20_627_456 / 2, 20_627_456),
        ("uplink", FAMILY_A): (128_000, 0),
    },
}


def fixed_levels(folder: Path) -> Project:
    """Return a fabric whose leaves pause at a fixed level, and whose spines have a known pool."""
    text = (ROOT / "inventory" / "a100-pcie" / "fabric.yaml").read_text()
    text = text.replace("leaf: {sku: 7050DX4-32S}", f"leaf: {{sku: {FAMILY_A}}}")
    text = text.replace("spine: {sku: 7050DX4-32S}", "spine: {sku: ACS-MSN4700}")
    (folder / "fabric.yaml").write_text(text)
    return Project(folder)


@pytest.mark.parametrize("name", LIMITS)
def test_each_kind_has_the_buffer_of_its_switches(name, tmp_path):
    folder = ROOT / "inventory" / name
    project = Project(folder) if folder.exists() else fixed_levels(tmp_path)
    result = {
        (kind.port, kind.skus): (
            kind.xoff_threshold_bytes,
            kind.buffer.shared_bytes if kind.buffer else 0,
        )
        for kind in kinds(project)
    }
    assert result == LIMITS[name]


def test_a_row_is_judged_by_its_own_switches(tmp_path):
    """The spines pause at 10 MB: what rides past the 128 kB of a leaf does not ride past theirs."""
    spines = [kind for kind in kinds(fixed_levels(tmp_path)) if kind.buffer]
    alone = [replace(kind, buffer=None) for kind in spines]
    (leaf,) = [replace(kind, xoff_threshold_bytes=128_000.0) for kind in alone]
    low, own = dcqcn_points([leaf]), dcqcn_points(alone)
    assert {point.verdict for point in low} == {"rides past Kmax into PFC"}
    assert "rides past Kmax into PFC" not in {point.verdict for point in own}


def test_nothing_is_said_of_a_start_on_an_unknown_buffer(tmp_path):
    points = dcqcn_points(kinds(fixed_levels(tmp_path)))
    rows = [dict(zip(dcqcn(points).headers, row, strict=True)) for row in dcqcn(points).rows]
    unknown = {row["skus"] for row in rows if row["start_peak_kb"] == "-"}
    assert (unknown, {row["skus"] for row in rows} - unknown) == ({FAMILY_A}, {"ACS-MSN4700"})


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
    results = list(dict.fromkeys((kind.port, kind.marking) for kind in kinds(Project(folder))))
    assert results == [("host", "200-1500 kB 5 %"), ("uplink", "150-1500 kB 100 %")]


def test_thresholds_that_cannot_be_are_told(tmp_path):
    folder = write_inventory(tmp_path / "inventory", INVENTORY)
    (folder / "devices").mkdir()
    (folder / "devices" / "leaf.yaml").write_text(OVERRIDES.replace("200000", "2000000"))
    with pytest.raises(InputError, match="kmax_bytes is 1500000; it must lie above kmin_bytes"):
        kinds(Project(folder))


def test_every_kind_has_every_number_of_flows(ports, points):
    expected = [(kind, flows) for kind in ports for flows in FLOWS]
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
        for point in dcqcn_points(without_buffers(project), Question(parameters="paper"))
        if point.kind.congestion_point.pmax_percent == 5
    ]
    above = [point for point in results if point.marking_percent > 5]
    assert above
    assert {point.verdict for point in above} == {"rides past Kmax into PFC"}
    assert {(point.queue_bytes, point.slope_margin) for point in above} == {(None, None)}
    row = dict(zip(dcqcn(tuple(above)).headers, dcqcn(tuple(above)).rows[0], strict=True))
    assert (row["queue_kb"], row["slope_margin"]) == ("-", "-")


def test_the_default_is_what_nics_come_with(ports):
    default = dcqcn_points(ports)
    assert default == dcqcn_points(ports, Question(parameters=CONNECTX.name))
    assert "oscillates" in {point.verdict for point in default}


def test_our_own_set_comes_with_its_thresholds(ports):
    """They are stable, and Kmax stays below the PFC level that is named."""
    result = dcqcn_points(ports, Question(parameters="rocefab"))
    assert {point.verdict for point in result} == {"stable"}
    speed = result[0].kind.speed_gbps
    own = recommend(Need(speed_gbps=speed)).parameters.congestion_point
    assert result[0].kind.congestion_point == own
    low = dcqcn_points(paused_at(1_300_000.0, ports), Question(parameters="rocefab"))
    assert {point.verdict for point in low} == {"stable"}
    assert max(point.kind.congestion_point.kmax_bytes for point in low) <= 1_300_000


def paused_at(xoff_bytes: float, ports: tuple[Kind, ...]) -> list[Kind]:
    return [replace(kind, xoff_threshold_bytes=xoff_bytes) for kind in ports]


def test_a_pfc_level_below_the_queue_is_reached(ports):
    result = dcqcn_points(paused_at(100_000.0, ports), Question(parameters="paper"))
    assert {point.verdict for point in result} == {"rides past Kmax into PFC"}


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Question(parameters="x"), "unknown parameter set 'x'; available: paper, connectx"),
        (Question(round_trip_s=0.0), "round trip is 0.0 s"),
        (
            Question(parameters="rocefab", round_trip_s=1e-3),
            "host ports of ACS-MSN4700: no step leaves .* show ecn --recommend",
        ),
    ],
)
def test_wild_questions_are_refused(ports, question, message):
    with pytest.raises(InputError, match=message):
        dcqcn_points(paused_at(1e6, ports), question)


def test_the_plot_shows_the_table(points):
    drawing = figure(points)
    table = dcqcn(points)
    rows = [dict(zip(table.headers, row, strict=True)) for row in table.rows]
    panels = {axes.get_title(): axes for axes in drawing.axes}
    assert len(panels) == len({(row["port"], row["skus"]) for row in rows})
    for title, axes in panels.items():
        own = [
            row
            for row in rows
            if title
            == f"{row['port']} ports of {row['skus']}, {row['gbps']} Gb/s,\n{row['marking']}"
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
