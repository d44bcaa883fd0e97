"""Bootstrap files of each system, and the script of POAP as a switch runs it."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from fabric.boot.leases import boot_of
from fabric.boot.model import Device, OsImage
from fabric.core.artefact import Artefact
from fabric.platforms import platforms
from fabric.systems.junos.platforms.hierarchy import read_tree
from tests.boot.fabrics import KEY, RSA_KEY, URL, order

GOLDEN = Path(__file__).parents[1] / "golden" / "boot" / "systems"
SHA512 = "$6$saltsalt$abcdefghijklmnopqrstuvwxyz0123456789./ABC"
HASHES = {
    "nxos": "$5$saltsalt$abcdefghijklmnopqrstuvwxyz0123456789./ABC",
    "junos": SHA512,
    "vrp8": "$1d$+,JS+))\\\\2$KVNj(.3`_5x0FCKGv}H&.kUTI`Ff&H*eBqO.ua>)$",
    "comware7": "$h$6$CqMnWdX6LIW/hz2Z$4+0Pumk+A98VlGVgqN3n/mEi7hJka9fEZpRZIpSNi9b==",
    "esonic": SHA512,
    "cumulus": SHA512,
    "eos": SHA512,
    "sonic": SHA512,
}
SUBNET = IPv4Network("192.168.0.0/22")
CLI = """
import os, shutil
def cli(line):
    with open(os.environ["LOG"], "a") as log:
        log.write(line + "\\n")
    asked = " md5sum" in line or line == "show version"
    return os.environ["SAYS"] if asked else ""
