"""A cable that wears out, between two Junos switches of the lab, by the commands as processes."""

from __future__ import annotations

import json

import pytest

from tests.change.labs import JUNOS, LEAF, SPINE, running_lab
from tests.cli.runs import process


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    folder = tmp_path_factory.mktemp("decay")
    with (
        pytest.MonkeyPatch.context() as patch,
        running_lab(folder, patch, JUNOS) as (lab, project, connections),
    ):
        yield lab, project, connections


def judged(ready, file, counts: dict[str, int]) -> list[dict]:
    """Read, count, read again, and judge the saved readings."""
    lab, project, connections = ready
    uplink = next(port for port in project.devices[LEAF].ports if port.kind == "uplink")
    words = ("observe", project.intent.folder, "--connections", connections, "--no-hosts")
    secret = {"ROCEFAB_PASSWORD": "lab-password"}
    for turn in (0, 1):
        for name, count in counts.items():
            setattr(lab[LEAF].count(uplink.name), name, count * turn)
        assert process(*words, "--out", file, **secret).code == 0
    ended = process(
        "judge", project.intent.folder, "--no-hosts", "--readings", file, "--format", "json"
    )
    causes = json.loads(ended.out)["causes"]
    return [one for one in causes if one["rule"] in {"OBS115", "OBS116"}]


def test_a_cable_that_wears_out_is_named_before_it_fails(ready, tmp_path) -> None:
    """Most codewords have a wrong symbol: soon one has too many."""
    (cause,) = judged(ready, tmp_path / "r", {"fec_corrected": 2 * 10**9})
    assert (cause["rule"], cause["device"], cause["severity"]) == ("OBS116", LEAF, "warning")
    assert "FEC is close to its limit: a lost codeword every" in cause["message"]


def test_a_cable_that_is_good_is_not(ready, tmp_path) -> None:
    assert judged(ready, tmp_path / "r", {"fec_corrected": 1000}) == []


def test_codewords_that_are_lost_are_an_error(ready, tmp_path) -> None:
    (cause,) = judged(ready, tmp_path / "r", {"fec_uncorrected": 3})
    assert (cause["device"], cause["severity"]) == (LEAF, "error")
    assert cause["message"].startswith("FEC could not correct 3 codewords")


def test_a_link_that_flaps_names_both_ends(ready, tmp_path) -> None:
    (cause,) = judged(ready, tmp_path / "r", {"carrier_transitions": 4})
    assert (cause["rule"], cause["device"]) == ("OBS115", SPINE)
    assert f"the link to {LEAF} et-" in cause["message"]
