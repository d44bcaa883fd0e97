#!/bin/sh
# Written by rocefab from the inventory; changes are lost at the next apply.
# Puts the settings of a1 into force; doing it again changes nothing.
# The driver of the kernel cannot turn on DCQCN for one priority: mlxconfig does that
# (ROCE_CC_PRIO_MASK_P1). It cannot mark packets of all queue pairs: set NCCL_IB_TC in
# the jobs.
#
#   apply.sh              addresses, kernel settings and every NIC
#   apply.sh INTERFACE    one NIC, as after a reset of its link or driver
#   apply.sh --tuning     PCIe, processor and memory alone, as after a boot
set -eu
only=${1:-}
case "$only" in
eth1) ;;
enp1s0-x.7) ;;
--tuning) ;;
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

pci_address() {
    basename "$(readlink -f "/sys/class/net/$1/device")"
}

# RDMA device and traffic class byte: RoCE v2 and its marking for connections of RDMA-CM. The kernel
# keeps both when the folder goes.
cm_default() {
    folder=/sys/kernel/config/rdma_cm/$1
    mkdir -p "$folder"
    echo "RoCE v2" > "$folder/ports/1/default_roce_mode"
    echo "$2" > "$folder/ports/1/default_roce_tos"
    rmdir "$folder"
}

# Interface, name and value of a parameter of congestion control.
cc_param() {
    set_value "$3" "/sys/kernel/debug/mlx5/$(pci_address "$1")/cc_params/$2"
}

