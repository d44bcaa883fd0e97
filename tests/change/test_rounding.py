"""A threshold that a switch shows as its ASIC keeps it is no drift; another one is."""

from __future__ import annotations

import difflib
import json
import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.adapter import adapters
from fabric.change.expectation import of_switch
from fabric.change.plan_file import ExpectationForm
from fabric.change.rounding import settled
from fabric.observe.snapshot import Running
from fabric.platforms import platforms
from fabric.qos.ecn.edge import is_kept, programmed_bytes
from fabric.render import render_device
from tests.cases import each
from tests.render import (
    comware7_designs,
    esonic_designs,
    junos_designs,
    nxos_designs,
    vrp8_designs,
)
from tests.render.designs import design
from tests.systems.cumulus.test_render import leaf as cumulus_leaf

#: System -> its leaf, how it says Kmin (150,000 bytes), and what else is the same: rounded by the
#: step of the ASIC, up and down, where the system says bytes and the step is known.
CASES = {
    "sonic": (lambda: design("demo", "su1-rail0"), "150000", ("149904", "150048")),
    "sonic, coarse": (lambda: design("rail-512", "su1-rail0"), "150000", ("147456", "159744")),
    "eos": (lambda: design("demo", "spine01"), "150000 bytes", ("149860 bytes", "150114 bytes")),
    "eos, other unit": (lambda: design("demo", "spine01"), "150000 bytes", ("150 kbytes",)),
    "cumulus": (cumulus_leaf, "150000", ("149904", "150048")),
    "esonic": (lambda: esonic_designs.designs("demo")["su1-rail0"], "150", ()),
    "nxos": (lambda: nxos_designs.designs("demo")["su1-rail0"], "150 kbytes", ("150000 bytes",)),
    "vrp8": (lambda: vrp8_designs.designs("demo")["su1-rail0"], "150000", ()),
    "comware7": (lambda: comware7_designs.designs("demo")["su1-rail0"], "722", ()),
}
#: What is neither: one off, one step further than the rounded ones, and the next unit.
OTHERS = {
    "sonic": ("150001", "149760", "150192"),
    "sonic, coarse": ("150001", "147457", "135168", "172032"),
    "eos": ("150001 bytes", "149606 bytes", "150368 bytes", "150000 kbytes"),
    "eos, other unit": ("149 kbytes", "151 kbytes"),
    "cumulus": ("150001", "149760", "150192"),
    "esonic": ("149", "151"),
    "nxos": ("149 kbytes", "151 kbytes", "150001 bytes"),
    "vrp8": ("149999", "150001"),
    "comware7": ("721", "723"),
}
LINE = re.compile(r"(min(?:imum)?[-_]threshold\W+|low-limit )(\d+(?: k?bytes)?)")


class Previewing:
    """A driver of which only the difference is asked: that of the whole texts."""

    def __init__(self, running: str) -> None:
        self._lines = running.splitlines()

    def preview(self, candidate) -> str:
        wanted = [line for line in candidate.text.splitlines() if line != "!"]
        now = [line for line in self._lines if line != "!"]
        return "\n".join(list(difflib.unified_diff(now, wanted, lineterm="", n=1000))[2:])


@cache
def artefacts(case):
    return tuple(render_device(CASES[case][0]()))


def drafted(case, shown):
    """Return what differs when a switch shows its Kmin so."""
    device, said = CASES[case][0](), CASES[case][1]
    found = {word for _, word in LINE.findall(artefacts(case)[0].text)}
    assert found == {said}
    text = LINE.sub(lambda match: f"{match[1]}{shown}", artefacts(case)[0].text)
    config = json.loads(text) if device.platform == "sonic" else text
    files = {f"/etc/sysctl.d/{a.path.rpartition('/')[2]}": a.text for a in artefacts(case)[1:]}
    kernel = dict(re.findall(r"^(net\S+) = (\d+)$", "\n".join(files.values()), re.MULTILINE))
    running = Running(device.name, device.platform, config, text, None, files, kernel)
    draft = adapters[device.platform].draft(running, artefacts(case), Previewing(text))
    quantum = of_switch(device, {}).quantum_bytes
    return draft, settled(draft, device.platform, quantum)


