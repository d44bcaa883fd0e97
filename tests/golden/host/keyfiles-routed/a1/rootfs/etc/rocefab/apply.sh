#!/bin/sh
# Written by rocefab from the inventory; changes are lost at the next apply.
# Puts the settings of a1 into force; doing it again changes nothing.
#
#   apply.sh              addresses, kernel settings and every NIC
#   apply.sh INTERFACE    one NIC, as after a reset of its link or driver
set -eu
only=${1:-}
case "$only" in
eth1) ;;
enp1s0-x.7) ;;
"") ;;
*)
    echo "apply.sh: $only is no NIC that rocefab knows" >&2
    exit 2
    ;;
esac

# Value and file; a file that the driver does not have is passed over.
set_value() {
    if [ -e "$2" ]; then
        echo "$1" > "$2"
    fi
}

# Parameter of the kernel and value; what this kernel does not have is passed over, and said.
kernel_value() {
    if [ -e "/proc/sys/$1" ]; then
        echo "$2" > "/proc/sys/$1"
    else
        echo "$1: this kernel does not have it; passed over" >&2
    fi
}

# Interface and address: tell the leaf where the address is, once it is there. The kernel announces
# a NIC that comes up, not an address that comes later.
announce() {
    command -v arping >/dev/null || return 0
    waits="1 2 3"
    [ -z "$only" ] || waits="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"
    for _ in $waits; do
        ip -4 addr show dev "$1" | grep -qF " $2/" && break
        sleep 1
    done
    arping -q -U -c 3 -I "$1" "$2" >/dev/null || true
}

# Interface: remember which device was set, for check.sh. A device that is made again has another
# number.
remember() {
    mkdir -p /run/rocefab
    cat "/sys/class/net/$1/ifindex" > "/run/rocefab/$1"
}

modprobe rdma_cm
if [ -z "$only" ]; then
    # Addresses first. A profile that is in use is applied again without taking the NIC down.
    nmcli connection reload
    if [ "$(nmcli -g GENERAL.CONNECTION device show eth1)" = rocefab-eth1 ]; then
        nmcli device reapply eth1 >/dev/null
    else
        nmcli connection up id rocefab-eth1 >/dev/null
    fi
    if [ "$(nmcli -g GENERAL.CONNECTION device show enp1s0-x.7)" = rocefab-enp1s0-x.7 ]; then
        nmcli device reapply enp1s0-x.7 >/dev/null
    else
        nmcli connection up id rocefab-enp1s0-x.7 >/dev/null
    fi

    kernel_value net/ipv4/conf/eth1/arp_ignore 1
    kernel_value net/ipv4/conf/eth1/arp_announce 2
    kernel_value net/ipv4/conf/eth1/arp_notify 1
    kernel_value net/ipv4/conf/eth1/rp_filter 2
    kernel_value net/ipv4/neigh/eth1/base_reachable_time_ms 30000
    kernel_value net/ipv4/neigh/eth1/gc_stale_time 60
    kernel_value net/ipv4/conf/enp1s0-x.7/arp_ignore 1
    kernel_value net/ipv4/conf/enp1s0-x.7/arp_announce 2
    kernel_value net/ipv4/conf/enp1s0-x.7/arp_notify 1
    kernel_value net/ipv4/conf/enp1s0-x.7/rp_filter 2
    kernel_value net/ipv4/neigh/enp1s0-x.7/base_reachable_time_ms 30000
    kernel_value net/ipv4/neigh/enp1s0-x.7/gc_stale_time 60
    kernel_value net/ipv4/neigh/default/gc_thresh1 4096
    kernel_value net/ipv4/neigh/default/gc_thresh2 8192
    kernel_value net/ipv4/neigh/default/gc_thresh3 16384
    systemctl daemon-reload
    udevadm control --reload
fi

