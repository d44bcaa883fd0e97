"""Releases in the forms of their vendors."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from fabric.intent.scalars import Release
from fabric.platforms import platforms
from fabric.platforms.releases import RELEASE_KEYS, has_form, runs_planned

FORMS = {
    "nxos": ("10.4(3)", "10.4(3)F", "9.3(6a)", "9.3.6", "10.5(1)F"),
    "sonic": ("202505", "202505.1", "master"),
    "junos": ("23.4R2-EVO", "23.4R2-S3", "23.4R2-S3.5-EVO", "21.3R1", "23.4X100-D20"),
    "eos": ("4.32.2F", "4.32.2.1F", "4.36.1F", "4.32"),
    "cumulus": ("5.14.0", "5.14"),
    "vrp8": ("V300R023C00", "V300R023C00SPC500"),
    "comware7": ("R6710", "R6710P01", "7.1.070"),
    "esonic": ("4.4.0", "4.2"),
}
SAFE = TypeAdapter(Release)


def test_each_system_has_a_form():
    assert set(RELEASE_KEYS) == set(FORMS) == set(platforms)


@pytest.mark.parametrize("system", FORMS)
def test_forms_of_vendors_are_accepted(system):
    for text in FORMS[system]:
        assert SAFE.validate_python(text) == text
        assert has_form(system, text)
        assert runs_planned(system, text, text) is True


def test_a_release_is_never_a_way_out_of_a_folder():
    for text in (
        *("..", "../x", "a/b", "a..b", "/etc", ".5", "5.", "5.14/..", "a\\b", "5 14", "5.14\n"),
        *("", "-5", "~", "$(id)", "%2e%2e", "a" * 33, "5.\x00"),
    ):
        with pytest.raises(ValidationError):
            SAFE.validate_python(text)


@pytest.mark.parametrize(
    ("system", "planned", "running", "verdict"),
    [
        ("cumulus", "5.14", "5.14.1", True),
        ("cumulus", "5.1", "5.14.1", False),
        ("cumulus", "5.14.0", "5.14", None),
        ("nxos", "10.4(3)", "10.4(3)F", True),
        ("nxos", "10.4(3)", "10.4(30)", False),
        ("nxos", "9.3.6", "9.3(6)", True),
        ("eos", "4.32.2F", "4.32.2M", False),
        ("eos", "4.32", "4.32.2F", True),
        ("junos", "23.4R2-EVO", "23.4R2.14-EVO", True),
        ("junos", "23.4R2-S3", "23.4R2-S4.1-EVO", False),
        ("junos", "23.4R2", "23.4X100-D20", False),
        ("sonic", "202505", "202505.1047-8b9de06", True),
        ("sonic", "202505", "SONiC.20250510.12-ab", True),
        ("sonic", "202505.1", "202505.2-ab", False),
        ("vrp8", "V300R023C00", "V300R023C00SPC500", True),
        ("vrp8", "V300R023C00", "V300R024C00", False),
        ("comware7", "R6710", "7.1.070", None),
        ("comware7", "R6710", "R6715", False),
        ("esonic", "4.4.0", "", None),
        ("eos", "4.32.2F", "engineering build", None),
        ("other", "7", "8", None),
    ],
)
def test_running_against_planned(system, planned, running, verdict):
    assert runs_planned(system, planned, running) is verdict


def test_limits_of_a_train_hold_for_its_builds():
    sonic = platforms["sonic"]
    assert sonic.watchdog_range_ms("202405.12") == sonic.watchdog_range_ms("202405")
    assert sonic.watchdog_range_ms("202505.1") == sonic.watchdog_range_ms("202405")
    assert sonic.watchdog_range_ms("202511.1") != sonic.watchdog_range_ms("202405")
    assert sonic.watchdog_range_ms("202605") == sonic.watchdog_range_ms("master")
