#!/bin/bash
# ./rates.sh [OPTION OF mrci...]: the table of the paper, MB/s per rank in memory and on disk, and the second over the first, on 1, 2
# and 4 ranks: medians of 7 passes, and the lowest and the highest ratio of a pass. --repeat N: of N passes. RUN is the launcher
# [mpirun].
set -euo pipefail
cd "$(dirname "$0")"

# shellcheck source=examples/launcher.sh
source ../launcher.sh

printf '%5s %10s %10s %10s %13s %8s %8s %7s\n' ranks memory disk overflow disk:memory lowest highest passes
for ranks in 1 2 4; do
  output=$("${launcher[@]}" -n "$ranks" ./mrci --repeat 7 "$@")
  # median MB/s a rank of N passes, R ranks:  memory A  disk B  overflow C
  # disk:memory D, median of N passes, from E to F; in the paper 0.67
  awk -v ranks="$ranks" '
    /^median/ { for (i = 1; i < NF; i++) value[$i] = $(i + 1) }
    /^disk:memory/ {
      gsub(/[,;]/, "")
      printf "%5d %10s %10s %10s %13s %8s %8s %7d\n",
        ranks, value["memory"], value["disk"], value["overflow"], $2, $8, $10, value["of"]
    }' <<< "$output"
done
printf '%5s %10s %10s %10s %13s\n' paper 3 2 - 0.67
