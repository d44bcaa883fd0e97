#!/bin/sh
# HealthCheckProgram for Slurm: drains a node where `rocefab serve` says that no job should go.
#
# Name it in slurm.conf; slurmd runs it as root on each node:
#   HealthCheckProgram=/etc/slurm/health_check.sh
#   HealthCheckInterval=60
#   HealthCheckNodeState=ANY,CYCLE
# It needs curl, timeout (coreutils) and scontrol. It takes 25 s at most; slurmd kills it after 60 s.
# It always succeeds, as slurmd may wait with its registration until its health check succeeds.
# A node that is drained, down or failing for another reason is left as it is; only a node whose
# reason begins with `rocefab:` is resumed. Where the service does not answer, nothing changes.
# Variables and states: slurm.conf(5) and scontrol(1).
PATH=/usr/bin:/bin
URL=http://127.0.0.1:8780 # https:// on nodes without the service: docs/service.md
HEADERS=/dev/null # a file of mode 0600 with `Authorization: Bearer TOKEN`, of scope read
NODE=${SLURMD_NODENAME:-$(uname -n | cut -d. -f1)}

answer=$(curl --silent --fail --max-time 5 -H "@$HEADERS" "$URL/v1/hosts/$NODE") || exit 0
node=$(timeout 10 scontrol --oneliner show node "$NODE") || exit 0
state=$(printf '%s\n' "$node" | sed -n 's/.* State=\([^ ]*\).*/\1/p')
reason=$(printf '%s\n' "$node" | sed -n 's/.* Reason=\(.*\)/\1/p')

case "$state" in
*DRAIN* | *DOWN* | *FAIL*) is_away=yes ;;
*) is_away=no ;;
esac
case "$answer" in
*'"takes_jobs":false'*)
  [ $is_away = yes ] && exit 0
  why=$(printf '%s\n' "$answer" | sed -n 's/.*"reason":"\([^"\\]*\).*/\1/p' | tr -cd 'A-Za-z0-9 .,:;/_-')
  timeout 10 scontrol update NodeName="$NODE" State=DRAIN Reason="rocefab: $why"
  ;;
*'"takes_jobs":true'*)
  case "$state:$reason" in
  *DOWN*:* | *FAIL*:*) ;;
  *DRAIN*:rocefab:*) timeout 10 scontrol update NodeName="$NODE" State=RESUME ;;
  esac
  ;;
esac
exit 0