"""


def device(system: str) -> Device:
    return Device(
        "leaf1", system, "", "ABC123", "02:00:00:00:00:12", "", "192.168.0.193", "192.168.0.1",
        SUBNET, platforms[system].vrf(""),
    )  # fmt: skip


def files(system: str, rendered: tuple[Artefact, ...] = ()) -> dict[str, str]:
    boot = boot_of(system)
    assert boot is not None
    made = order(device(system), rendered, HASHES[system])
    return {one.path.removeprefix("http/"): one.text for one in boot.files(made)}


@pytest.mark.parametrize("system", HASHES)
def test_files_as_an_engineer_reviews_them(system: str, update_golden: bool) -> None:
    for path, text in files(system).items():
        golden = GOLDEN / system / path
        if update_golden:
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("system", HASHES)
def test_dhcp_names_a_file_that_is_there(system: str) -> None:
    boot = boot_of(system)
    assert boot is not None
    assert boot.file(device(system)) in files(system)
    assert re.fullmatch(boot.hash_form, HASHES[system])
    assert not re.fullmatch(boot.hash_form, f"{HASHES[system]}\nline")
    assert HASHES[system].startswith(boot.hashes)


def test_the_sum_of_poap_is_that_of_the_script_without_it(tmp_path: Path) -> None:
    script = tmp_path / "leaf1.py"
    script.write_text(files("nxos")["leaf1.py"], encoding="utf-8")
    rest = subprocess.run(
        ["sed", "/^#md5sum/d", str(script)], capture_output=True, check=True
    ).stdout
    digest = hashlib.md5(rest, usedforsecurity=False).hexdigest()
    assert script.read_text().splitlines()[1] == f'#md5sum="{digest}"'


def poap(folder: Path, serial: str = "ABC123", config: str = "") -> tuple[int, Sequence[str], str]:
    """Run the script as a switch does; return how it ended, its commands, and what it says."""
    made = files("nxos")
    content = (config or made["leaf1.cfg"]).encode()
    says = hashlib.md5(content, usedforsecurity=False).hexdigest() + "\n"
    return poap_run(folder, made["leaf1.py"], says, serial)


def poap_run(
    folder: Path, script: str, says: str, serial: str = "ABC123"
) -> tuple[int, Sequence[str], str]:
    """Run a script with a module ``cli`` that says always the same."""
    (folder / "cli.py").write_text(CLI)
    (folder / "leaf1.py").write_text(script)
    log = folder / "log"
    log.touch()
    environment = {
        **os.environ,
        "LOG": str(log),
        "SAYS": says,
        "POAP_SERIAL": serial,
        "POAP_VRF": "management",
    }
    ended = subprocess.run(
        [sys.executable, str(folder / "leaf1.py")],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return ended.returncode, log.read_text().splitlines(), ended.stderr


IMAGE = OsImage(f"{URL}/images/nxos.bin", '10.4(3)"', hashlib.sha256(b"an image").hexdigest())


@pytest.mark.parametrize(
    ("content", "runs", "installs"),
    [(b"an image", "10.3(5)", True), (b"an image", '10.4(3)"', False), (b"other", "10.3(5)", None)],
    ids=["another release runs", "its release runs", "another image"],
)
def test_poap_installs_an_image_with_its_checksum(
    tmp_path: Path, content: bytes, runs: str, installs: bool | None
) -> None:
    boot = boot_of("nxos")
    assert boot is not None
    made = boot.files(replace(order(device("nxos"), (), HASHES["nxos"]), image=IMAGE))
    config, script = [one.text for one in made]
    (tmp_path / "nxos.bin").write_bytes(content)
    says = f"{hashlib.md5(config.encode(), usedforsecurity=False).hexdigest()} version {runs}\n"
    script = script.replace('"/bootflash"', repr(str(tmp_path)))
    code, commands, message = poap_run(tmp_path, script, says)
    boot_commands = [line for line in commands if "boot nxos bootflash:nxos.bin" in line]
    if installs is None:
        assert (code, boot_commands, "is not the image" in message) == (1, [], True)
        return
    assert (code, message, bool(boot_commands)) == (0, "", installs)
    assert commands[-1] == "copy bootflash:rocefab.cfg scheduled-config"
    if installs:
        assert commands[-2] == "copy running-config startup-config"


def test_poap_lets_the_switch_start_with_its_file(tmp_path: Path) -> None:
    assert poap(tmp_path) == (
        0,
        [
            f"terminal dont-ask ; copy {URL}/leaf1.cfg bootflash:rocefab.cfg vrf management",
            "show file bootflash:rocefab.cfg md5sum",
            "copy bootflash:rocefab.cfg scheduled-config",
        ],
        "",
    )


def test_poap_takes_no_other_file_and_no_other_switch(tmp_path: Path) -> None:
    code, commands, message = poap(tmp_path, config="username evil")
    assert (code, len(commands)) == (1, 2)
    assert "is not the file that was written" in message
    (tmp_path / "log").unlink()
    code, commands, message = poap(tmp_path, serial="ABC124")
    assert (code, commands) == (1, [])
    assert "the switch has serial ABC124, and its script is for ABC123" in message


def test_junos_with_its_whole_configuration() -> None:
    whole = Artefact("leaf1", "junos", "set", "x", b"set system arp aging-timer 5\n")
    lines = [words for _, words in read_tree(files("junos", (whole,))["leaf1.conf"])]
    assert ("system", "arp", "aging-timer", "5") in lines
    assert ("system", "login", "user", "rocefab", "authentication", "ssh-ed25519", KEY) in lines
    assert not [words for words in lines if words[0] == "chassis"]  # it would start ZTP again


def test_vrp8_takes_a_key_of_rsa() -> None:
    boot = boot_of("vrp8")
    assert boot is not None
    made = order(device("vrp8"), (), HASHES["vrp8"])
    account = replace(made.account, key=RSA_KEY)
    text = next(one.text for one in boot.files(replace(made, account=account)) if "aaa" in one.text)
    _, _, rest = text.partition(" public-key-code begin\n")
    lines = rest.partition(" public-key-code end\n")[0].splitlines()
    assert lines[0].startswith("  ssh-rsa AAAA")
    key = RSA_KEY.rpartition(" ")[0]
    assert "".join(line.removeprefix("  ") for line in lines) == key
    assert "ssh user rocefab assign rsa-key rocefab\n" in text
    assert "ssh user rocefab authentication-type all\n" in text


def test_nxos_with_its_whole_configuration() -> None:
    whole = Artefact("leaf1", "nxos", "config", "x", b"feature bgp\n")
    assert files("nxos", (whole,))["leaf1.cfg"].endswith("192.168.0.193/22\nfeature bgp\n")


@pytest.mark.parametrize(("release", "word"), [("5.9", "ip"), ("5.14", "ip"), ("5.15", "ipv4")])
def test_cumulus_uses_the_words_of_its_release(release: str, word: str) -> None:
    boot = boot_of("cumulus")
    assert boot is not None
    (file,) = boot.files(order(replace(device("cumulus"), release=release)))
    assert f"nv set interface eth0 {word} address 192.168.0.193/22\n" in file.text
    assert f"nv set interface eth0 {word} gateway 192.168.0.1\n" in file.text
