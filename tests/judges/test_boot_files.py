"""A device from the box, with no code of ours: DHCP by dnsmasq, and its file by HTTP."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fabric.boot.log import State, read_log, states
from fabric.core.exports import export, exporters
from fabric.render.output import write
from tests.boot.fabrics import HASH, boot
from tests.judges.conftest import missing_judge

#: What the client does with its lease: it takes the address, and fetches the file.
SCRIPT = """#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr add "$ip/22" dev client
busybox wget -q -O "$OUT" "$bootfile" && echo "$ip $bootfile"
busybox wget -q -O - "${bootfile%/*}/spine01.cfg" >/dev/null 2>&1 && echo stolen
ip addr del "$ip/22" dev client
"""
NAMESPACE = """
set -eu
mount -t tmpfs none /run
mkdir /run/netns
ip netns add client
ip link add server type veth peer name client netns client
ip addr add 192.168.0.2/22 dev server
ip link set server up
ip link set lo up
ip -n client link set client up
dnsmasq --keep-in-foreground --conf-file="$FOLDER/ztp/dnsmasq.conf" --user=root \\
    --dhcp-leasefile=/run/leases --pid-file= >"$FOLDER/dnsmasq.log" 2>&1 &
dhcp=$!
"$PYTHON" -m fabric serve "$FOLDER/inventory" --ztp "$FOLDER/ztp" --listen 192.168.0.2:8781 \\
    --boot-log "$FOLDER/boot.log" >"$FOLDER/serve.log" 2>&1 &
files=$!
tries=0
until grep -q ^serving "$FOLDER/serve.log" || [ $tries -gt 300 ]; do
    tries=$((tries + 1))
    sleep 0.2
done
ip netns exec client timeout 20 busybox udhcpc -i client -q -n -f -t 5 -T 1 -s "$FOLDER/script" \\
    -O 67 -C -x "61:$CLIENT"
kill "$dhcp" "$files"
"""


def test_a_switch_gets_its_file_and_no_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not all(map(shutil.which, ("dnsmasq", "busybox", "unshare", "ip"))):
        missing_judge("dnsmasq and busybox (Debian packages dnsmasq-base, busybox-static)")
    if subprocess.run(["unshare", "-mn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("namespaces cannot be made here; servers are asked where the tests run as root")
    monkeypatch.setenv("ROCEFAB_SECRET_BOOT", HASH)
    (tmp_path / "inventory").mkdir()
    made = boot(tmp_path / "inventory", hashes=("env:boot",))
    write(export(made, exporters["ztp"]).files, tmp_path / "ztp", force=False)
    script = tmp_path / "script"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    words = {
        "FOLDER": str(tmp_path),
        "PYTHON": sys.executable,
        "OUT": str(tmp_path / "fetched"),
        "CLIENT": b"SONiC##E1031##ABC123".hex(),
    }
    ended = subprocess.run(
        ["unshare", "-mn", "sh", "-c", NAMESPACE],
        env={**os.environ, **words},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    said = ended.stdout + ended.stderr + (tmp_path / "serve.log").read_text()
    assert "192.168.0.193 http://192.168.0.2:8781/su1-rail0.json" in ended.stdout, said
    assert "stolen" not in ended.stdout
    wanted = (tmp_path / "ztp" / "http" / "su1-rail0.json").read_bytes()
    assert (tmp_path / "fetched").read_bytes() == wanted
    records = read_log(tmp_path / "boot.log")
    assert states(records, ["su1-rail0"]) == {"su1-rail0": State.CONFIGURED}
    assert "the file is of another device" in {record.refused for record in records}