modprobe rdma_cm
if [ -z "$only" ] || [ "$only" = --tuning ]; then
    # A processor that sleeps answers late, and a late answer fills the buffers of the NIC.
    for file in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do
        set_value performance "$file"
    done
    # Pages of 1 GiB in one piece are there after a boot; later the kernel may find fewer.
    set_value 16 /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages
    if [ "$(cat /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages)" -lt 16 ]; then
        echo "too few huge pages; boot with hugepagesz=1G hugepages=16" >&2
    fi
    # ACS sends what a GPU writes to a NIC up to the root complex and back; bridges without it
    # refuse.
    for device in /sys/bus/pci/devices/*; do
        case "$(cat "$device/class")" in
        0x0604*) setpci -s "$(basename "$device")" ECAP_ACS+0x6.w=0000 2>/dev/null || true ;;
        esac
    done
fi
if [ -z "$only" ]; then
    # Addresses first. Interfaces whose file is new or changed are configured again, no others.
    networkctl reload
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
    systemctl enable rocefab-tuning.service >/dev/null
fi

# rail 0: eth1 to su1-rail0 Ethernet0
if [ -z "$only" ] || [ "$only" = eth1 ]; then
    # Global pause off before PFC is on.
    ethtool -A eth1 rx off tx off || true
    dcb dcbx set dev eth1 host ieee
    # Every DSCP is named. The first one makes the driver trust DSCP. `replace` ends well even when
    # the kernel refuses, so what counts is read back.
    dcb app replace dev eth1 dscp-prio \
        0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:0 9:0 10:0 11:0 12:0 13:0 14:0 15:0 \
        16:0 17:0 18:0 19:0 20:0 21:0 22:0 23:0 24:0 25:0 26:3 27:0 28:0 29:0 30:0 31:0 \
        32:0 33:0 34:0 35:0 36:0 37:0 38:0 39:0 40:0 41:0 42:0 43:0 44:0 45:0 46:0 47:0 \
        48:6 49:0 50:0 51:0 52:0 53:0 54:0 55:0 56:0 57:0 58:0 59:0 60:0 61:0 62:0 63:0
    dcb -N app show dev eth1 dscp-prio | grep -qw 26:3
    dcb ets set dev eth1 willing off prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 \
        tc-tsa all:ets 6:strict tc-bw all:0 0:50 3:50
    # Another PFC mask takes the link down and up, so it is set once; mlx5 takes delay for metres.
    dcb pfc set dev eth1 prio-pfc all:off 3:on delay 30
    # From now on the cable length counts.
    dcb buffer set dev eth1 buffer-size all:0 0:130944 1:131072 \
        prio-buffer all:0 3:1
    # A NIC that pauses its port for this long stops doing so, before the switch drops its queue.
    if ethtool --get-tunable eth1 pfc-prevention-tout >/dev/null 2>&1; then
        ethtool --set-tunable eth1 pfc-prevention-tout 100
    else
        echo "eth1: its driver has no pfc-prevention-tout; passed over" >&2
    fi
    cm_default mlx5_1 104
    cc_param eth1 rp_clamp_tgt_rate 0
    cc_param eth1 rp_clamp_tgt_rate_ati 1
    cc_param eth1 rp_time_reset 300
    cc_param eth1 rp_byte_reset 32767
    cc_param eth1 rp_threshold 1
    cc_param eth1 rp_ai_rate 5
    cc_param eth1 rp_hai_rate 50
    cc_param eth1 rp_max_rate 0
    cc_param eth1 rp_min_rate 1
    cc_param eth1 rp_min_dec_fac 50
    cc_param eth1 rp_gd 11
    cc_param eth1 rp_rate_to_set_on_first_cnp 0
    cc_param eth1 rp_dce_tcp_g 1019
    cc_param eth1 rp_dce_tcp_rtt 1
    cc_param eth1 rp_rate_reduce_monitor_period 4
    cc_param eth1 rp_initial_alpha_value 1023
    cc_param eth1 np_min_time_between_cnps 4
    cc_param eth1 np_cnp_dscp 48
    cc_param eth1 np_cnp_prio 6

    # Reads of 4096 bytes: fewer requests in flight for the same rate.
    setpci -s "$(pci_address eth1)" CAP_EXP+08.w=5000:F000
    ip neigh replace 10.64.0.1 lladdr 02:00:00:00:01:00 dev eth1 nud permanent
    announce eth1 10.64.0.2
    remember eth1
    if [ -z "$only" ]; then
        systemctl enable 'rocefab-nic@eth1.service' >/dev/null
    fi
fi

# rail 1: enp1s0-x.7 to su1-rail1 Ethernet0
if [ -z "$only" ] || [ "$only" = enp1s0-x.7 ]; then
    # Global pause off before PFC is on.
    ethtool -A enp1s0-x.7 rx off tx off || true
    dcb dcbx set dev enp1s0-x.7 host ieee
    # Every DSCP is named. The first one makes the driver trust DSCP. `replace` ends well even when
    # the kernel refuses, so what counts is read back.
    dcb app replace dev enp1s0-x.7 dscp-prio \
        0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:0 9:0 10:0 11:0 12:0 13:0 14:0 15:0 \
        16:0 17:0 18:0 19:0 20:0 21:0 22:0 23:0 24:0 25:0 26:3 27:0 28:0 29:0 30:0 31:0 \
        32:0 33:0 34:0 35:0 36:0 37:0 38:0 39:0 40:0 41:0 42:0 43:0 44:0 45:0 46:0 47:0 \
        48:6 49:0 50:0 51:0 52:0 53:0 54:0 55:0 56:0 57:0 58:0 59:0 60:0 61:0 62:0 63:0
    dcb -N app show dev enp1s0-x.7 dscp-prio | grep -qw 26:3
    dcb ets set dev enp1s0-x.7 willing off prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 \
        tc-tsa all:ets 6:strict tc-bw all:0 0:50 3:50
    # Another PFC mask takes the link down and up, so it is set once; mlx5 takes delay for metres.
    dcb pfc set dev enp1s0-x.7 prio-pfc all:off 3:on delay 5
    # From now on the cable length counts.
    dcb buffer set dev enp1s0-x.7 buffer-size all:0 0:130944 1:131072 \
        prio-buffer all:0 3:1
    # A NIC that pauses its port for this long stops doing so, before the switch drops its queue.
    if ethtool --get-tunable enp1s0-x.7 pfc-prevention-tout >/dev/null 2>&1; then
        ethtool --set-tunable enp1s0-x.7 pfc-prevention-tout 100
    else
        echo "enp1s0-x.7: its driver has no pfc-prevention-tout; passed over" >&2
    fi
    cm_default mlx5_2 104
    cc_param enp1s0-x.7 rp_clamp_tgt_rate 0
    cc_param enp1s0-x.7 rp_clamp_tgt_rate_ati 1
    cc_param enp1s0-x.7 rp_time_reset 300
    cc_param enp1s0-x.7 rp_byte_reset 32767
    cc_param enp1s0-x.7 rp_threshold 1
    cc_param enp1s0-x.7 rp_ai_rate 5
    cc_param enp1s0-x.7 rp_hai_rate 50
    cc_param enp1s0-x.7 rp_max_rate 0
    cc_param enp1s0-x.7 rp_min_rate 1
    cc_param enp1s0-x.7 rp_min_dec_fac 50
    cc_param enp1s0-x.7 rp_gd 11
    cc_param enp1s0-x.7 rp_rate_to_set_on_first_cnp 0
    cc_param enp1s0-x.7 rp_dce_tcp_g 1019
    cc_param enp1s0-x.7 rp_dce_tcp_rtt 1
    cc_param enp1s0-x.7 rp_rate_reduce_monitor_period 4
    cc_param enp1s0-x.7 rp_initial_alpha_value 1023
    cc_param enp1s0-x.7 np_min_time_between_cnps 4
    cc_param enp1s0-x.7 np_cnp_dscp 48
    cc_param enp1s0-x.7 np_cnp_prio 6

    # Reads of 4096 bytes: fewer requests in flight for the same rate.
    setpci -s "$(pci_address enp1s0-x.7)" CAP_EXP+08.w=5000:F000
    ip neigh replace 10.64.1.1 lladdr 02:00:00:00:01:01 dev enp1s0-x.7 nud permanent
    announce enp1s0-x.7 10.64.1.2
    remember enp1s0-x.7
    if [ -z "$only" ]; then
        systemctl enable 'rocefab-nic@enp1s0\x2dx.7.service' >/dev/null
    fi
fi
