"""What is exported and imported again is the same, as far as the form carries it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given

from fabric.core.exports import exporters
from fabric.exchange.forms import importers
from fabric.exchange.plant import Cable, Device, Nic, Plant, field_names
from tests.cases import each, examples
from tests.exchange.plants import EXAMPLES, FABRIC_FORMS, of_example, plants, read, written

FORMS = sorted(set(FABRIC_FORMS) & set(importers))
HARD = Plant(
    "hard",
    (
        Device("a", "switch", rack="=1+1", serial='q"\\', model="\\", mac="00:11:22:33:44:55"),
        Device("b", "host", rack="-x", serial="'=x", unit="no", management="10.0.0.1"),
    ),
    (Cable.between(("a", "1e3"), ("b", "eth0"), 400, 3),),
    (Nic("b", "eth0", 0, 1, "mlx5_0", "10.0.0.2/24", "00:00:00:00:00:01"),),
)


def test_every_form_that_is_written_is_read() -> None:
    assert FABRIC_FORMS == FORMS


@pytest.mark.parametrize("form", FORMS)
def test_what_a_form_loses_is_a_field(form: str) -> None:
    assert exporters[form].lost <= set(field_names())


@each("form", FORMS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(form: str, name: str, tmp_path: Path) -> None:
    built = of_example(name)
    lost = exporters[form].lost
    back = read(form, written(built, form, tmp_path / form)).plant
    assert back.without(lost).canonical() == built.without(lost).canonical()
    assert back.cables


@pytest.mark.parametrize("form", FORMS)
@examples(12, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(built=plants())
@example(built=HARD)
def test_random_plants(form: str, built: Plant) -> None:
    assume(built.cables or form != "nornir")  # without any, it asks for a file
    with tempfile.TemporaryDirectory() as folder:
        back = read(form, written(built, form, Path(folder))).plant
    kept = built.without(exporters[form].lost)
    if form == "csv":  # a list of cables knows only devices that have one
        cabled = {end[0] for cable in built.cables for end in (cable.near, cable.far)}
        kept = Plant("", tuple(d for d in kept.devices if d.name in cabled), kept.cables)
    lost = exporters[form].lost
    assert back.without(lost).canonical() == kept.canonical()
