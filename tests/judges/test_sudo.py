"""Real sudo: it takes the files, allows what is listed, and refuses whatever is near it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess

import pytest

from fabric.core.exports import export, exporters
from fabric.devices.sudo import PCI_ADDRESS, sudoers
from fabric.workflow.exporters.rights import Account
from fabric.workflow.project import Project
from tests.change import labs
from tests.judges.conftest import missing_judge
from tests.workflow.test_rights import DCB_HOST, HOST, SYSTEMS

ACCOUNT = "nobody"
#: Words that sudoers has signs for.
STRANGE = [
    r"sysctl -a -r ^net\.ipv[46]\.(default|Vlan[0-9]+)\.x$",
    "cat /x/a,b:c=d*?e",
    "test ! -e /x",
    f"setpci -s {PCI_ADDRESS} CAP_EXP+08.w",
]


@pytest.fixture
def files(tmp_path):
    """Return sudoers of hosts and switches, each file as a text."""
    texts = {}
    for name, text in {**SYSTEMS, "dcb": labs.INVENTORY.replace(HOST, DCB_HOST)}.items():
        project = Project(labs.write_inventory(tmp_path / name, text))
        made = export(Account(project, ACCOUNT), exporters["rights"]).files
        texts |= {f"{name}-{f.path.replace('/', '-')}": f.text for f in made if "sudo" in f.path}
    return texts


def test_sudo_takes_each_file(files, tmp_path):
    if not (visudo := shutil.which("visudo") or shutil.which("/usr/sbin/visudo")):
        missing_judge("visudo (Debian package sudo)")
    for name, text in files.items():
        path = tmp_path / name.partition(".")[0]
        path.write_text(text)
        done = subprocess.run([visudo, "-cf", path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def allowed(tmp_path, lines, commands):
    """Return which commands real sudo allows; its own programs are replaced by empty ones."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for command in commands:
        program = folder / command.split()[0]
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    plain = [re.sub(r"(NOPASSWD: )/\S*/", rf"\1{folder}/", line) for line in lines]
    rules = tmp_path / "sudoers"
    rules.write_text("\n".join([f"Defaults secure_path={folder}", *plain, ""]))
    rules.chmod(0o440)
    asks = "\n".join(
        f"sudo -U {ACCOUNT} -l -- {shlex.join(command.split())} >/dev/null 2>&1; echo $?"
        for command in commands
    )
    script = f"mount --bind {rules} /etc/sudoers && {{ {asks}\n}}"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    if done.returncode and not done.stdout:
        pytest.skip(f"mounts are not allowed here: {done.stderr.strip()[:80]}")
    codes = done.stdout.split()
    assert len(codes) == len(commands)
    return {command for command, code in zip(commands, codes, strict=True) if code == "0"}


def commands_of(text):
    """Return the commands that a file lists, as they are typed."""
    for line in text.splitlines():
        if not line.startswith("#"):
            words = line.rpartition("bin/")[2].removesuffix(' ""')
            words = re.sub(r"(?:\[0-9a-f\])+\\:.*?\[0-7\]", PCI_ADDRESS, words)
            yield re.sub(r"\\(.)", r"\1", words)


def test_sudo_allows_what_is_listed_and_nothing_near_it(files, tmp_path):
    if not shutil.which("sudo"):
        missing_judge("sudo")
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("only root may put another file over /etc/sudoers, in a namespace of mounts")
    reading = [text for name, text in files.items() if name.endswith("reading.sudoers")]
    lines = [one for text in reading for one in text.splitlines() if not one.startswith("#")]
    lines += sudoers(ACCOUNT, STRANGE, {})
    listed = list(dict.fromkeys([*(one for text in reading for one in commands_of(text))]))
    listed = [one for one in listed if "sysctl" not in one] + STRANGE
    near = [text for one in listed for text in variants(one)]
    near += [STRANGE[0].replace("[46]", "4"), "cat /x/a,b:c=dZZe", "cat", "sh", "sh -c id"]
    near += [f"setpci -s {PCI_ADDRESS} CAP_EXP+08.w=1", "setpci -s 0000:00:0:.0 CAP_EXP+08.w"]
    found = allowed(tmp_path, list(dict.fromkeys(lines)), [*listed, *near])
    assert found == set(listed)


def variants(command):
    """Return commands that are not quite this one."""
    program, *words = command.split()
    yield " ".join([program, "-x", *words])
    yield f"{command} /etc/shadow"
    if words:
        yield f"{command}/../../../etc/shadow"
        yield f"{command}x"
