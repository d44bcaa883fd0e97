"""Judges of what devices run when they start from the box: shellcheck, dash and cloud-init.

The schema is that of Debian's package cloud-init, which `make judges` unpacks and does not
install: installed, it would configure this machine when it starts.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft4Validator

from fabric.boot.leases import boot_of
from fabric.boot.model import Account, Device, Tls
from fabric.boot.seeds import seed
from fabric.core.artefact import Artefact
from tests.boot.fabrics import HASH, KEY, order
from tests.boot.test_systems import device
from tests.judges.conftest import missing_judge
from tests.render.test_hosts import CASES, case, files

SCHEMA = Path("/var/cache/rocefab-schemas/cloud-config.json")
SHEBANG = "#!/bin/sh\n"
ACCOUNTS = {
    "a key": Account("rocefab", KEY),
    "a hash": Account("rocefab", "", HASH),
    "both": Account("rocefab", KEY, HASH),
}
NV_SET = Artefact("leaf1", "cumulus", "nv-set", "x", b"nv set system timezone Etc/UTC\n")


def program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        missing_judge(f"{name} (Debian package {name})")
    assert path is not None
    return path


def boot_scripts() -> dict[str, str]:
    """Return the scripts of `/bin/sh` of each system, by system and account."""
    scripts = {}
    for system in ("sonic", "esonic", "cumulus"):
        boot = boot_of(system)
        assert boot is not None
        for name, account in ACCOUNTS.items():
            asked = replace(order(device(system), (NV_SET,)), account=account)
            for file in boot.files(asked):
                if file.path.endswith(".sh"):
                    scripts[f"{system}, {name}"] = file.text
    return scripts


def authority_scripts() -> dict[str, str]:
    """Return the script that gives SONiC the authority of HTTPS."""
    boot = boot_of("sonic")
    assert boot is not None
    tls = Tls("https://192.0.2.1:8443", "-----BEGIN CERTIFICATE-----\nMIIB+/=\n-----END-----\n")
    made = boot.files(replace(order(device("sonic")), tls=tls))
    return {file.path: file.text for file in made if file.path.endswith("-ca.sh")}


def host_scripts() -> dict[str, str]:
    """Return the scripts of `/bin/sh` of hosts, by case and path."""
    return {
        f"{name}, {path}": text
        for name, host in CASES
        for path, text in files(case(name, host)).items()
        if text.startswith("#!")
    }


SCRIPTS = {**boot_scripts(), **authority_scripts(), **host_scripts()}


def test_there_are_scripts() -> None:
    assert len(boot_scripts()) == 9
    assert len(authority_scripts()) == 1
    assert len(host_scripts()) >= len(CASES)
    assert not [name for name, text in SCRIPTS.items() if not text.startswith(SHEBANG)]


@pytest.mark.parametrize("judge", ["shellcheck", "dash"])
def test_a_shell_takes_them(tmp_path: Path, judge: str) -> None:
    # SC2016: the hash of a password has dollar signs, which must not expand.
    shellcheck = ["--shell=sh", "--severity=style", "--exclude=SC2016"]
    words = {"shellcheck": shellcheck, "dash": ["-n"]}[judge]
    path, wrong = program(judge), []
    for number, (name, text) in enumerate(SCRIPTS.items()):
        file = tmp_path / f"{number}.sh"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [path, *words, str(file)], capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode or done.stdout or done.stderr:
            wrong.append(f"{name}: {done.stdout}{done.stderr}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("judge", ["shellcheck", "dash"])
def test_a_script_that_is_none(tmp_path: Path, judge: str) -> None:
    file = tmp_path / "broken.sh"
    file.write_text(f"{SHEBANG}if true; then\n")
    words = [program(judge), *(["-n"] if judge == "dash" else []), str(file)]
    assert subprocess.run(words, capture_output=True, timeout=60, check=False).returncode


def kind_of(text: str) -> str:
    return "apply-script" if text.startswith("#!") else "file"


def user_data(account: Account, name: str = "a100-pcie") -> dict[str, Any]:
    """Return the user data of a seed with all rendered files of a host."""
    host = next(host for case_name, host in CASES if case_name == name)
    rendered = tuple(
        Artefact(host, "host", kind_of(text), f"{host}/{path}", text.encode())
        for path, text in files(case(name, host)).items()
    )
    own = Device(
        host, "host", "", "S1", "02:00:00:00:00:01", "", "192.168.0.9", "192.168.0.1",
        IPv4Network("192.168.0.0/24"),
    )  # fmt: skip
    made = seed(replace(order(own, rendered), account=account), "eno1")
    (text,) = [one.text for one in made if one.path.endswith("user-data")]
    assert text.startswith("#cloud-config\n")
    content: dict[str, Any] = yaml.safe_load(text)
    return content


def schema() -> Draft4Validator:
    if not SCHEMA.exists():
        missing_judge("the schema of cloud-init (Debian package cloud-init, unpacked)")
    return Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ACCOUNTS)
def test_cloud_init_takes_the_seed(name: str) -> None:
    content = user_data(ACCOUNTS[name])
    assert {"hostname", "users", "write_files", "runcmd"} <= content.keys()
    assert [error.message for error in schema().iter_errors(content)] == []


def test_cloud_init_takes_no_other_form() -> None:
    content = user_data(ACCOUNTS["both"])
    content["write_files"][0]["encoding"] = "base32"
    content["users"][1]["lock_passwd"] = "perhaps"
    assert len([*schema().iter_errors(content)]) == 2
