#!/bin/sh
# Written by rocefab from the inventory; changes are lost at the next apply.
# Says what is not as rocefab set it on a1, and what is known of who changed it.
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
differs eth1 MTU "$(value /sys/class/net/eth1/mtu)" 9000
holds eth1 address "$(ip -4 addr show dev eth1 2>/dev/null)" "10.64.0.1/31"
holds eth1 rule "$(ip rule show 2>/dev/null)" "from 10.64.0.1 lookup 100"
state="$(mlnx_qos -i eth1 2>/dev/null)"
states="$states $state"
holds eth1 QoS "$state" "DCBX mode: OS controlled"
holds eth1 QoS "$state" "Priority trust state: dscp"
holds eth1 QoS "$state" "Cable len: 30"
differs eth1 PFC "$(mlnx_qos -i eth1 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_1/tc/1/traffic_class ]; then
    differs eth1 "traffic class" "$(value /sys/class/infiniband/mlx5_1/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth1/ecn/roce_np/cnp_dscp ]; then
    differs eth1 "CNP DSCP" "$(value /sys/class/net/eth1/ecn/roce_np/cnp_dscp)" 48
fi
differs eth1 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_1 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth1.service'; then
    differs eth1 "its unit" disabled enabled
fi

# rail 1
differs enp1s0-x.7 MTU "$(value /sys/class/net/enp1s0-x.7/mtu)" 9000
holds enp1s0-x.7 address "$(ip -4 addr show dev enp1s0-x.7 2>/dev/null)" "10.72.0.1/31"
holds enp1s0-x.7 rule "$(ip rule show 2>/dev/null)" "from 10.72.0.1 lookup 101"
state="$(mlnx_qos -i enp1s0-x.7 2>/dev/null)"
states="$states $state"
holds enp1s0-x.7 QoS "$state" "DCBX mode: OS controlled"
holds enp1s0-x.7 QoS "$state" "Priority trust state: dscp"
holds enp1s0-x.7 QoS "$state" "Cable len: 5"
differs enp1s0-x.7 PFC "$(mlnx_qos -i enp1s0-x.7 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_2/tc/1/traffic_class ]; then
    differs enp1s0-x.7 "traffic class" "$(value /sys/class/infiniband/mlx5_2/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/enp1s0-x.7/ecn/roce_np/cnp_dscp ]; then
    differs enp1s0-x.7 "CNP DSCP" "$(value /sys/class/net/enp1s0-x.7/ecn/roce_np/cnp_dscp)" 48
fi
differs enp1s0-x.7 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_2 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@enp1s0\x2dx.7.service'; then
    differs enp1s0-x.7 "its unit" disabled enabled
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
if [ ! -e /run/rocefab/eth1 ]; then
    suspect "nobody: eth1 was not set since the host started"
elif [ "$(cat /run/rocefab/eth1)" != "$(value /sys/class/net/eth1/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth1 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth1.service'; then
    suspect "nobody: the unit of eth1 is not enabled, so nothing sets it again"
fi
if [ ! -e /run/rocefab/enp1s0-x.7 ]; then
    suspect "nobody: enp1s0-x.7 was not set since the host started"
elif [ "$(cat /run/rocefab/enp1s0-x.7)" != "$(value /sys/class/net/enp1s0-x.7/ifindex)" ]; then
    suspect "a restart of driver or firmware: enp1s0-x.7 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@enp1s0\x2dx.7.service'; then
    suspect "nobody: the unit of enp1s0-x.7 is not enabled, so nothing sets it again"
fi
if [ "$known" = 0 ]; then
    suspect "a person or a program by hand; nothing on this host tells who"
fi
exit 1