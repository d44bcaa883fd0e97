"""The playbooks, run by the real Ansible: on a root of their own, over SSH, against the lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fabric.workflow.ansible import inventory
from fabric.workflow.project import Project
from fabric.workflow.render import render
from tests.playbooks.ssh_root import ssh_server
from tests.workflow.host_lab import DEMO, applied_lab

pytest.importorskip("ansible", reason="ansible-core is a development dependency: run `make lint`")

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
BIN = Path(sys.executable).parent
TOOLS = "modprobe netplan sysctl systemctl mlnx_qos cma_roce_mode cma_roce_tos ethtool".split()
HOST = "gpu001"
SYSCTL = "etc/sysctl.d/90-rocefab.conf"


class Site:
    """A folder with inventory, rendered files, a root for one host, and tools that only log."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "root"
        project = Project(DEMO)
        (folder / "hosts.yml").write_text(inventory(project))
        render(project, folder / "out")
        for name in ("netplan", "sysctl.d", "systemd/system"):
            (self.root / "etc" / name).mkdir(parents=True)
        (folder / "bin").mkdir()
        for name in TOOLS:
            tool = folder / "bin" / name
            tool.write_text(f'#!/bin/sh\necho "{name} $*" >> {folder}/calls\n')
            tool.chmod(0o755)
        self.variables = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "rocefab_become": False,
            "rocefab_root": str(self.root),
            "rocefab_out": "out",
            "rocefab_kept": "kept",
        }

    @property
    def calls(self):
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def files(self):
        return {
            str(path.relative_to(self.root)): (path.read_text(), path.stat().st_mode & 0o777)
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def run(self, *words, **variables):
        """Run a command of Ansible; return its code, output and counts of the host."""
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}:{BIN}:{os.environ['PATH']}",
            "ANSIBLE_HOME": str(self.folder / ".ansible"),
            "ANSIBLE_LOCAL_TEMP": str(self.folder / ".ansible" / "tmp"),
            "ANSIBLE_REMOTE_TEMP": str(self.folder / ".ansible" / "remote"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_SSH_PASSWORD_MECHANISM": "ssh_askpass",
            "ANSIBLE_SSH_ARGS": "-o ControlMaster=no",
        }
        extra = json.dumps({**self.variables, **variables})
        done = subprocess.run(
            [str(BIN / words[0]), "-i", "hosts.yml", *words[1:], "-e", extra],
            cwd=self.folder,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=90,
        )
        return done.returncode, done.stdout + done.stderr

    def play(self, name, *words, **variables):
        code, text = self.run(
            "ansible-playbook",
            str(PLAYBOOKS / name),
            "-l",
            f"{HOST},localhost",
            *words,
            **variables,
        )
        assert code == 0, text
        return text


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def recap(text):
    line = next(line for line in text.splitlines() if line.startswith(f"{HOST} ") and "ok=" in line)
    return dict(word.split("=") for word in line.partition(":")[2].split())


def test_check_mode_shows_and_changes_nothing(site):
    text = site.play("hosts.yml", "--check", "--diff")
    assert "+net.ipv4.conf.eth1.arp_ignore = 1" in text
    assert "+    mlnx_qos -i eth1" in text
    assert site.files() == {}
    assert site.calls == []
    assert not (site.folder / "kept").exists()


def test_files_arrive_with_their_modes_and_are_put_into_force_once(site):
    site.play("hosts.yml")
    found = site.files()
    project = Project(DEMO)
    expected = {
        item.path.partition("rootfs/")[2]: item.text
        for item in project.host_artefacts[HOST]
        if "rootfs/" in item.path
    }
    assert {path: text for path, (text, _) in found.items()} == expected
    assert found["etc/netplan/60-rocefab.yaml"][1] == 0o600
    assert found["etc/rocefab/apply.sh"][1] == 0o755
    assert sum(call == "netplan apply" for call in site.calls) == 1
    before = len(site.calls)
    again = recap(site.play("hosts.yml"))
    assert (again["changed"], len(site.calls)) == ("0", before)


def test_rollback_brings_back_what_was_there(site):
    site.play("hosts.yml")
    own = site.root / SYSCTL
    own.write_text("net.ipv4.conf.eth1.arp_ignore = 0\n")
    before = site.files()
    text = site.play("hosts.yml", "--diff")
    assert "-net.ipv4.conf.eth1.arp_ignore = 0" in text
    assert site.files() != before
    site.play("hosts.yml")  # a run that changes nothing forgets nothing
    calls = len(site.calls)
    site.play("rollback.yml")
    assert site.files() == before
    assert len(site.calls) > calls


def test_rollback_of_the_first_run_leaves_nothing(site):
    site.play("hosts.yml")
    site.play("rollback.yml")
    assert site.files() == {}


