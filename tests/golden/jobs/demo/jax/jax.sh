#!/bin/sh
# Written by rocefab from the inventory; run it on every host of the job.
name=$(hostname -s)
case "$name" in
  gpu001) node_rank=0 ;;
  gpu002) node_rank=1 ;;
  *) echo "$name is not a host of this job" >&2; exit 2 ;;
esac
export JAX_COORDINATOR_ADDRESS=gpu001:1234
export JAX_LOCAL_DEVICE_IDS=0,1
export JAX_NUM_PROCESSES=2
export JAX_PROCESS_ID="$node_rank"
exec "$@"
