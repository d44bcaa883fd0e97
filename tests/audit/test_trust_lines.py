"""The fix of a port that does not trust DSCP names the line of its system (AUD007)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.audit.planting import findings

SECOND_POLICY = (
    r"\1class-map type qos C\n match dscp 40\n"
    r"policy-map type qos P\n class C\n  set qos-group 3"
)
GOLDEN = Path(__file__).parents[1] / "golden"
#: File, pattern and replacement, and the lines that the fix names.
CASES = {
    "NX-OS, the policy that the file has": (
        "nxos/demo/su1-rail0/running-config.nxos",
        (r"  service-policy type qos input ROCE-IN\n", ""),
        "`service-policy type qos input ROCE-IN`",
    ),
    "NX-OS, one of several policies": (
        "nxos/demo/su1-rail0/running-config.nxos",
        (
            r"  service-policy type qos input ROCE-IN\n((.*\n)*)",
            SECOND_POLICY,
        ),
        "`service-policy type qos input NAME`",
    ),
    "EOS": (
        "eos/demo/su1-rail0/startup-config.eos",
        (r"   qos trust dscp\n", ""),
        "`qos trust dscp`",
    ),
    "Comware 7": (
        "comware7/demo/su1-rail0/running-config.comware7",
        (r"qos trust dscp", "qos trust dot1p"),
        "`qos trust dscp`",
    ),
    "Enterprise SONiC": (
        "esonic/demo/su1-rail0/running-configuration.esonic",
        (r" qos-map dscp-tc ROCE\n", ""),
        "`qos-map dscp-tc ROCE`",
    ),
    "Junos": (
        "junos/demo/su1-rail0/junos.set",
        (r"^.* classifiers dscp ROCE\n", ""),
        "`set class-of-service interfaces et-0/0/0 unit 0 classifiers dscp NAME`",
    ),
    "Cumulus Linux": (
        "cumulus/demo/su1-rail0/config.nv",
        (r"default-global trust both", "default-global trust l2"),
        "`nv set qos mapping default-global trust l3`",
    ),
}


@pytest.mark.parametrize(("file", "fault", "lines"), CASES.values(), ids=CASES)
def test_the_fix_names_the_line(
    tmp_path: Path, file: str, fault: tuple[str, str], lines: str
) -> None:
    clean = (GOLDEN / file).read_text(encoding="utf-8")
    wrong = re.sub(*fault, clean, flags=re.MULTILINE)
    assert wrong != clean
    fixes = {found.fix for found in findings(tmp_path, wrong) if found.rule == "AUD007"}
    assert f"add {lines}" in fixes
