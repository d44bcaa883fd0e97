#!/bin/sh
# Written by rocefab: makes the account that it logs in with.
set -eu
user=rocefab
if ! id "$user" >/dev/null 2>&1; then
    useradd --create-home --shell /bin/bash "$user"
fi
usermod --password '$6$saltsalt$abcdefghijklmnopqrstuvwxyz0123456789./ABC' "$user"
home=$(getent passwd "$user" | cut -d: -f6)
install -d -m 0700 -o "$user" "$home/.ssh"
echo 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8mmn rocefab@ops' > "$home/.ssh/authorized_keys"
chown "$user" "$home/.ssh/authorized_keys"
chmod 0600 "$home/.ssh/authorized_keys"
umask 0227
echo "$user ALL=(ALL) NOPASSWD: ALL" > /etc/sudoers.d/rocefab
