"""Each configuration is recognised as one of the system that it is written for."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.configuration.recognition import system_of
from tests.observe.test_fixtures import recorded
from tests.reference import reference
from tests.systems.outputs import recordings

REPOSITORY = Path(__file__).parents[2]
GOLDEN = REPOSITORY / "tests" / "golden"
#: Files of a switch that are no configuration: they go with one.
COMPANIONS = {"clear.nv", "tenants.txt", "zz-rocefab-neighbours.conf"}
#: Whole configurations of the reference data, by system.
SAMPLES = {"eos": "*.cfg", "junos": "jvd/*.conf", "nxos": "*.cfg"}


@pytest.mark.parametrize("system", lossless_readers)
def test_rendered_files_are_recognised(system: str) -> None:
    paths = [path for path in (GOLDEN / system).rglob("*") if path.is_file()]
    files = [path for path in paths if path.name not in COMPANIONS]
    assert files
    taken_for = {path: system_of(path.read_text(encoding="utf-8")) for path in files}
    assert taken_for == dict.fromkeys(files, system)


def test_files_that_only_clear_are_no_configurations() -> None:
    files = [*GOLDEN.rglob("*/clear.nv")]
    assert files
    assert [path for path in files if system_of(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("system", SAMPLES)
def test_a_configuration_of_a_real_switch_is_recognised(system: str) -> None:
    for path in reference("fixtures", system).rglob(SAMPLES[system]):
        assert system_of(path.read_text(encoding="utf-8")) == system, path


#: Folder of the recorded outputs of commands, by system.
RECORDED = {"huawei-vrp8": "vrp8", "comware7": "comware7"}


@pytest.mark.parametrize("folder", RECORDED)
def test_recorded_outputs_are_of_no_other_system(folder: str) -> None:
    for name in recordings(folder):
        system = system_of(recorded(f"{folder}/{name}"))
        assert system in {None, RECORDED[folder]}, name


#: Parts of configurations, as articles and automation have them: QoS alone.
PARTS = {
    "eos": """\
policy-map type quality-of-service FABRIC
   class ROCE
      set traffic-class 3
interface Ethernet1
   priority-flow-control on
   priority-flow-control priority 3 no-drop
""",
    "junos": """\
class-of-service {
    classifiers {
        dscp roce {
            forwarding-class NO-LOSS {
                loss-priority low code-points 011010;
            }
        }
    }
}
""",
    "cumulus": "nv set qos roce mode lossless\nnv config apply -y\nnv show qos roce\n",
}


@pytest.mark.parametrize("system", PARTS)
def test_a_part_of_a_configuration_is_recognised_and_read(system: str) -> None:
    assert system_of(PARTS[system]) == system
    assert lossless_readers[system].read(PARTS[system]).system == system