# rail 0: eth1 to su1-rail0 Ethernet0
if [ -z "$only" ] || [ "$only" = eth1 ]; then
    # Global pause off before PFC is on. ethtool may complain although rx and tx were set; the
    # check of rocefab reads them back.
    ethtool -A eth1 rx off tx off || true
    # Two calls: --trust and --dscp2prio exclude each other. Another PFC mask takes the link down
    # and up, so it is set once.
    mlnx_qos -i eth1 --dcbx os --trust dscp --pfc 0,0,0,1,0,0,0,0 --cable_len 30 \
        --prio_tc 0,1,2,3,4,5,6,7 --tsa ets,ets,ets,ets,ets,ets,strict,ets \
        --tcbw 50,0,0,50,0,0,0,0 >/dev/null
    mlnx_qos -i eth1 \
        --dscp2prio set,24,0 \
        --dscp2prio set,25,0 \
        --dscp2prio set,26,3 \
        --dscp2prio set,27,0 \
        --dscp2prio set,28,0 \
        --dscp2prio set,29,0 \
        --dscp2prio set,30,0 \
        --dscp2prio set,31,0 \
        --dscp2prio set,48,6 \
        --dscp2prio set,49,0 \
        --dscp2prio set,50,0 \
        --dscp2prio set,51,0 \
        --dscp2prio set,52,0 \
        --dscp2prio set,53,0 \
        --dscp2prio set,54,0 \
        --dscp2prio set,55,0 \
        >/dev/null
    cma_roce_mode -d mlx5_1 -p 1 -m 2 >/dev/null
    cma_roce_tos -d mlx5_1 -p 1 -t 104 >/dev/null
    set_value 104 /sys/class/infiniband/mlx5_1/tc/1/traffic_class
    set_value 48 /sys/class/net/eth1/ecn/roce_np/cnp_dscp
    set_value 1 /sys/class/net/eth1/ecn/roce_np/enable/3
    set_value 1 /sys/class/net/eth1/ecn/roce_rp/enable/3
    announce eth1 10.96.0.1
    remember eth1
    if [ -z "$only" ]; then
        systemctl enable 'rocefab-nic@eth1.service' >/dev/null
    fi
fi

# rail 1: enp1s0-x.7 to su1-rail1 Ethernet0
if [ -z "$only" ] || [ "$only" = enp1s0-x.7 ]; then
    # Global pause off before PFC is on. ethtool may complain although rx and tx were set; the
    # check of rocefab reads them back.
    ethtool -A enp1s0-x.7 rx off tx off || true
    # Two calls: --trust and --dscp2prio exclude each other. Another PFC mask takes the link down
    # and up, so it is set once.
    mlnx_qos -i enp1s0-x.7 --dcbx os --trust dscp --pfc 0,0,0,1,0,0,0,0 --cable_len 5 \
        --prio_tc 0,1,2,3,4,5,6,7 --tsa ets,ets,ets,ets,ets,ets,strict,ets \
        --tcbw 50,0,0,50,0,0,0,0 >/dev/null
    mlnx_qos -i enp1s0-x.7 \
        --dscp2prio set,24,0 \
        --dscp2prio set,25,0 \
        --dscp2prio set,26,3 \
        --dscp2prio set,27,0 \
        --dscp2prio set,28,0 \
        --dscp2prio set,29,0 \
        --dscp2prio set,30,0 \
        --dscp2prio set,31,0 \
        --dscp2prio set,48,6 \
        --dscp2prio set,49,0 \
        --dscp2prio set,50,0 \
        --dscp2prio set,51,0 \
        --dscp2prio set,52,0 \
        --dscp2prio set,53,0 \
        --dscp2prio set,54,0 \
        --dscp2prio set,55,0 \
        >/dev/null
    cma_roce_mode -d mlx5_2 -p 1 -m 2 >/dev/null
    cma_roce_tos -d mlx5_2 -p 1 -t 104 >/dev/null
    set_value 104 /sys/class/infiniband/mlx5_2/tc/1/traffic_class
    set_value 48 /sys/class/net/enp1s0-x.7/ecn/roce_np/cnp_dscp
    set_value 1 /sys/class/net/enp1s0-x.7/ecn/roce_np/enable/3
    set_value 1 /sys/class/net/enp1s0-x.7/ecn/roce_rp/enable/3
    announce enp1s0-x.7 10.96.128.1
    remember enp1s0-x.7
    if [ -z "$only" ]; then
        systemctl enable 'rocefab-nic@enp1s0\x2dx.7.service' >/dev/null
    fi
fi
