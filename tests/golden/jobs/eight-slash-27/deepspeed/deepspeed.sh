#!/bin/sh
# Written by rocefab from the inventory; run it next to hostfile and environment.
export DS_ENV_FILE=deepspeed.env
exec deepspeed --hostfile hostfile --master_addr node001 --master_port 29500 "$@"
