"""Maps of switches that are compared: where the fault stands."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from fabric.workflow.audit import audit
from fabric.workflow.configurations import whole
from fabric.workflow.project import Project
from tests.topology.fabrics import INVENTORY

_CLASSIFIER = (
    "set class-of-service classifiers dscp ROCE forwarding-class NO-LOSS loss-priority low "
    "code-points"
)
_PAUSED = "set class-of-service congestion-notification-profile ROCE input dscp code-point"
#: System -> a line of its map, and the same with DSCP 27 in the lossless class.
WIDER = {
    "comware7": (" import 24 25 27 28 29 30 31 export 0", " import 27 export 3"),
    "cumulus": ("dscp 27 switch-priority 0", "dscp 27 switch-priority 3"),
    "eos": ("qos map dscp 26 to traffic-class 3", "qos map dscp 26 27 to traffic-class 3"),
    "esonic": ("dscp 26 traffic-class 3", "dscp 26-27 traffic-class 3"),
    "junos": (
        f"{_CLASSIFIER} 011010",
        f"{_CLASSIFIER} 011010\n{_CLASSIFIER} 011011",
    ),
    "nxos": ("match dscp 26", "match dscp 26-27"),
    "sonic": ('"27": "0"', '"27": "3"'),
    "vrp8": ("ip-dscp-inbound 27 phb be", "ip-dscp-inbound 27 phb af3"),
}
#: What the wider map needs besides.
BESIDES = {
    "comware7": (" import 27 export 3", " import 24 25 28 29 30 31 export 0\n import 27 export 3"),
    "esonic": ("27-47", "28-47"),
    "junos": (f"{_PAUSED} 011010 pfc", f"{_PAUSED} 011010 pfc\n{_PAUSED} 011011 pfc"),
}


@cache
def _texts() -> dict[str, str]:
    """Return the configuration of a leaf of each system."""
    files = Project(INVENTORY / "mixed").switch_artefacts
    return {system: whole(files[f"{system}-leaf"]).text for system in WIDER}


@pytest.mark.parametrize("system", WIDER)
def test_another_map_has_the_line_of_the_dscp(system: str, tmp_path: Path) -> None:
    texts = dict(_texts())
    for old, new in (WIDER[system], BESIDES.get(system, ("", ""))):
        assert old in texts[system]
        texts[system] = texts[system].replace(old, new) if old else texts[system]
    for name, text in texts.items():
        (tmp_path / f"{name}.cfg").write_text(text, encoding="utf-8")
    (odd,) = [one for one in audit([tmp_path]).outcome.findings if one.rule == "AUD017"]
    assert odd.position
    assert Path(odd.position.file).stem == system
    line = texts[system].splitlines()[odd.position.line - 1]
    assert "27" in line or "011011" in line, line
