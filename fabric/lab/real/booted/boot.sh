#!/bin/sh
# Runs one host of the real lab: makes its tree, boots systemd in it, and boots it again whenever it
# asks for a reboot. Runs in the network namespace of the host, and in a mount namespace of its own,
# so that no mount is left behind.
#
#   boot.sh FOLDER NAME NAMESPACE INTERFACE ...
#
# FOLDER holds host.tar; NAMESPACE is a name of ip-netns(8), and names the control group too.
set -eu
folder=$1 name=$2 namespace=$3
shift 3
tree=$folder/root
#: What a host has of the machine's /etc: libraries, logins, D-Bus, Python. No keys, no services.
of_machine="alternatives bash.bashrc dbus-1 debian_version host.conf iproute2 ld.so.cache
ld.so.conf ld.so.conf.d localtime login.defs nsswitch.conf os-release pam.conf pam.d profile
protocols python3 python3.* security services udev"

mount --make-rprivate /
mount -t proc proc /proc
mkdir -p "$tree"
mount -t tmpfs -o mode=755 tmpfs "$tree"
for link in bin sbin lib lib32 lib64 libx32; do
    [ ! -L "/$link" ] || cp -a "/$link" "$tree/"
done
mkdir "$tree/usr" "$tree/etc"
mount --bind /usr "$tree/usr"
mount -o remount,bind,ro "$tree/usr"
cd /etc
for part in $of_machine; do
    [ ! -e "$part" ] || cp -a "$part" "$tree/etc/"
done
tar -x -C "$tree" -f "$folder/host.tar"
systemctl --quiet --root="$tree" enable ssh.service systemd-networkd.service lldpd.service

# Two systems in one control group would end each other's services.
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
    [ -e "$hierarchy/cgroup.procs" ] || continue
    mkdir -p "$hierarchy/$namespace"
    echo 0 > "$hierarchy/$namespace/cgroup.procs"
done

# Take from the interfaces, and from the kernel's tables, what a boot takes: a network device that
# comes from another namespace has neither addresses nor sysctls, and its cable lost the carrier.
forget() {
    unshare --net sleep infinity &
    away=$!
    while [ "$(readlink "/proc/$away/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do
        sleep 0.02
    done
    for interface in "$@"; do
        ip link set dev "$interface" down
        ip link set dev "$interface" mtu 1500
        ip link set dev "$interface" netns "$away"
        nsenter --net="/proc/$away/ns/net" ip link set dev "$interface" netns $$
    done
    kill "$away"
    ip rule flush
    ip rule add priority 32766 protocol kernel lookup main
    ip rule add priority 32767 protocol kernel lookup default
    ip link set dev lo down
    ip route flush table all || true
}

# systemd-nspawn ends with 133 where the system in it asked for a reboot, and --keep-unit is given
# (systemd, src/nspawn/nspawn.c, EXIT_FORCE_RESTART).
status=133
while [ "$status" = 133 ]; do
    forget "$@"
    status=0
    systemd-nspawn --quiet --keep-unit --register=no --settings=no --link-journal=no \
        --resolv-conf=off --timezone=off --console=pipe --kill-signal=SIGRTMIN+3 \
        --capability=CAP_NET_ADMIN \
        --network-namespace-path="/run/netns/$namespace" --machine="$name" \
        --directory="$tree" /lab/init || status=$?
done
