"""The playbooks, run by the real Ansible: on a root of their own, over SSH, against the lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fabric.workflow.exporters.ansible import inventory
from fabric.workflow.project import Project
from fabric.workflow.render import render
from tests.playbooks.ssh_root import ssh_server
from tests.waiting import LONGEST_S
from tests.workflow.host_lab import DEMO, applied_lab

pytest.importorskip("ansible", reason="ansible-core is a development dependency: run `make lint`")

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
BIN = Path(sys.executable).parent
HOST = "gpu001"
SYSCTL = "etc/sysctl.d/zz-rocefab.conf"
APPLY = "etc/rocefab/apply.sh"
#: Files that are carried here: two modes. Each costs Ansible a process in each of six loops.
CARRIED = {SYSCTL: 0o644, APPLY: 0o755}


class Site:
    """A folder with inventory, rendered files and a root for one host; apply.sh only logs."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "root"
        project = Project(DEMO)
        tree = yaml.safe_load(inventory(project))
        for host in tree["all"]["children"]["gpu_hosts"]["hosts"].values():
            files = host["rocefab_files"]
            host["rocefab_files"] = [item for item in files if item["dest"].lstrip("/") in CARRIED]
        (folder / "hosts.yml").write_text(yaml.safe_dump(tree))
        render(project, folder / "out")
        self.script(f"echo applied >> {folder}/calls")
        for path in CARRIED:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)

    def script(self, line):
        """Give the host another apply.sh than the rendered one, which sets up real NICs."""
        path = self.folder / "out" / "hosts" / HOST / "rootfs" / APPLY
        assert path.is_file()
        path.write_text(f"#!/bin/sh\n{line}\n")

    @property
    def variables(self):
        return {
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
            "PATH": f"{self.folder}:{BIN}:{os.environ['PATH']}",
            "ANSIBLE_PIPELINING": "1",
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
            timeout=2 * LONGEST_S,
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


def test_check_mode_then_a_run_then_the_same_again(site):
    text = site.play("hosts.yml", "--check", "--diff")
    assert "+net.ipv4.conf.eth1.arp_ignore = 1" in text
    assert (site.files(), site.calls) == ({}, [])
    assert not (site.folder / "kept").exists()
    site.play("hosts.yml")
    out = site.folder / "out" / "hosts" / HOST / "rootfs"
    expected = {path: ((out / path).read_text(), mode) for path, mode in CARRIED.items()}
    assert (site.files(), site.calls) == (expected, ["applied"])
    again = recap(site.play("hosts.yml"))
    assert (again["changed"], site.calls) == ("0", ["applied"])
    site.play("rollback.yml")  # the first run found nothing
    assert (site.files(), site.calls) == ({}, ["applied"])


def test_rollback_brings_back_what_was_there(site):
    (site.root / SYSCTL).write_text("own\n")
    site.play("rollback.yml")  # without a run it does nothing
    assert site.files()[SYSCTL][0] == "own\n"
    (site.root / APPLY).write_text(f"#!/bin/sh\necho back >> {site.folder}/calls\n")
    (site.root / APPLY).chmod(0o755)
    (site.root / SYSCTL).write_text("net.ipv4.conf.eth1.arp_ignore = 0\n")
    before = site.files()
    text = site.play("hosts.yml", "--diff")
    assert "-net.ipv4.conf.eth1.arp_ignore = 0" in text
    site.play("hosts.yml")  # a run that changes nothing forgets nothing
    site.play("rollback.yml")
    assert (site.files(), site.calls) == (before, ["applied", "back"])


def test_a_fabric_beside_another_has_its_own_script_and_its_own_way_back(site):
    theirs = site.root / APPLY
    theirs.write_text(f"#!/bin/sh\necho theirs >> {site.folder}/calls\n")
    theirs.chmod(0o755)
    (site.root / SYSCTL).write_text("theirs\n")
    before = site.files()
    tree = yaml.safe_load((site.folder / "hosts.yml").read_text())
    host = tree["all"]["children"]["gpu_hosts"]["hosts"][HOST]
    host["rocefab_namespace"] = "storage"
    for item in host["rocefab_files"]:
        item["dest"] = {
            f"/{SYSCTL}": "/etc/sysctl.d/zz-rocefab-storage.conf",
            f"/{APPLY}": "/etc/rocefab/storage/apply.sh",
        }[item["dest"]]
    (site.folder / "hosts.yml").write_text(yaml.safe_dump(tree))
    site.play("hosts.yml")
    assert site.calls == ["applied"]
    new = {"etc/sysctl.d/zz-rocefab-storage.conf", "etc/rocefab/storage/apply.sh"}
    assert {*site.files()} == {*before} | new
    assert [path.name for path in (site.folder / "kept").iterdir()] == [f"{HOST}.storage"]
    site.play("rollback.yml")
    assert (site.files(), site.calls) == (before, ["applied"])


def test_a_script_that_fails_fails_the_play(site):
    site.script("exit 78")
    code, text = site.run("ansible-playbook", str(PLAYBOOKS / "hosts.yml"), "-l", HOST)
    assert code == 2
    assert recap(text)["failed"] == "1"


def test_over_ssh_to_a_host_with_python(site, tmp_path):
    with ssh_server(os.environ["PATH"]) as (port, key):
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
        assert (set(site.files()), site.calls) == (set(CARRIED), ["applied"])
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


def test_every_rendered_file_is_in_the_inventory(site):
    tree = yaml.safe_load(inventory(Project(DEMO)))["all"]["children"]
    files = tree["gpu_hosts"]["hosts"][HOST]["rocefab_files"]
    out = site.folder / "out"
    rendered = {
        str(path.relative_to(out))
        for path in (out / "hosts" / HOST).rglob("rootfs/**/*")
        if path.is_file()
    }
    assert {item["src"] for item in files} == rendered
    modes = {item["dest"].lstrip("/"): int(item["mode"], 8) for item in files}
    assert modes.items() >= CARRIED.items()


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
        command = site.folder / "rocefab"
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
