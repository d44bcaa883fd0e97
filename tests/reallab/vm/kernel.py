"""The stock kernel of Debian, unpacked and not installed, and an initramfs that mounts a root.

The root of a virtual machine is that of this machine, read-only over virtio-9p, below a file system
in memory (Linux Documentation/filesystems/9p.rst, overlayfs.rst).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

#: Where ``make judges`` unpacks the package of the kernel.
CACHE = Path("/var/cache/rocefab-vm")
_PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "modprobe": "kmod",
    "rdma": "iproute2",
    "ib_write_bw": "perftest",
    "rping": "rdmacm-utils",
    "ibv_devinfo": "ibverbs-utils",
    "ibstat": "infiniband-diags",
    "tcpdump": "tcpdump",
    "ssh": "openssh-client",
    "/usr/sbin/sshd": "openssh-server",
    "sudo": "sudo",
    "ethtool": "ethtool",
    "dbus-daemon": "dbus",
    "/lib/systemd/systemd-udevd": "udev",
    "/etc/libibverbs.d/rxe.driver": "ibverbs-providers",
}
#: What has to be there before the root is.
_MODULES = ("virtio_pci", "virtio_net", "9pnet_virtio", "9p", "overlay")
_INIT = """\
#!/bin/busybox sh
PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in $(cat /modules); do insmod $module; done
options=trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro
mount -t 9p -o $options root /lower
mount -t 9p -o $options seed /seed
mount -t tmpfs -o mode=755 tmpfs /upper
mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work overlay /root
mount -t tmpfs -o mode=755 tmpfs /root/run
for name in tmp var/tmp; do mount -t tmpfs tmpfs /root/$name; done
for name in etc/systemd/system etc/systemd/network etc/netplan etc/fstab \\
    etc/NetworkManager etc/network etc/modules-load.d etc/sysctl.d; do
    rm -rf /root/$name
done
rm -f /root/.dockerenv # systemd would take the machine for a container
cp -a /seed/. /root/
umount /proc /sys /seed
mount --move /dev /root/dev
"""
_SYSTEMD = "exec switch_root /root /lib/systemd/systemd\n"
#: A script that is process 1, with a folder that it writes into.
SCRIPT = """\
mkdir /root/out
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /root/out
exec switch_root /root /bin/bash /out/run.sh
"""


@dataclass(frozen=True)
class Kernel:
    """A kernel with its modules."""

    version: str
    image: Path
    modules: Path


def kernel() -> Kernel | None:
    """Return the newest kernel of the cache."""
    images = sorted((CACHE / "boot").glob("vmlinuz-*"))
    version = images[-1].name.partition("-")[2] if images else ""
    modules = CACHE / "lib" / "modules" / version
    if not images or not (modules / "modules.dep").exists():
        return None
    return Kernel(version, images[-1], modules)


def missing_vm_parts() -> str:
    """Return what keeps virtual machines from running here; empty when nothing does."""
    lost = sorted({
        package
        for name, package in _PROGRAMS.items()
        if not (Path(name).exists() if name.startswith("/") else shutil.which(name))
    })
    if lost:
        return f"not installed: {', '.join(lost)}"
    return "" if kernel() else f"no kernel of Debian is in {CACHE}"


def require_vm_parts() -> None:
    """Skip where no virtual machine can run, or fail where the judges are required."""
    reason = missing_vm_parts()
    if reason and os.environ.get("ROCEFAB_JUDGES") == "required":
        pytest.fail(f"no virtual machines: {reason}; run 'make judges' as root")
    if reason:
        pytest.skip(f"no virtual machines: {reason}; 'make judges' installs the packages")


def initramfs(kernel: Kernel, folder: Path, last: str = _SYSTEMD) -> Path:
    """Write an initramfs into a folder, with the modules in the order of their needs.

    ``last`` is how it ends: with systemd, or with `SCRIPT`.
    """
    tree = folder / "initramfs"
    for name in ("bin", "proc", "sys", "dev", "lower", "seed", "upper", "root"):
        (tree / name).mkdir(parents=True)
    shutil.copy2(shutil.which("busybox") or "", tree / "bin" / "busybox")
    paths = _files(kernel)
    for path in paths:
        shutil.copy2(path, tree / path.name)
    (tree / "modules").write_text("".join(f"/{path.name}\n" for path in paths))
    (tree / "init").write_text(_INIT + last)
    (tree / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(tree)) for path in [tree, *sorted(tree.rglob("*"))])
    packed = subprocess.run(
        ["busybox", "cpio", "-o", "-H", "newc"],
        cwd=tree,
        input=names.encode(),
        capture_output=True,
        check=True,
    )
    image = folder / "initramfs.cpio"
    image.write_bytes(packed.stdout)
    return image


def _files(kernel: Kernel) -> list[Path]:
    """Return the files of the modules and of what they need."""
    words = ["modprobe", "-d", str(CACHE), "-S", kernel.version, "--show-depends", "-a", *_MODULES]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return list(dict.fromkeys(Path(line[1]) for line in lines if line[0] == "insmod"))
