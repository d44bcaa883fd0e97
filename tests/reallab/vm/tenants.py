"""A fabric with tenants in a virtual machine: the kernel of Debian has VRFs, others may not.

Switches and NICs are network namespaces in it. A switch is what its configuration says in the
neutral form: VRFs, tunnels and ports of the kernel, and FRR for its routes. Each phase lays changed
switches anew, lets every NIC ping every address, and notes who received what: a packet says by its
length whose it is, since two tenants may have the same addresses.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fabric.observe.configuration import Configured
from fabric.observe.configuration.frr import frr
from fabric.observe.configuration.vrfs import ConfiguredVrf
from fabric.workflow.project import Project
from tests.reallab.vm.kernel import SCRIPT, initramfs, kernel
from tests.reallab.vm.machine import BOOT_S

#: Names of phases, by the configurations of their switches.
Phases = Mapping[str, Mapping[str, Configured]]
#: Payload of the pings of the first NIC; each further one has one byte more.
_FIRST_BYTES = 100
#: zebra as on a switch, and its own unreachable default route in each VRF (ifupdown2 addons/vrf.py,
#: sonic-swss cfgmgr/vrfmgr.cpp: metric 4278198272).
_UNREACHABLE = "unreachable default metric 4278198272"
_BEGIN = """\
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run; mkdir -p /run/netns /run/frr
exec >/out/log 2>&1
modprobe -a vrf vxlan veth bridge
sysctl -qw net.ipv4.ping_group_range="0 2147483647"
lay() { # switch
    for file in /run/frr/$1/*.pid; do [ -e $file ] && kill $(cat $file); done
    for link in $(ip -n $1 -br link show type vxlan | sed 's/[@ ].*//') \\
        $(ip -n $1 -br link show type bridge | sed 's/[@ ].*//') \\
        $(ip -n $1 -br link show type vrf | sed 's/[@ ].*//'); do ip -n $1 link del $link; done
    ip -n $1 -4 addr flush scope global
    ip -n $1 -b /out/$PHASE/$1.links
    sh -e /out/$PHASE/$1.start
}
"""
_END = "echo DONE >/out/done; sync; echo o >/proc/sysrq-trigger; sleep 60\n"


@dataclass
class Seen:
    """What a phase showed: receiver by sender, and who was answered by which address."""

    received: set[tuple[str, str]] = field(default_factory=set)
    answered: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True)
class Site:
    """NICs and cables of a project."""

    project: Project

    @property
    def nics(self) -> dict[str, tuple[str, str, str, str]]:
        """Leaf, port, address with length and gateway of each NIC that is on, by name."""
        return {
            f"{host.name}-{nic.interface}": (
                nic.leaf,
                nic.leaf_port,
                nic.addresses[0].interface,
                nic.addresses[0].gateway,
            )
            for host in self.project.hosts.values()
            for nic in host.nics
            if nic.enabled
        }

    @property
    def targets(self) -> list[str]:
        """Addresses of NICs and loopbacks."""
        nics = (address.partition("/")[0] for *_, address, _ in self.nics.values())
        return list(dict.fromkeys([*nics, *(d.loopback for d in self.project.devices.values())]))


def links(switch: Configured, vrf_of: Mapping[str, str]) -> Iterator[str]:
    """Yield what a switch is given of the kernel: VRFs, ports with addresses, tunnels.

    Parameters
    ----------
    vrf_of : mapping
        VRF of each port that the machine has.
    """
    source = next((entry.text.partition("/")[0] for entry in switch.ports["lo"].addresses), "")
    for entry in switch.ports["lo"].addresses:
        yield f"addr add {entry.text} dev lo"
    yield "link set lo up"
    for number, vrf in enumerate(switch.vrfs.values(), 1001):
        yield f"link add {vrf.name} type vrf table {number}"
        yield f"link set {vrf.name} up"
        if not vrf.falls_through:
            yield f"route replace {_UNREACHABLE} vrf {vrf.name}"
        yield from _tunnel(vrf, source) if vrf.vni else ()
    for name in vrf_of:
        port = switch.ports[name]
        master = f"master {port.vrf}" if port.vrf else "nomaster"
        yield f"link set {name} mtu 9100 {master}"
        yield f"link set {name} {'up' if port.enabled else 'down'}"
        for entry in port.addresses:
            yield f"addr add {entry.text} dev {name}"


def _tunnel(vrf: ConfiguredVrf, source: str) -> Iterator[str]:
    """Yield the tunnel of a VRF; its bridge has the MAC address of the router."""
    mac = f"02:00:{'%02x:' * 4}"[:-1] % tuple(int(part) for part in source.split("."))
    yield f"link add br{vrf.vni} address {mac} type bridge"
    yield f"link set br{vrf.vni} addrgenmode none master {vrf.name} mtu 9100 up"
    words = f"id {vrf.vni} local {source} dstport 4789 nolearning tos inherit"
    yield f"link add vni{vrf.vni} mtu 9100 type vxlan {words}"
    yield f"link set vni{vrf.vni} master br{vrf.vni} addrgenmode none up"
    yield f"link set vni{vrf.vni} type bridge_slave learning off neigh_suppress on"


def routing(switch: Configured) -> str:
    """Return what FRR is given."""
    own, bgp = switch.vrfs.values(), switch.bgp
    assert bgp
    text = [frr(switch, for_daemons=True).replace("line vty\n!\n", "")]
    text += [f"vrf {vrf.name}\n vni {vrf.vni}\nexit-vrf\n!\n" for vrf in own if vrf.vni]
    if switch.evpn:
        peers = "".join(f"  neighbor {peer} activate\n" for peer in switch.evpn.peers)
        more = "  advertise-all-vni\n" if own else ""
        text.append(f"router bgp {bgp.asn}\n address-family l2vpn evpn\n{peers}{more} exit\n!\n")
    text += [_vrf(switch, vrf) for vrf in own if vrf.redistributions or vrf.leaks]
    return "".join(text)


def _vrf(switch: Configured, vrf: ConfiguredVrf) -> str:
    assert switch.bgp
    lines = [f"router bgp {switch.bgp.asn} vrf {vrf.name}"]
    lines += [f" bgp router-id {switch.bgp.router_id}", " address-family ipv4 unicast"]
    for line in vrf.redistributions:
        policy = f" route-map {line.policy}" if line.policy else ""
        lines.append(f"  redistribute {line.kind}{policy}")
    lines += [f"  import vrf {leak.source}" for leak in vrf.leaks]
    lines.append(" exit")
    if vrf.vni:
        lines += [" address-family l2vpn evpn"]
        lines += ["  advertise ipv4 unicast"] if vrf.advertises else []
        lines += [f"  rd {vrf.route_distinguisher}"] if vrf.route_distinguisher else []
        for way, targets in (("import", vrf.imports), ("export", vrf.exports)):
            lines += [f"  route-target {way} {target.target}" for target in targets]
        lines.append(" exit")
    return "\n".join([*lines, "!", ""])


class Machine:
    """The virtual machine of one test: it runs all phases, and ends."""

    def __init__(self, site: Site, phases: Phases, folder: Path, more: str = "") -> None:
        self.site, self.phases, self.out = site, phases, folder / "out"
        self.out.mkdir(parents=True)
        self._folder = folder
        (self.out / "run.sh").write_text(self._script(more), encoding="utf-8")

    def run(self) -> dict[str, Seen]:
        """Run the machine; return what each phase showed."""
        found = kernel()
        assert found
        seed = self._folder / "seed"
        modules = seed / "usr/lib/modules"
        modules.mkdir(parents=True)
        (modules / found.version).symlink_to(found.modules)
        image = initramfs(found, self._folder, SCRIPT)
        words = [
            *("qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-M", "q35", "-smp", "1"),
            *("-m", "1024", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
            *("-kernel", str(found.image), "-initrd", str(image)),
            *("-append", "console=ttyS0 panic=-1 quiet module_blacklist=kvm,kvm_amd,kvm_intel"),
            *("-serial", f"file:{self._folder}/console"),
            *_share("root", Path("/"), "readonly=on,multidevs=remap"),
            *_share("seed", seed, "readonly=on,multidevs=remap"),
            *_share("out", self.out, "multidevs=remap"),
        ]
        subprocess.run(words, check=True, timeout=BOOT_S)
        assert (self.out / "done").exists(), self.text("log")[-2000:]
        return {name: self._seen(name) for name in self.phases}

    def text(self, name: str) -> str:
        """Return what the machine wrote into a file."""
        path = self.out / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def _script(self, more: str) -> str:
        first = next(iter(self.phases.values()))
        parts = [_BEGIN, *self._namespaces()]
        before: Mapping[str, Configured] = {}
        for name, switches in self.phases.items():
            self._write(name, switches)
            parts.append(f"PHASE={name}\n")
            parts += [f"lay {one}\n" for one in first if switches[one] != before.get(one)]
            parts.append(self._look())
            before = switches
        return "".join([*parts, more, _END])

    def _namespaces(self) -> Iterator[str]:
        devices = self.site.project.devices
        yield "".join(f"ip netns add {name}\n" for name in (*devices, *self.site.nics))
        for name, design in devices.items():
            forward = "net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0"
            yield f"ip netns exec {name} sysctl -qw {forward} net.ipv4.conf.default.rp_filter=0\n"
            # as SONiC and ifupdown2 have it: local addresses are looked up behind VRFs
            yield f"ip -n {name} rule add pref 32765 table local; ip -n {name} rule del pref 0\n"
            for port in design.ports:
                if port.kind == "uplink" and name < port.peer:
                    end = f"name {port.peer_port} netns {port.peer}"
                    yield f"ip link add {port.name} netns {name} type veth peer {end}\n"
        for name, (leaf, port, address, gateway) in self.site.nics.items():
            yield f"ip link add eth0 netns {name} type veth peer name {port} netns {leaf}\n"
            yield f"ip -n {name} link set lo up; ip -n {name} link set eth0 mtu 9100 up\n"
            yield f"ip -n {name} addr add {address} dev eth0\n"
            yield f"ip -n {name} route add default via {gateway}\n"

    def _write(self, phase: str, switches: Mapping[str, Configured]) -> None:
        folder = self.out / phase
        folder.mkdir()
        for name, switch in switches.items():
            cabled = [port.name for port in self.site.project.devices[name].ports if port.peer]
            here = {port: "" for port in cabled if port in switch.ports}
            (folder / f"{name}.links").write_text("\n".join([*links(switch, here), ""]))
            (folder / f"{name}.frr").write_text(routing(switch))
            own = f"/run/frr/{name}"
            common = f"-d -A 127.0.0.1 --vty_socket {own} -z {own}/zserv.api"
            start = [f"mkdir -p {own}; chown frr:frr {own}"]
            start += [
                f"ip netns exec {name} /usr/lib/frr/{daemon} {common} -i {own}/{daemon}.pid"
                for daemon in ("zebra", "bgpd")
            ]
            start += [f"sleep 2; vtysh --vty_socket {own} -f /out/{phase}/{name}.frr"]
            (folder / f"{name}.start").write_text("\n".join([*start, ""]))

    def _look(self) -> str:
        """Return the commands of a phase: routes settle, every NIC pings every address."""
        lines = ["sleep 25"]
        for name in self.site.project.devices:
            shown = f"vtysh --vty_socket /run/frr/{name} -c 'show bgp l2vpn evpn summary'"
            lines.append(f"{shown} >/out/$PHASE/{name}.sessions 2>&1")
        for name in self.site.nics:
            dump = "tcpdump -Q in -l -n -v -i eth0 'icmp[icmptype] == icmp-echo'"
            lines.append(f"ip netns exec {name} {dump} >/out/$PHASE/{name}.got 2>/dev/null &")
        lines.append("sleep 3; pings=")
        for number, name in enumerate(self.site.nics):
            size = _FIRST_BYTES + number
            pings = " ".join(
                f"(ping -n -c 2 -i 0.5 -W 2 -s {size} {target} >/dev/null && echo {target}) &"
                for target in self.site.targets
            )
            inside = shlex.quote(f"{pings} wait")
            lines.append(f"ip netns exec {name} sh -c {inside} >/out/$PHASE/{name}.answers & ")
            lines.append('pings="$pings $!"')
        lines += ["wait $pings", "sleep 1", "pkill tcpdump", "wait", "echo seen $PHASE", ""]
        return "\n".join(lines)

    def _seen(self, phase: str) -> Seen:
        seen, nics = Seen(), list(self.site.nics)
        for name in nics:
            own = self.site.nics[name][2].partition("/")[0]
            for hit in re.finditer(
                r"> (\S+): ICMP echo request.*length (\d+)", self.text(f"{phase}/{name}.got")
            ):
                sender = nics[int(hit[2]) - 8 - _FIRST_BYTES]
                if hit[1] == own and sender != name:
                    seen.received.add((sender, name))
            seen.answered |= {(name, line) for line in self.text(f"{phase}/{name}.answers").split()}
        return seen


def _share(tag: str, folder: Path, more: str) -> list[str]:
    return [
        *("-fsdev", f"local,id={tag},path={folder},security_model=none,{more}"),
        *("-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"),
    ]
