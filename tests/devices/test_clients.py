"""Client libraries are imported in threads, beside other imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: A fresh process: napalm is imported once. The finder fails as ``jnpr.junos.facts`` does there.
SCRIPT = """
import sys
from fabric.devices.clients import napalm_part
left = int(sys.argv[1])
class Finder:
    def find_spec(name, path=None, target=None):
        global left
        if name == "jnpr.junos.facts" and left > 0:
            left -= 1
            raise RuntimeError("dictionary changed size during iteration")
sys.meta_path.insert(0, Finder)
print(napalm_part("junos").JunOSDriver.__name__, left)
"""


@pytest.mark.parametrize("failures", [0, 3])
def test_napalm_beside_other_imports(failures: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(failures)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("JunOSDriver 0\n", 0), done.stderr[-2000:]


PARTS = """
import sys
from fabric.devices.clients import napalm_part
nxapi, junos = napalm_part("nxapi_plumbing"), napalm_part("junos")
print(junos is napalm_part("junos"), "napalm.eos" in sys.modules)
from napalm import get_network_driver
print(get_network_driver("junos") is junos.JunOSDriver, "napalm.eos" in sys.modules)
import napalm.base.helpers
print(napalm.nxapi_plumbing is nxapi, napalm_part("eos") is napalm.eos, napalm.__version__[0])
"""


def test_one_system_is_imported_and_the_whole_package_can_follow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PARTS], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [
        "True False",
        "True True",
        "True True 5",
    ], done.stderr
