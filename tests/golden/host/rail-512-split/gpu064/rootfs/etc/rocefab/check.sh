#!/bin/sh
# Written by rocefab from the inventory; changes are lost at the next apply.
# Says what is not as rocefab set it on gpu064, and what is known of who changed it.
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
holds eth1 address "$(ip -4 addr show dev eth1 2>/dev/null)" "10.64.0.65/24"
holds eth1 rule "$(ip rule show 2>/dev/null)" "from 10.64.0.65 lookup 100"
state="$(mlnx_qos -i eth1 2>/dev/null)"
states="$states $state"
holds eth1 QoS "$state" "DCBX mode: OS controlled"
holds eth1 QoS "$state" "Priority trust state: dscp"
holds eth1 QoS "$state" "Cable len: 5"
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
differs eth2 MTU "$(value /sys/class/net/eth2/mtu)" 9000
holds eth2 address "$(ip -4 addr show dev eth2 2>/dev/null)" "10.64.1.65/24"
holds eth2 rule "$(ip rule show 2>/dev/null)" "from 10.64.1.65 lookup 101"
state="$(mlnx_qos -i eth2 2>/dev/null)"
states="$states $state"
holds eth2 QoS "$state" "DCBX mode: OS controlled"
holds eth2 QoS "$state" "Priority trust state: dscp"
holds eth2 QoS "$state" "Cable len: 5"
differs eth2 PFC "$(mlnx_qos -i eth2 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_2/tc/1/traffic_class ]; then
    differs eth2 "traffic class" "$(value /sys/class/infiniband/mlx5_2/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth2/ecn/roce_np/cnp_dscp ]; then
    differs eth2 "CNP DSCP" "$(value /sys/class/net/eth2/ecn/roce_np/cnp_dscp)" 48
fi
differs eth2 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_2 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth2.service'; then
    differs eth2 "its unit" disabled enabled
fi

# rail 2
differs eth3 MTU "$(value /sys/class/net/eth3/mtu)" 9000
holds eth3 address "$(ip -4 addr show dev eth3 2>/dev/null)" "10.64.2.65/24"
holds eth3 rule "$(ip rule show 2>/dev/null)" "from 10.64.2.65 lookup 102"
state="$(mlnx_qos -i eth3 2>/dev/null)"
states="$states $state"
holds eth3 QoS "$state" "DCBX mode: OS controlled"
holds eth3 QoS "$state" "Priority trust state: dscp"
holds eth3 QoS "$state" "Cable len: 5"
differs eth3 PFC "$(mlnx_qos -i eth3 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_3/tc/1/traffic_class ]; then
    differs eth3 "traffic class" "$(value /sys/class/infiniband/mlx5_3/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth3/ecn/roce_np/cnp_dscp ]; then
    differs eth3 "CNP DSCP" "$(value /sys/class/net/eth3/ecn/roce_np/cnp_dscp)" 48
fi
differs eth3 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_3 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth3.service'; then
    differs eth3 "its unit" disabled enabled
fi

# rail 3
differs eth4 MTU "$(value /sys/class/net/eth4/mtu)" 9000
holds eth4 address "$(ip -4 addr show dev eth4 2>/dev/null)" "10.64.3.65/24"
holds eth4 rule "$(ip rule show 2>/dev/null)" "from 10.64.3.65 lookup 103"
state="$(mlnx_qos -i eth4 2>/dev/null)"
states="$states $state"
holds eth4 QoS "$state" "DCBX mode: OS controlled"
holds eth4 QoS "$state" "Priority trust state: dscp"
holds eth4 QoS "$state" "Cable len: 5"
differs eth4 PFC "$(mlnx_qos -i eth4 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_4/tc/1/traffic_class ]; then
    differs eth4 "traffic class" "$(value /sys/class/infiniband/mlx5_4/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth4/ecn/roce_np/cnp_dscp ]; then
    differs eth4 "CNP DSCP" "$(value /sys/class/net/eth4/ecn/roce_np/cnp_dscp)" 48
fi
differs eth4 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_4 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth4.service'; then
    differs eth4 "its unit" disabled enabled
fi

# rail 4
differs eth5 MTU "$(value /sys/class/net/eth5/mtu)" 9000
holds eth5 address "$(ip -4 addr show dev eth5 2>/dev/null)" "10.64.4.65/24"
holds eth5 rule "$(ip rule show 2>/dev/null)" "from 10.64.4.65 lookup 104"
state="$(mlnx_qos -i eth5 2>/dev/null)"
states="$states $state"
holds eth5 QoS "$state" "DCBX mode: OS controlled"
holds eth5 QoS "$state" "Priority trust state: dscp"
holds eth5 QoS "$state" "Cable len: 5"
differs eth5 PFC "$(mlnx_qos -i eth5 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_5/tc/1/traffic_class ]; then
    differs eth5 "traffic class" "$(value /sys/class/infiniband/mlx5_5/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth5/ecn/roce_np/cnp_dscp ]; then
    differs eth5 "CNP DSCP" "$(value /sys/class/net/eth5/ecn/roce_np/cnp_dscp)" 48
fi
differs eth5 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_5 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth5.service'; then
    differs eth5 "its unit" disabled enabled
fi

# rail 5
differs eth6 MTU "$(value /sys/class/net/eth6/mtu)" 9000
holds eth6 address "$(ip -4 addr show dev eth6 2>/dev/null)" "10.64.5.65/24"
holds eth6 rule "$(ip rule show 2>/dev/null)" "from 10.64.5.65 lookup 105"
state="$(mlnx_qos -i eth6 2>/dev/null)"
states="$states $state"
holds eth6 QoS "$state" "DCBX mode: OS controlled"
holds eth6 QoS "$state" "Priority trust state: dscp"
holds eth6 QoS "$state" "Cable len: 5"
differs eth6 PFC "$(mlnx_qos -i eth6 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_6/tc/1/traffic_class ]; then
    differs eth6 "traffic class" "$(value /sys/class/infiniband/mlx5_6/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth6/ecn/roce_np/cnp_dscp ]; then
    differs eth6 "CNP DSCP" "$(value /sys/class/net/eth6/ecn/roce_np/cnp_dscp)" 48
