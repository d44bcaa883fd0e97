"""yanglint itself behind check and plan: its places become rows, and a plan names them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fabric.systems.sonic.yang_judge import Answer, Yang
from tests.change import labs
from tests.judges.test_sonic_yang import BRANCHES, EXAMPLES, SWITCHES, _config, _mutated
from tests.render.designs import design

#: Mistakes that libyang finds elsewhere than where they were made.
ELSEWHERE = {("PFC_WD", "GLOBAL"), ("VLAN_MEMBER", "Vlan102|Ethernet16")}


@pytest.fixture(scope="session")
def folder(yanglint: str, reference: Path) -> Path:
    """Return the folder of the models of all releases."""
    assert yanglint
    return reference / "schemas" / "sonic-yang"


@pytest.mark.parametrize("branch", BRANCHES)
def test_known_mistakes_name_their_row(folder: Path, branch: str) -> None:
    """Table and row of each mistake; as far as the key is right where that is the mistake."""
    examples = folder / "examples"
    document = json.loads((examples / "cases.json").read_text(encoding="utf-8"))
    base = json.loads((examples / document["base"]).read_text(encoding="utf-8"))
    for case in document["cases"]:
        answer = Yang(folder, branch).answer(_mutated(base, case["set"]))
        assert not answer.why_not
        assert bool(answer.complaints) is (case[branch] != "accept"), case["case"]
        for complaint in answer.complaints:
            table, row = complaint.path[0], "".join(complaint.path[1:2])
            changed = {tuple(item[:2]) for item in case["set"]}
            assert changed & ELSEWHERE or any(
                table == t and r.startswith(row) for t, r in changed
            ), (case["case"], complaint)


@pytest.mark.parametrize(("inventory", "switch"), SWITCHES[:6])
def test_a_folder_as_a_switch_has_it(
    folder: Path, tmp_path: Path, inventory: str, switch: str
) -> None:
    """The modules of the IETF are built into libyang and not in /usr/local/yang-models."""
    for path in (folder / "202405").glob("sonic-*.yang"):
        (tmp_path / path.name).symlink_to(path)
    assert Yang(tmp_path).answer(_config(design(inventory, switch))) == Answer()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(folder: Path, name: str) -> None:
    """Valid for both branches."""
    config = json.loads((folder / "examples" / f"{name}.config_db.json").read_text())
    assert [Yang(folder, branch).answer(config) for branch in BRANCHES] == [Answer(), Answer()]


def test_plan_asks_yanglint(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own: nothing unsaid, and a row of somebody else that is not valid."""
    with labs.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        words = ["plan", str(project.intent.folder), "--connections", str(connections)]
        words += ["--only", labs.LEAF, "--yang-models", str(folder)]
        command = [sys.executable, "-m", "fabric", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "not validated" not in done.stdout + done.stderr
        lab[labs.LEAF].hand_edit("DNS_NAMESERVER", "nonsense", None, {})
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "unchanged on the switch: DNS_NAMESERVER" in done.stdout
        assert "[SON040]" in done.stdout
