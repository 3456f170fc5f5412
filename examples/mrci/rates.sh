#!/bin/bash
# ./rates.sh [OPTION OF mrci...]: the table of the paper, MB/s per rank in memory and on disk, on 1, 2 and 4 ranks. RUN is the
# launcher [mpirun].
set -euo pipefail
cd "$(dirname "$0")"

# shellcheck source=examples/launcher.sh
source ../launcher.sh

printf '%5s %12s %12s %12s %14s\n' ranks memory disk overflow "disk:memory"
for ranks in 1 2 4; do
  output=$("${launcher[@]}" -n "$ranks" ./mrci --repeat 5 "$@")
  # ... memory A  disk B  overflow C  disk:memory D
  awk -v ranks="$ranks" '/^median/ {
    for (i = 1; i < NF; i++) value[$i] = $(i + 1)
    printf "%5d %12s %12s %12s %14s\n", ranks, value["memory"], value["disk"], value["overflow"], value["disk:memory"]
  }' <<< "$output"
done