fi
differs eth6 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_6 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth6.service'; then
    differs eth6 "its unit" disabled enabled
fi

# rail 6
differs eth7 MTU "$(value /sys/class/net/eth7/mtu)" 9000
holds eth7 address "$(ip -4 addr show dev eth7 2>/dev/null)" "10.64.6.65/24"
holds eth7 rule "$(ip rule show 2>/dev/null)" "from 10.64.6.65 lookup 106"
state="$(mlnx_qos -i eth7 2>/dev/null)"
states="$states $state"
holds eth7 QoS "$state" "DCBX mode: OS controlled"
holds eth7 QoS "$state" "Priority trust state: dscp"
holds eth7 QoS "$state" "Cable len: 5"
differs eth7 PFC "$(mlnx_qos -i eth7 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_7/tc/1/traffic_class ]; then
    differs eth7 "traffic class" "$(value /sys/class/infiniband/mlx5_7/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth7/ecn/roce_np/cnp_dscp ]; then
    differs eth7 "CNP DSCP" "$(value /sys/class/net/eth7/ecn/roce_np/cnp_dscp)" 48
fi
differs eth7 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_7 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth7.service'; then
    differs eth7 "its unit" disabled enabled
fi

# rail 7
differs eth8 MTU "$(value /sys/class/net/eth8/mtu)" 9000
holds eth8 address "$(ip -4 addr show dev eth8 2>/dev/null)" "10.64.7.65/24"
holds eth8 rule "$(ip rule show 2>/dev/null)" "from 10.64.7.65 lookup 107"
state="$(mlnx_qos -i eth8 2>/dev/null)"
states="$states $state"
holds eth8 QoS "$state" "DCBX mode: OS controlled"
holds eth8 QoS "$state" "Priority trust state: dscp"
holds eth8 QoS "$state" "Cable len: 5"
differs eth8 PFC "$(mlnx_qos -i eth8 -P 3 2>/dev/null | tail -n 1)" 1
if [ -e /sys/class/infiniband/mlx5_8/tc/1/traffic_class ]; then
    differs eth8 "traffic class" "$(value /sys/class/infiniband/mlx5_8/tc/1/traffic_class)" "Global tclass=104"
fi
if [ -e /sys/class/net/eth8/ecn/roce_np/cnp_dscp ]; then
    differs eth8 "CNP DSCP" "$(value /sys/class/net/eth8/ecn/roce_np/cnp_dscp)" 48
fi
differs eth8 "RDMA-CM traffic class" "$(cma_roce_tos -d mlx5_8 -p 1 2>/dev/null)" 104
if ! systemctl -q is-enabled 'rocefab-nic@eth8.service'; then
    differs eth8 "its unit" disabled enabled
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
if [ ! -e /run/rocefab/eth2 ]; then
    suspect "nobody: eth2 was not set since the host started"
elif [ "$(cat /run/rocefab/eth2)" != "$(value /sys/class/net/eth2/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth2 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth2.service'; then
    suspect "nobody: the unit of eth2 is not enabled, so nothing sets it again"
fi
if [ ! -e /run/rocefab/eth3 ]; then
    suspect "nobody: eth3 was not set since the host started"
elif [ "$(cat /run/rocefab/eth3)" != "$(value /sys/class/net/eth3/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth3 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth3.service'; then
    suspect "nobody: the unit of eth3 is not enabled, so nothing sets it again"
fi
if [ ! -e /run/rocefab/eth4 ]; then
    suspect "nobody: eth4 was not set since the host started"
elif [ "$(cat /run/rocefab/eth4)" != "$(value /sys/class/net/eth4/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth4 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth4.service'; then
    suspect "nobody: the unit of eth4 is not enabled, so nothing sets it again"
fi
if [ ! -e /run/rocefab/eth5 ]; then
    suspect "nobody: eth5 was not set since the host started"
elif [ "$(cat /run/rocefab/eth5)" != "$(value /sys/class/net/eth5/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth5 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth5.service'; then
    suspect "nobody: the unit of eth5 is not enabled, so nothing sets it again"
fi
if [ ! -e /run/rocefab/eth6 ]; then
    suspect "nobody: eth6 was not set since the host started"
elif [ "$(cat /run/rocefab/eth6)" != "$(value /sys/class/net/eth6/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth6 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth6.service'; then
    suspect "nobody: the unit of eth6 is not enabled, so nothing sets it again"
fi
if [ ! -e /run/rocefab/eth7 ]; then
    suspect "nobody: eth7 was not set since the host started"
elif [ "$(cat /run/rocefab/eth7)" != "$(value /sys/class/net/eth7/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth7 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth7.service'; then
    suspect "nobody: the unit of eth7 is not enabled, so nothing sets it again"
fi
if [ ! -e /run/rocefab/eth8 ]; then
    suspect "nobody: eth8 was not set since the host started"
elif [ "$(cat /run/rocefab/eth8)" != "$(value /sys/class/net/eth8/ifindex)" ]; then
    suspect "a restart of driver or firmware: eth8 was made again since it was set"
fi
if ! systemctl -q is-enabled 'rocefab-nic@eth8.service'; then
    suspect "nobody: the unit of eth8 is not enabled, so nothing sets it again"
fi
if [ "$known" = 0 ]; then
    suspect "a person or a program by hand; nothing on this host tells who"
fi
exit 1