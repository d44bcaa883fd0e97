"""audit --pairs: which port a profile is about, and what it says of many."""

from __future__ import annotations

from pathlib import Path

from fabric.core.findings import Finding
from fabric.workflow.audit import audit
from tests.audit.host_outputs import mlnx_qos
from tests.audit.nic_texts import TEMPLATE, filled

GOLDEN = Path(__file__).parents[1] / "golden" / "cumulus" / "a100-pcie" / "rack1-leaf" / "config.nv"
WRONG = mlnx_qos().replace("enabled     0   0   0   1", "enabled     0   0   1   0")


def judged(folder: Path, files: dict[str, str]) -> list[Finding]:
    """Return the findings about pairs."""
    (folder / "rack1-leaf.nv").write_text(GOLDEN.read_text(encoding="utf-8"), encoding="utf-8")
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    findings = audit([folder], pairs=True).outcome.findings
    return [finding for finding in findings if finding.rule.startswith("NIC")]


def test_the_port_whose_description_names_the_nic(tmp_path: Path) -> None:
    (finding,) = judged(tmp_path, {"a100-2/mlnx_qos-ens1f0.txt": WRONG})
    assert (finding.rule, finding.device, finding.port) == ("NIC001", "rack1-leaf", "swp2")
    assert finding.position
    assert finding.position.line == WRONG[: WRONG.index("enabled  ")].count("\n") + 1
    assert "rack1-leaf.nv:" in finding.message


def test_a_template_is_about_every_lossless_port(tmp_path: Path) -> None:
    text = filled(TEMPLATE, 6).replace('"48"', '"4"')
    (finding,) = judged(tmp_path, {"nics.yaml": text})
    assert finding.rule == "NIC005"
    assert "and 3 more ports" in finding.message


def test_nics_without_a_port_are_named_once_for_a_host(tmp_path: Path) -> None:
    files = {f"other/mlnx_qos-eth{number}.txt": WRONG for number in range(3)}
    (finding,) = judged(tmp_path, files)
    assert finding.rule == "NIC016"
    assert "NIC eth0 and 2 more of its host" in finding.message


def test_a_nic_that_pauses_nothing(tmp_path: Path) -> None:
    silent = mlnx_qos().replace("enabled     0   0   0   1", "enabled     0   0   0   0")
    (finding,) = judged(tmp_path, {"a100-2/mlnx_qos-ens1f0.txt": silent})
    assert "the NIC pauses no priority, the leaf port priority 3" in finding.message
    assert judged(tmp_path, {"a100-2/mlnx_qos-ens1f0.txt": mlnx_qos()}) == []
    assert judged(tmp_path, {"a100-2/mlnx_qos-eno1.txt": silent}) == []


def test_without_the_option_nothing_is_compared(tmp_path: Path) -> None:
    judged(tmp_path, {"a100-2/mlnx_qos-ens1f0.txt": WRONG})
    rules = {finding.rule for finding in audit([tmp_path]).outcome.findings}
    assert not [rule for rule in rules if rule.startswith("NIC")]
