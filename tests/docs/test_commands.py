"""Every command that the README, the docs and the help print, as a user runs it.

Each is a process of its own in an empty folder, on fabrics that it never saw, without the state,
the cache and the registries that another command left.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from fabric.workflow.laboratory import laboratory
from fabric.workflow.project import Project
from tests.audit.nic_texts import TEMPLATE, filled
from tests.cli.runs import ROOT, clean_environment
from tests.docs.commands import NOT_RUN, documented, is_online
from tests.exchange.plants import of_example
from tests.exchange.saved_outputs import NXOS_MODULE
from tests.exchange.test_lldp_folder import folder_of
from tests.serve.reviewed import plan_of

#: Far beyond what any takes: one that runs until it is stopped belongs to NOT_RUN.
_LONGEST_S = 600
PASSWORD = "correct-horse-battery-staple"
#: First words of the lines that need no devices.
VERBS = (
    "adopt", "adopt-serials", "ansible", "approve", "audit", "check", "completion", "diff", "draw",
    "expect", "explain", "export", "import", "init", "man", "models", "place", "prove", "render",
    "replace", "serve", "show", "simulate", "suspect", "tenant", "whatif",
)  # fmt: skip
_TENANTS = "--inventory inventory/tenants"
#: Lines before a line that needs what they leave.
BEFORE = {
    **{
        f"rocefab adopt mine backups/{end}": [
            (
                "rocefab import configs backups --out mine --hosts a100-[1-3] "
                "--model leaf=7050DX4-32S --model spine=7050DX4-32S"
            )
        ]
        for end in ("", " --commit")
    },
    ("rocefab import configs practice --out mine --hosts gpu[001-004] --model spine=7060X6-64PE"): [
        "rocefab render inventory/demo --out practice"
    ],
    **{
        f"rocefab {line}": [
            "rocefab init new-fabric --design rail-optimised --hosts 64 --leaf S9827-64E"
        ]
        for line in ("check new-fabric", "show platforms S9827-64E --inventory new-fabric")
    },
    f"rocefab tenant remove green {_TENANTS}": [f"rocefab tenant add green {_TENANTS}"],
    f"rocefab tenant release-id 1 {_TENANTS}": [
        f"rocefab tenant add green {_TENANTS}",
        f"rocefab tenant remove green {_TENANTS}",
    ],
}
#: The model that docs/reference/models.md writes by hand.
_BY_HAND = re.compile(r"```yaml\n(skus:\n  - name: S9827-64E\n.*?)```", re.DOTALL)
#: What a command ends with where that is not 0.
ENDS_WITH = {
    "rocefab whatif inventory/demo --fail switch:spine01 --fail link:su1-rail0:Ethernet136": 4,
    "rocefab whatif inventory/a100-pcie --all-links --all-switches": 4,
}
#: What a line needs beside the inventory that `init` writes, as its page says.
TRAITS = """\
host:
  container_mode: host-network
  virtual_machine: true
  nic: {model: connectx-7, pci_addresses: ["0000:18:00.0", "0000:98:00.0"]}
  gpu: {pci_addresses: ["0000:19:00.0", "0000:99:00.0"]}
"""
KUBERNETES = "kubernetes: {operator_version: network-operator-v25.7.0}\n"


@cache
def offline() -> list[str]:
    return [line for line in documented() if line not in NOT_RUN and not is_online(line)]


@cache
def online() -> list[str]:
    return [line for line in documented() if line not in NOT_RUN and is_online(line)]


def typed(line: str, folder: Path, *codes: int, **environment: str) -> str:
    """Run a line in a shell; return what it printed."""
    rocefab = shlex.join([sys.executable, "-m", "fabric"])
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("rocefab", rocefab, 1)],
        cwd=folder,
        env={**clean_environment(), "XDG_CACHE_HOME": str(folder / ".cache"), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=_LONGEST_S,
    )
    said = done.stdout + done.stderr
    assert done.returncode in (codes or (0,)), f"{line}: {done.returncode}\n{said}"
    assert "Traceback" not in said
    assert "internal error" not in said
    return said


#: A model as Topograph's own: two leaves in each of two pods.
TOPOGRAPH = """\
switches:
  core: {switches: [pod1, pod2]}
  pod1: {switches: [leaf1, leaf2]}
  pod2: {switches: [leaf3, leaf4]}
