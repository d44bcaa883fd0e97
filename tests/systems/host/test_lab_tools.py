"""The host stand-in: dcb, networkctl, nmcli, PCI registers and files of the kernel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabric.systems.host.lab import HostStandIn
from fabric.systems.host.lab.kernel import BRIDGE
from tests.cases import each
from tests.reference import reference

if TYPE_CHECKING:
    pass

NETWORK = """[Match]
Name=rail0
[Link]
MTUBytes=9000
[Network]
LinkLocalAddressing=no
Address=10.101.1.11/24
[Route]
Destination=10.0.0.0/8
Gateway=10.101.1.1
Table=100
[RoutingPolicyRule]
From=10.101.1.11
Table=100
Priority=100
"""
PROFILE = """[connection]
id=rocefab-rail0
type=ethernet
interface-name=rail0
[ethernet]
mtu=9000
[ipv4]
address1=10.101.1.11/24
method=manual
route1=10.0.0.0/8,10.101.1.1
route1_options=src=10.101.1.11,table=100
routing-rule1=priority 100 from 10.101.1.11 table 100
[ipv6]
method=disabled
"""
NETWORKD_PATH = "/etc/systemd/network/05-rocefab-rail0.network"
PROFILE_PATH = "/etc/NetworkManager/system-connections/rocefab-rail0.nmconnection"


REFUSED = [
    ("dcb", 'Object "" is unknown'),
    ("dcb maxrate show dev rail0", "is unknown"),
    ("dcb pfc show dev rail9", "Cannot find device"),
    ("dcb pfc add dev rail0 prio-pfc 3:on", 'What is "add"?'),
    ("dcb app set dev rail0 dscp-prio 26:3", 'What is "set"?'),
    ("dcb pfc set dev rail0 3:on", 'What is "3:on"?'),
    ("dcb pfc set dev rail0 prio-pfc 8:on", "is not a valid argument"),
    ("dcb pfc set dev rail0 prio-pfc 3:yes", "is not one of on, off"),
    ("dcb ets set dev rail0 tc-tsa all:ets tc-bw all:0 0:50", "Invalid argument"),
    ("dcb ets set dev rail0 tc-bw 0:101", "is out of range"),
    ("dcb app replace dev rail0 dscp-prio 64:3", "is out of range"),
    ("dcb dcbx set dev rail0 lld-managed", "not supported"),
    ("dcb buffer set dev rail0 buffer-size all:0 0:262017", "Invalid argument"),
    ("dcb buffer set dev rail0 prio-buffer 3:5", "Invalid argument"),
    ("dcb -x pfc show dev rail0", "unsupported option"),
    ("networkctl status", "only reload"),
    ("nmcli connection up id nope", "unknown connection"),
    ("nmcli device reapply rail0", "is not active"),
    ("nmcli general", "not supported"),
    ("setpci -s 0000:18:00.0 CAP_MSI+0.w", "not found"),
    ("setpci -s 0000:18:00.0 CAP_EXP+08.w=xyz", "Invalid value"),
    ("arping -U -I rail0 10.0.0.1", "only -q -U"),
    ("arping -q -U -c 3 -I rail0 10.0.0.1", "Cannot assign requested address"),
    ("ethtool --set-tunable rail0 pfc-prevention-tout 79", "Invalid argument"),
    ("ethtool --set-tunable rail0 rx-copybreak 1", "bad command line"),
]


@each(("line", "message"), REFUSED)
def test_what_is_not_known_is_refused(host: HostStandIn, line: str, message: str) -> None:
    code, said = host.run_detached(line)
    assert code != 0
    assert message in said


def shown(host: HostStandIn, what: str) -> Any:
    """Return what dcb shows as JSON."""
    return json.loads(host.run_detached(f"dcb -j {what} show dev rail0")[1])


def test_dcb_and_mlnx_qos_speak_of_one_driver(host: HostStandIn) -> None:
    assert shown(host, "app") == {}
    host.run_detached("dcb pfc set dev rail0 prio-pfc all:off 3:on delay 30")
    host.run_detached("dcb app replace dev rail0 dscp-prio 26:3 48:6")
    host.run_detached("dcb ets set dev rail0 tc-tsa all:ets 6:strict tc-bw all:0 0:10 3:90")
    host.run_detached("dcb dcbx set dev rail0 ieee")
    text = host.run_detached("mlnx_qos -i rail0")[1]
    for line in ("DCBX mode: Firmware controlled", "Cable len: 30", "Priority trust state: dscp"):
        assert line in text
    assert shown(host, "pfc")["prio_pfc"] == [n == 3 for n in range(8)]
    assert shown(host, "app") == {"dscp_prio": [[26, 3], [48, 6]]}
    assert host.run_detached("dcb app flush dev rail0 dscp-prio")[0] == 0
    assert host.qos["rail0"].trust == "pcp"
    assert host.link_flaps("rail0") == 1


def _reference(name: str) -> str:
    return reference("fixtures", "host", name).read_text()


def test_layout_of_dcb(host: HostStandIn) -> None:
    host.run_detached("dcb pfc set dev rail0 prio-pfc 3:on")
    for option, form in (("-j", "json"), ("", "txt")):
        wanted = _reference(f"dcb.simulated.pfc.{form}")
        found = host.run_detached(f"dcb {option} pfc show dev rail0")[1]
        same = (json.loads(found), json.loads(wanted)) if option else (found, wanted)
        assert same[0] == same[1]
    host.run_detached("dcb app replace dev rail0 dscp-prio 0:0 24:3 26:3 48:6")
    wanted = _reference("dcb.simulated.app-numeric.txt")
    assert host.run_detached("dcb -N app show dev rail0")[1] == wanted
    assert shown(host, "app") == json.loads(_reference("dcb.simulated.app.json"))
    assert shown(host, "dcbx") == json.loads(_reference("dcb.simulated.dcbx.json"))


def state(host: HostStandIn) -> dict[str, Any]:
    """Return what addresses, routes and rules there are."""
    link = host.network.state.links["rail0"]
    return {
        "addresses": link.addresses,
        "mtu": link.mtu,
        "local": link.link_local,
        "routes": [(r["dst"], r["gateway"], r["table"]) for r in host.network.state.routes],
        "rules": [(r["src"], r["table"], r["priority"]) for r in host.network.state.rules],
    }


WANTED = {
    "addresses": ["10.101.1.11/24"],
    "mtu": 9000,
    "local": False,
    "routes": [("10.0.0.0/8", "10.101.1.1", "100")],
    "rules": [("10.101.1.11", "100", "100")],
}


def test_networkd(host: HostStandIn) -> None:
    host.fs.put(NETWORKD_PATH, NETWORK)
    assert host.run_detached("networkctl reload") == (0, "")
    assert state(host) == WANTED
    assert host.fs.read("/sys/class/net/rail0/mtu") == "9000\n"
    host.network.state.links["rail0"].addresses.clear()
    host.run_detached("networkctl reload")
    assert state(host)["addresses"] == []  # the file is as it was: nothing is done
    host.on_reboot()
    assert state(host) == WANTED


def test_the_first_file_of_networkd_counts(host: HostStandIn) -> None:
    host.fs.put(NETWORKD_PATH, NETWORK)
    later = NETWORK.replace("9000", "1500")
    host.fs.put("/etc/systemd/network/10-other.network", later)
    host.run_detached("networkctl reload")
    assert state(host)["mtu"] == 9000


@pytest.mark.parametrize("line", ["MTU=9000", "[Bridge]", "Address"])
def test_networkd_refuses_what_it_does_not_know(host: HostStandIn, line: str) -> None:
    host.fs.put(NETWORKD_PATH, f"{NETWORK}{line}\n")
    assert host.run_detached("networkctl reload")[0] == 1
    assert state(host)["addresses"] == []


def test_keyfiles(host: HostStandIn) -> None:
    host.fs.put(PROFILE_PATH, PROFILE)
    host.fs.local(PROFILE_PATH).chmod(0o644)
    host.run_detached("nmcli connection reload")
    assert host.run_detached("nmcli connection up id rocefab-rail0")[0] == 10  # others can read it
    host.fs.local(PROFILE_PATH).chmod(0o600)
    host.run_detached("nmcli connection reload")
    assert host.run_detached("nmcli connection up id rocefab-rail0")[0] == 0
    assert state(host) == WANTED
    asked = "nmcli -g GENERAL.CONNECTION device show rail0"
    assert host.run_detached(asked) == (0, "rocefab-rail0\n")
    host.on_reboot()
    assert state(host) == WANTED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("method=manual", "method=auto"),
        ("mtu=9000", "mtus=9000"),
        ("[ethernet]", "[ethernet]\nmac-address=52:54:00:00:00:99"),
    ],
)
def test_keyfiles_that_do_not_fit_are_refused(host: HostStandIn, old: str, new: str) -> None:
    host.fs.put(PROFILE_PATH, PROFILE.replace(old, new))
    host.fs.local(PROFILE_PATH).chmod(0o600)
    host.run_detached("nmcli connection reload")
    assert host.run_detached("nmcli connection up id rocefab-rail0")[0] != 0
    assert state(host)["addresses"] == []


def test_pci_registers(host: HostStandIn) -> None:
    nic = "setpci -s 0000:18:00.0 CAP_EXP+08.w"
    assert host.run_detached(nic) == (0, "2936\n")
    host.run_detached(f"{nic}=5000:F000")
    assert host.run_detached(nic) == (0, "5936\n")
    host.run_detached(f"setpci -s {BRIDGE} ECAP_ACS+0x6.w=0000")
    assert host.kernel.registers[BRIDGE, "ECAP_ACS+0x6.w"] == 0
    host.on_reboot()
    assert host.run_detached(nic) == (0, "2936\n")


def test_a_new_load_of_the_driver_makes_new_devices(host: HostStandIn) -> None:
    before = host.fs.read("/sys/class/net/rail0/ifindex")
    host.on_reboot()
    assert host.fs.read("/sys/class/net/rail0/ifindex") != before


def test_rdma_cm_forgets_with_the_device(host: HostStandIn) -> None:
    """As a kernel with Soft-RoCE does."""
    path = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"
    host.run_detached("modprobe rdma_cm")
    host.fs.write(path, "104\n")
    host._load_driver()
    assert host.fs.read(path) == "0\n"
    code, said = host.run_detached("mkdir /sys/kernel/config/rdma_cm/mlx5_9")
    assert (code, "No such device" in said) == (1, True)


def test_rdma_cm_by_configfs(host: HostStandIn) -> None:
    folder = "/sys/kernel/config/rdma_cm/mlx5_0"
    write = f"mkdir -p {folder} && echo 104 > {folder}/ports/1/default_roce_tos && rmdir {folder}"
    assert host.run_detached(write)[0] != 0
    host.run_detached("modprobe rdma_cm")
    assert host.run_detached(write) == (0, "")
    assert host.fs.read(f"{folder}/ports/1/default_roce_tos") == "104\n"
    assert host.run_detached(f"echo 256 > {folder}/ports/1/default_roce_tos")[0] == 1
    assert host.run_detached(f"echo v3 > {folder}/ports/1/default_roce_mode")[0] == 1
