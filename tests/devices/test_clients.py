"""Client libraries are imported in threads, beside other imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: A fresh process: napalm is imported once. The finder fails as ``jnpr.junos.facts`` does there.
SCRIPT = """
import sys
from fabric.devices.clients import import_napalm
left = int(sys.argv[1])
class Finder:
    def find_spec(name, path=None, target=None):
        global left
        if name == "jnpr.junos.facts" and left > 0:
            left -= 1
            raise RuntimeError("dictionary changed size during iteration")
sys.meta_path.insert(0, Finder)
print(import_napalm().get_network_driver("eos").__name__, left)
"""


@pytest.mark.parametrize("failures", [0, 3])
def test_napalm_beside_other_imports(failures: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(failures)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("EOSDriver 0\n", 0), done.stderr[-2000:]