def test_rollback_without_a_run_does_nothing(site):
    (site.root / SYSCTL).write_text("own\n")
    site.play("rollback.yml")
    assert site.files()[SYSCTL][0] == "own\n"


def test_a_script_that_fails_fails_the_play(site):
    tool = site.folder / "bin" / "netplan"
    tool.write_text("#!/bin/sh\nexit 78\n")
    code, text = site.run("ansible-playbook", str(PLAYBOOKS / "hosts.yml"), "-l", HOST)
    assert code == 2
    assert recap(text)["failed"] == "1"


def test_over_ssh_to_a_host_with_python(site, tmp_path):
    with ssh_server(f"{site.folder / 'bin'}:{os.environ['PATH']}") as (port, key):
        known = tmp_path / "known_hosts"
        known.write_text(f"[127.0.0.1]:{port} {key}\n")
        ssh = {
            "ansible_connection": "ssh",
            "ansible_host": "127.0.0.1",
            "ansible_port": port,
            "ansible_user": "ops",
            "ansible_password": "lab-password",
            "ansible_ssh_common_args": f"-o UserKnownHostsFile={known}",
        }
        site.play("hosts.yml", **ssh)
        assert "etc/rocefab/apply.sh" in site.files()
        site.play("rollback.yml", **ssh)
        assert site.files() == {}
        refused = {**ssh, "ansible_password": "wrong"}
        code, _ = site.run("ansible-playbook", str(PLAYBOOKS / "hosts.yml"), "-l", HOST, **refused)
        assert code == 4


def test_groups_and_files_of_the_inventory(site):
    tree = yaml.safe_load((site.folder / "hosts.yml").read_text())["all"]["children"]
    assert list(tree["unit_su1"]["hosts"]) == ["gpu001", "gpu002"]
    assert list(tree["rail_1"]["hosts"]) == ["gpu001", "gpu002", "gpu003", "gpu004"]
    assert list(tree["leaf_su2_rail0"]["hosts"]) == ["gpu003", "gpu004"]
    assert list(tree["spine"]["hosts"]) == ["spine01", "spine02"]
    assert set(tree["platform_sonic"]["hosts"]) == set(tree["leaf"]["hosts"])
    code, text = site.run("ansible-inventory", "--list")
    assert code == 0, text
    listed = json.loads(text[text.index("{") :])
    assert set(listed["gpu_hosts"]["hosts"]) == {"gpu001", "gpu002", "gpu003", "gpu004"}
    assert "Invalid characters" not in text
    for item in listed["_meta"]["hostvars"][HOST]["rocefab_files"]:
        assert (site.folder / "out" / item["src"]).is_file()


def test_against_the_lab_over_ssh(site, monkeypatch):
    """The hosts of the lab have no Python: raw commands reach them, and rocefab itself does."""
    with applied_lab(site.folder, monkeypatch) as (lab, project, connections):
        (site.folder / "hosts.yml").write_text(inventory(project, connections))
        known = site.folder / "known_hosts"
        known.write_text(
            "".join(f"[127.0.0.1]:{lab[name].port} {lab[name].trust}\n" for name in project.hosts)
        )
        ssh = {
            "ansible_connection": "ssh",
            "ansible_password": "lab-password",
            "ansible_ssh_common_args": f"-o UserKnownHostsFile={known}",
        }
        raw = ("-m", "ansible.builtin.raw", "-a", "mlnx_qos -i eth1 -P 3")
        code, text = site.run("ansible", "gpu_hosts", *raw, **ssh)
        assert code == 0, text
        assert text.count("rc=0 >>\n1\n") == 4, text
        command = site.folder / "bin" / "rocefab"
        command.write_text(
            f'#!/bin/sh\nPYTHONPATH={PLAYBOOKS.parent} exec {sys.executable} -m fabric "$@"\n'
        )
        command.chmod(0o755)
        places = {
            "rocefab_inventory": str(DEMO),
            "rocefab_connections": str(connections),
            "rocefab_only": "gpu[001-004]",
            "rocefab_wait_s": "0",
        }
        site.play("verify.yml", **places)
        lab[HOST].run_detached("mlnx_qos -i eth1 -f 0,0,0,0,0,0,0,0")
        code, text = site.run("ansible-playbook", str(PLAYBOOKS / "verify.yml"), **places)
        assert code == 2
        assert "H2 eth1" in text


@pytest.mark.parametrize("name", sorted(path.name for path in PLAYBOOKS.glob("*.yml")))
def test_syntax(site, name):
    if name == "defaults.yml":
        assert isinstance(yaml.safe_load((PLAYBOOKS / name).read_text()), dict)
        return
    code, text = site.run("ansible-playbook", str(PLAYBOOKS / name), "--syntax-check")
    assert code == 0, text