blocks:
- {switch: leaf1, nodes: ["n[01-04]"]}
- {switch: leaf2, nodes: ["n[05-08]"]}
- {switch: leaf3, nodes: ["n[09-12]"]}
- {switch: leaf4, nodes: ["n[13-16]"]}
"""


@pytest.fixture(scope="session")
def fabrics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the lines name: the examples, changed, and what earlier lines write."""
    folder = tmp_path_factory.mktemp("fabrics")
    shutil.copytree(ROOT / "inventory", folder / "inventory")
    demo = folder / "inventory" / "demo" / "fabric.yaml"
    demo.write_text(demo.read_text().replace("name: demo\n", "name: unseen\n", 1))
    assert "unseen" in demo.read_text()
    typed("rocefab init my-fabric", folder)
    mine = folder / "my-fabric" / "fabric.yaml"
    mine.write_text(mine.read_text().replace("host:\n", TRAITS, 1) + KUBERNETES)
    grown = shutil.copytree(folder / "my-fabric", folder / "grown") / "fabric.yaml"
    assert "gpu[003-004]" in grown.read_text()
    grown.write_text(grown.read_text().replace("gpu[003-004]", "gpu[003-005]", 1))
    shutil.copytree(ROOT / "inventory" / "site", folder / "my-site")
    typed("rocefab export dot inventory/demo > topology.dot", folder)
    typed("rocefab export slurm inventory/rail-512 > topology.conf", folder)
    (folder / "nvl72.yaml").write_text(TOPOGRAPH)
    (folder / "nics.yaml").write_text(filled(TEMPLATE, 6))
    folder_of(of_example("demo"), folder / "outputs", {"switch"})
    typed("rocefab export csv inventory/rail-512 --what cabling > cables.csv", folder)
    typed("rocefab render inventory/demo --out rendered", folder)
    rendered = folder / "rendered" / "switches" / "su1-rail0" / "config_db.json"
    running = json.loads(rendered.read_text(encoding="utf-8"))
    running["DEVICE_METADATA"]["localhost"]["mac"] = "52:54:00:00:00:01"
    (folder / "config_db.json").write_text(json.dumps(running), encoding="utf-8")
    typed("rocefab render inventory/a100-pcie --out rendered --force", folder)
    (folder / "backups").mkdir()
    for switch in (folder / "rendered" / "switches").iterdir():
        if (switch / "startup-config.eos").exists():
            shutil.copy(switch / "startup-config.eos", folder / "backups" / f"{switch.name}.cfg")
    shutil.copy(folder / "backups" / "rack1-leaf.cfg", folder / "leaf01.cfg")
    typed("rocefab render inventory/demo --out running", folder)
    (folder / "saved").mkdir()
    session = f"leaf1# show module\n{NXOS_MODULE}"
    (folder / "saved" / "leaf1.txt").write_text(session)
    model = folder / "new-fabric" / "platforms" / "S9827-64E.yaml"
    model.parent.mkdir(parents=True)
    page = (ROOT / "docs" / "reference" / "models.md").read_text()
    model.write_text(_BY_HAND.findall(page)[0])
    state = {"spine01": {"health": "degraded", "capacity": 0.5}}
    text = json.dumps({"format": "rocefab-state/1", "conditions": state})
    (folder / "state.json").write_text(text)
    (folder / "docs").mkdir()
    (folder / "rocefab.pub").write_text("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8mmn rocefab@ops\n")
    (folder / "packing-list.csv").write_text("name,serial\nsu1-rail0,MT2233X00001\n")
    (folder / "burn-in.csv").write_text('hosts,gbyte_s\n"gpu[001-004]",91.0\n')
    (folder / "boot.log").write_text('{"time_s": 1.0, "state": "discovered"}\n')
    # Of another account: its author cannot approve it.
    (folder / "plan.json").write_text(plan_of(folder / "inventory" / "demo").to_json())
    for extra in ("rendered", ".cache"):
        shutil.rmtree(folder / extra, ignore_errors=True)
    return folder


@pytest.fixture
def folder(fabrics: Path, tmp_path: Path) -> Path:
    """A folder of one test."""
    return shutil.copytree(fabrics, tmp_path / "mine")