@pytest.mark.parametrize("case", CASES)
def test_what_was_asked_for_is_no_change(case):
    draft, found = drafted(case, CASES[case][1])
    assert draft.changes == found.changes == ()


@pytest.mark.parametrize(
    ("case", "shown"), [(case, shown) for case in CASES for shown in CASES[case][2]]
)
def test_a_rounded_threshold_is_no_change(case, shown):
    draft, found = drafted(case, shown)
    assert draft.changes, "to the letter it is one"
    assert found.changes == ()
    assert found.diff == ""


@each(("case", "shown"), [(case, shown) for case in OTHERS for shown in OTHERS[case]])
def test_another_threshold_is_a_change(case, shown):
    draft, found = drafted(case, shown)
    assert found.changes == draft.changes != ()


def test_every_system_is_in_the_table():
    """Junos has percents of the queue: a step of its own, without bytes to round."""
    assert {case.partition(",")[0] for case in CASES} == {*platforms} - {"junos"}


@pytest.mark.parametrize("shown", ["9", "11"])
def test_a_percent_more_or_less_is_a_change(shown):
    device = junos_designs.designs("demo")["su1-rail0"]
    made = tuple(render_device(device))
    text = next(item.text for item in made if item.kind == "set")
    other = text.replace("fill-level 10\n", f"fill-level {shown}\n")
    assert other != text
    running = Running(device.name, "junos", other, other, None, {})
    draft = adapters["junos"].draft(running, made, None)
    assert settled(draft, "junos", 254).changes == draft.changes != ()


def test_a_change_beside_it_stays():
    """Rounding hides itself alone, also where the section is the same."""
    device = design("rail-512", "su1-rail0")
    made = tuple(render_device(device))
    config = json.loads(made[0].text)
    row = config["WRED_PROFILE"]["AZURE_LOSSLESS"]
    row.update(green_min_threshold="159744", green_drop_probability="5")
    running = Running(device.name, "sonic", config, "", None, {})
    draft = adapters["sonic"].draft(running, made[:1], None)
    assert len(draft.changes) == 2
    [left] = settled(draft, "sonic", 12288).changes
    assert left.path == "WRED_PROFILE|AZURE_LOSSLESS|green_drop_probability"


def test_the_step_travels_in_a_plan():
    """Apply, confirm and roll back look at the switch again, from the file alone."""
    expected = of_switch(design("rail-512", "su1-rail0"), {})
    assert expected.quantum_bytes == 12288
    body = {"bgp": {}, "lldp": {}, "pfc": {}, "quantum_bytes": 12288}
    read = lambda: ExpectationForm.model_validate_json(json.dumps(body)).expectation()  # noqa: E731
    assert read().quantum_bytes == 12288
    del body["quantum_bytes"]  # a plan of before
    assert read().quantum_bytes == 1


SIZES = st.integers(1, 2**31)
STEPS = st.integers(1, 20_000)


@given(SIZES, STEPS)
def test_what_an_asic_keeps_is_kept(size, quantum):
    kept = programmed_bytes(size, quantum)
    assert is_kept(size, kept, quantum_bytes=quantum)
    assert not is_kept(size, kept + quantum, quantum_bytes=quantum)
    assert is_kept(size, size)


@given(SIZES, SIZES, STEPS)
def test_kept_sizes_are_near_and_whole(wanted, seen, quantum):
    if is_kept(wanted, seen, quantum_bytes=quantum) and wanted != seen:
        assert seen % quantum == 0
        assert abs(wanted - seen) < quantum


@pytest.mark.parametrize("steps", [{"quantum_bytes": 0}, {"unit_bytes": -1}])
def test_steps_are_above_0(steps):
    with pytest.raises(ValueError, match="steps must be above 0"):
        is_kept(1, 1, **steps)
