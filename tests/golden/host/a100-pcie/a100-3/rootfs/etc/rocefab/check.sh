#!/bin/sh
# Written by rocefab from the inventory; changes are lost at the next apply.
# Says what is not as rocefab set it on a100-3, and what is known of who changed it.
# Changes nothing. Ends with 1 where something is apart.
set -u
apart=0
states=""

# Interface, what, found, wanted.
differs() {
    if [ "$3" != "$4" ]; then
        echo "$1: $2 is ${3:-unknown}, not $4"
        apart=1
    fi
}

# Interface, what, text, and the words that must stand in it.
holds() {
    if ! printf '%s\n' "$3" | grep -qwF -- "$4"; then
        echo "$1: $2 no longer says: $4"
        apart=1
    fi
}

# The first line of a file, where there is one.
value() {
    if [ -e "$1" ]; then
        head -n 1 "$1"
    fi
}

suspect() {
    echo "    perhaps: $1"
    known=1
}

# rail 0
differs ens1f0 MTU "$(value /sys/class/net/ens1f0/mtu)" 9000
holds ens1f0 address "$(ip -4 addr show dev ens1f0 2>/dev/null)" "10.64.0.66/26"
holds ens1f0 rule "$(ip rule show 2>/dev/null)" "from 10.64.0.66 lookup 100"
state="$(mlnx_qos -i ens1f0 2>/dev/null)"
states="$states $state"
holds ens1f0 QoS "$state" "DCBX mode: OS controlled"
holds ens1f0 QoS "$state" "Priority trust state: dscp"
holds ens1f0 QoS "$state" "Cable len: 3"
differs ens1f0 PFC "$(mlnx_qos -i ens1f0 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_0/tc/1/traffic_class ]; then
    differs ens1f0 "traffic class" "$(value /sys/class/infiniband/mlx5_0/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/ens1f0/ecn/roce_np/cnp_dscp ]; then
    differs ens1f0 "CNP DSCP" "$(value /sys/class/net/ens1f0/ecn/roce_np/cnp_dscp)" 48
fi
differs ens1f0 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_0 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@ens1f0.service'; then
    differs ens1f0 "its unit" disabled enabled
fi

if [ "$apart" = 0 ]; then
    exit 0
fi
known=0
if systemctl -q is-active lldpad.service; then
    suspect "lldpad runs; it speaks DCBX and sets PFC, ETS and DSCP by itself"
fi
if printf '%s\n' "$states" | grep -q "Firmware controlled"; then
    suspect "DCBX is with the firmware: the NIC takes over what the switch advertises"
fi
if [ -e /etc/infiniband/post-start-hook.sh ]; then
    suspect "/etc/infiniband/post-start-hook.sh, which openibd runs whenever it starts"
fi
if systemctl -q is-active kubelet.service; then
    suspect "an operator of Kubernetes that sets NICs (NIC configuration, SR-IOV network)"
fi
if [ ! -e /run/rocefab/ens1f0 ]; then
    suspect "nobody: ens1f0 was not set since the host started"
elif [ "$(cat /run/rocefab/ens1f0)" != "$(value /sys/class/net/ens1f0/ifindex)" ]; then
    suspect "a restart of driver or firmware: ens1f0 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@ens1f0.service'; then
    suspect "nobody: the unit of ens1f0 is not enabled, so nothing sets it again"
fi
if [ "$known" = 0 ]; then
    suspect "a person or a program by hand; nothing on this host tells who"
fi
exit 1