#!/bin/sh
# Written by rocefab from the inventory; changes are lost at the next apply.
# Settings in the firmware of the NICs of a1. Nothing runs this file: an operator does.
# It asks for a key first: an older firmware may not know it. What the driver takes at run time
# stands in apply.sh, and needs no restart.
set -eu

# PCI address of an interface.
pci_address() {
    basename "$(readlink -f "/sys/class/net/$1/device")"
}

# PCI address, then KEY=VALUE words: sets those that this firmware knows.
set_keys() {
    device=$1
    shift
    for word in "$@"; do
        if mlxconfig -d "$device" q "${word%%=*}" >/dev/null 2>&1; then
            mlxconfig -d "$device" -y set "$word" >/dev/null
        else
            echo "$device: this firmware has no ${word%%=*}" >&2
        fi
    done
}

# rail 0: eth1
device=0000:1a:00.0
# In force after: mlxfwreset -d $device -y -l 3 reset (restarts the driver), or a reboot.
set_keys "$device" ROCE_CC_PRIO_MASK_P1=8 CLAMP_TGT_RATE_P1=0 CLAMP_TGT_RATE_AFTER_TIME_INC_P1=1 RPG_TIME_RESET_P1=300 RPG_BYTE_RESET_P1=0 RPG_THRESHOLD_P1=1 RPG_AI_RATE_P1=20 RPG_HAI_RATE_P1=200 RPG_MAX_RATE_P1=0 RPG_MIN_RATE_P1=1000 RPG_MIN_DEC_FAC_P1=50 RPG_GD_P1=11 RATE_TO_SET_ON_FIRST_CNP_P1=0 DCE_TCP_G_P1=1020 DCE_TCP_RTT_P1=1 RATE_REDUCE_MONITOR_PERIOD_P1=4 INITIAL_ALPHA_VALUE_P1=1023 MIN_TIME_BETWEEN_CNPS_P1=4 CNP_DSCP_P1=48 CNP_802P_PRIO_P1=6 LLDP_NB_DCBX_P1=0 DCBX_WILLING_P1=0
# In force after a reboot of the host: they change what the PCIe bus sees.
set_keys "$device" SRIOV_EN=1 NUM_OF_VFS=4

# rail 1: enp1s0-x.7
device=0000:1a:00.1
# In force after: mlxfwreset -d $device -y -l 3 reset (restarts the driver), or a reboot.
set_keys "$device" ROCE_CC_PRIO_MASK_P2=8 CLAMP_TGT_RATE_P2=0 CLAMP_TGT_RATE_AFTER_TIME_INC_P2=1 RPG_TIME_RESET_P2=300 RPG_BYTE_RESET_P2=0 RPG_THRESHOLD_P2=1 RPG_AI_RATE_P2=20 RPG_HAI_RATE_P2=200 RPG_MAX_RATE_P2=0 RPG_MIN_RATE_P2=1000 RPG_MIN_DEC_FAC_P2=50 RPG_GD_P2=11 RATE_TO_SET_ON_FIRST_CNP_P2=0 DCE_TCP_G_P2=1020 DCE_TCP_RTT_P2=1 RATE_REDUCE_MONITOR_PERIOD_P2=4 INITIAL_ALPHA_VALUE_P2=1023 MIN_TIME_BETWEEN_CNPS_P2=4 CNP_DSCP_P2=48 CNP_802P_PRIO_P2=6 LLDP_NB_DCBX_P2=0 DCBX_WILLING_P2=0