@pytest.mark.parametrize("verb", VERBS)
def test_commands_without_devices(
    verb: str, fabrics: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """Each line in a folder of its own."""
    lines = [line for line in offline() if line.split()[1] == verb]
    assert lines
    for number, line in enumerate(lines):
        folder = shutil.copytree(fabrics, tmp_path / str(number))
        if line == "rocefab init my-fabric":
            shutil.rmtree(folder / "my-fabric")
        (folder / "state.json").touch()  # the age of a state is that of its file
        with subtests.test(line):
            for earlier in BEFORE.get(line, ()):
                typed(earlier, folder)
            typed(line, folder, ENDS_WITH.get(line, 0), ROCEFAB_SECRET_EOS="$6$salt$abc./123")


def _lines_on(name: str, verbs: str) -> list[str]:
    return [line for line in online() if name in line and line.split()[1] in verbs.split()]


def quicker(line: str) -> str:
    """Return a line that waits two seconds where its page says half a minute or more."""
    return re.sub(r"(--(?:interval|wait)-s) \d{2,}", r"\1 2", line)


@pytest.mark.waits
def test_commands_with_devices(folder: Path) -> None:
    """From the plan to the roll back of run 3, on a lab that only these processes reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", PASSWORD)
        project = Project(folder / "inventory" / "demo")
        with laboratory(project, folder / "lab"):
            words = {
                "ROCEFAB_PASSWORD": PASSWORD,
                "ROCEFAB_CONNECTIONS": str(folder / "lab" / "connections.json"),
            }

            def tell(line: str, *codes: int) -> str:
                return typed(quicker(line), folder, *codes, **words)

            plan, commit = "rocefab plan inventory/demo --out plan.json", "rocefab apply plan.json"
            dry = [line for line in _lines_on("plan.json", "apply") if "--commit" not in line]
            for line in (*_lines_on("inventory/demo", "plan"), *dry, f"{commit} --commit"):
                tell(line)
            tell("rocefab rollback 1 --commit")
            for line in (plan, f"{commit} --commit"):
                tell(line)
            for line in _lines_on(
                "inventory/demo", "verify drift observe cabling probe import prove adopt export"
            ):
                tell(line)
            for line in _lines_on("inventory/demo", "accept"):
                tell(line)
            for line in [line for line in online() if line.split()[1] == "report"]:
                tell(line)
            for line in ("rocefab status", "rocefab status 3", "rocefab rollback 3 --commit"):
                tell(line)
            for line in (line for line in online() if line.startswith("rocefab status --")):
                tell(line)
            tell("rocefab drift inventory/demo --format json", 4)


@pytest.mark.parametrize("name", ["my-fabric", "my-site/fabrics/storage"])
def test_commands_on_a_fabric_of_ones_own(name: str, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", PASSWORD)
        with laboratory(Project(folder / name), folder / "lab"):
            words = {
                "ROCEFAB_PASSWORD": PASSWORD,
                "ROCEFAB_CONNECTIONS": str(folder / "lab" / "connections.json"),
            }
            for line in _lines_on(name, "plan"):
                typed(line, folder, **words)
            if name == "my-fabric":
                for line in ("rocefab apply plan.json", "rocefab apply plan.json --commit"):
                    typed(line, folder, **words)
                for line in _lines_on(name, "verify accept"):
                    typed(line, folder, **words)


@pytest.mark.waits
def test_a_fabric_grows(folder: Path) -> None:
    """The new host takes nothing from the others: no option says that the traffic is stopped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", PASSWORD)
        with laboratory(Project(folder / "grown"), folder / "lab"):
            words = {
                "ROCEFAB_PASSWORD": PASSWORD,
                "ROCEFAB_CONNECTIONS": str(folder / "lab" / "connections.json"),
            }
            said = typed("rocefab plan my-fabric --out plan.json", folder, **words)
            assert said.count("not in the inventory, and not used: gpu005") == 1
            typed("rocefab apply plan.json --commit", folder, **words)
            (planned,) = _lines_on("grown", "plan")
            said = typed(planned, folder, **words)
            assert "can be lost" not in said
            assert said.count("each unit keeps all of its bandwidth") == said.count("\nwave ") > 1
            risks = [line for line in said.splitlines() if "risk: " in line]
            switches = [line for line in risks if re.search(r"\(\w+ (leaf|spine)", line)]
            assert switches
            assert [line for line in switches if not line.endswith(", risk: harmless")] == []
            for line in _lines_on("grown", "apply verify"):
                typed(line, folder, **words)


def test_every_printed_command_is_run() -> None:
    run = {
        *(line for line in offline() if line.split()[1] in VERBS),
        *_lines_on(
            "inventory/demo",
            "plan verify drift observe cabling probe import prove accept adopt export",
        ),
        *_lines_on("my-", "plan verify accept"),
        *_lines_on("grown", "plan apply verify"),
        *_lines_on("plan.json", "apply"),
        *(line for line in online() if line.split()[1] in {"status", "rollback", "report"}),
    }
    assert {*online(), *offline()} == run
    assert set(NOT_RUN) <= set(documented())
