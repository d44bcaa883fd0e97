#!/bin/sh
# First program of a host: systemd-nspawn mounts /sys and /proc/sys read-only. What belongs to the
# network namespace becomes writable, as on a host of metal; what belongs to the machine stays as it
# is. With a writable /sys systemd and networkd take udev into account.
set -eu
mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net
mount -o remount,rw /sys
for folder in /sys/*/; do
    case $folder in
    /sys/class/ | /sys/fs/) continue ;;
    esac
    mount --bind "$folder" "$folder"
    mount -o remount,bind,ro "$folder"
done
mount --bind /sys/devices/virtual/net /sys/devices/virtual/net
mount -o remount,bind,rw /sys/devices/virtual/net
# Without devtmpfs systemd hears of devices only where udev seems to run already (systemd,
# src/libsystemd/sd-device/device-monitor.c, device_monitor_new_full).
mkdir -p /run/udev
: > /run/udev/control
exec /lib/systemd/systemd
