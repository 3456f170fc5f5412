#!/bin/bash
# Every mode on 1, 2 and 4 ranks; wrong data, a file and an array that are too small, bad input. Takes half a minute. Prints each
# failed check; exit code 1 if there is one. RUN is the launcher [mpirun].
set -u
cd "$(dirname "$0")" || exit 1

# shellcheck source=examples/checks.sh
source ../checks.sh

# mrci RANKS ARGUMENTS...: runs a small calculation.
mrci() {
  local ranks=$1
  shift
  limited 60 "$ranks" ./mrci --scratch "$work/scratch" --segments 40 --elements 3000 --couplings 7 --repeat 1 "$@"
}

# Lines of passes: mode, pass, seconds, two rates, records in memory and on disk, packed MB, c.Hc, check.
column() { awk -v column="$1" '$NF == "right" || $NF == "WRONG" { print $column }' "$work/out"; }

# So many passes ended right, with the same c.Hc as all before, and nothing is left behind.
product=
all_right() {
  product=${product:-$(column 9 | head -n 1)}
  [ "$code" -eq 0 ] && [ "$(column 10 | grep -c right)" -eq "$1" ] && [ "$(column 9 | sort -u)" = "$product" ] &&
    scratch_is_empty
}

# Records in memory and on disk are as many as expected: none, some or all of the 80.
places_are() { [ "$(amount "$(column 6)")" = "$1" ] && [ "$(amount "$(column 7)")" = "$2" ]; }
amount() { case $1 in 0) echo none ;; 80) echo all ;; *) echo some ;; esac; }

# The program ended with this code, and with a line of its own that says this.
refused() { # code text
  [ "$code" -eq "$1" ] && [ "$(grep -c '^mrci: ' "$work/out")" -ge 1 ] && grep '^mrci: ' "$work/out" | grep -q -- "$2" &&
    scratch_is_empty
}

[ -x ./mrci ] || { echo "check.sh: no ./mrci here; make it first"; exit 1; }
for ranks in 1 2 4; do
  mrci "$ranks"
  verdict "all modes on $ranks ranks" all_right 3
done
mrci 2 --mode memory
verdict "in mode memory all records are there" places_are all none
mrci 2 --mode disk
verdict "in mode disk all records are there" places_are none all
mrci 2 --mode overflow
verdict "in mode overflow some records are in memory and some on disk" places_are some some
mrci 2 --mode overflow --memory-mb 100
verdict "with enough memory nothing overflows" places_are all none
mkdir "$work/a" "$work/b" || exit 1
CHEMIO_SF_DIRS=$work/a:$work/b mrci 2
verdict "all modes in stripes" all_right 3
verdict "no stripe is left" rmdir "$work/a" "$work/b"
mrci 2 --segments 1
verdict "ranks that all want the same segment" test "$code" -eq 0

# A line each for 1, 2 and 4 ranks, with rates, and ratios in their order, above zero, of so many passes; and what the paper has.
is_table() { awk 'NR > 1 { lines = lines " " $1 }
                  NR > 1 && $1 != "paper" { for (i = 2; i <= 8; i++) bad += !($i > 0); bad += NF != 8 || $6 > $5 || $5 > $7 || $8 != 3 }
                  END { exit bad || lines != " 1 2 4 paper" }' "$work/out"; }
timeout 120 ./rates.sh --scratch "$work/scratch" --segments 40 --elements 3000 --couplings 7 --repeat 3 > "$work/out" 2>&1
code=$?
verdict "the table of rates is whole" is_table

for mode in memory disk; do
  mrci 2 --mode "$mode" --spoil 17
  verdict "a wrong element is found, mode $mode" refused 1 "segment 17, element 2999"
done
mrci 2 --mode disk --disk-mb 0.1
verdict "a file that is used up" refused 1 "no room"
mrci 2 --mode disk --scratch "$work/missing"
verdict "a directory that does not exist" refused 1 "missing"
for wrong in "--mode tape" "--segments 0" "--elements x" "--level 99" "--memory-mb -1" "--spoil 40" "--nonsense" "word"; do
  # shellcheck disable=SC2086 # options and their values
  mrci 2 $wrong
  verdict "$wrong is refused" refused 2 "--help"
done
mrci 1 --help
verdict "--help" test "$code" -eq 0

all_held
