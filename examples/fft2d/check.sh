#!/bin/bash
# Extents that panels and bricks divide and that they do not, with both checks, on 1, 2, 3 and 4 ranks; wrong data, bad input. Takes some
# seconds. Prints each failed check; exit code 1 if there is one. RUN is the launcher [mpirun].
set -u
cd "$(dirname "$0")" || exit 1

# shellcheck source=examples/checks.sh
source ../checks.sh

# fft2d RANKS ARGUMENTS...
fft2d() {
  local ranks=$1
  shift
  limited 120 "$ranks" ./fft2d "$@"
}

# All three ways agree with the transform in memory, and nothing is left behind.
all_agree() { [ "$code" -eq 0 ] && [ "$(grep -c ' agrees: ' "$work/out")" -eq 3 ] && scratch_is_empty; }

# None of the three ways does, and that is a failure.
all_are_wrong() { [ "$code" -eq 1 ] && [ "$(grep -c ' WRONG: ' "$work/out")" -eq 3 ] && scratch_is_empty; }

# The program ended with this code, and with exactly one line of its own, which says this.
refused() { # code text
  [ "$code" -eq "$1" ] && [ "$(grep -c '^fft2d: ' "$work/out")" -eq 1 ] && grep '^fft2d: ' "$work/out" | grep -q -- "$2" &&
    scratch_is_empty
}

something_else_stays() { [ "$code" -eq 1 ] && [ "$(cat "$work/scratch/fft2d-columns")" = text ]; }

[ -x ./fft2d ] || { echo "check.sh: no ./fft2d here; make it first"; exit 1; }
for ranks in 1 2 3 4; do
  for sizes in "1024 1024" "1021 509" "700 1300" "3 70001" "1 5"; do
    # shellcheck disable=SC2086 # two numbers
    fft2d "$ranks" $sizes 16 "$work/scratch"
    verdict "$sizes on $ranks ranks" all_agree
  done
done
fft2d 2 1021 509 16 "$work/scratch" factors
verdict "against transforms of both factors" all_agree
fft2d 2 1021 509 16 "$work/scratch" spoil
verdict "one wrong element of the input is found" all_are_wrong

fft2d 2 1021 509 16 "$work/missing"
verdict "a directory that does not exist" refused 1 "No such file or directory"
echo text > "$work/scratch/fft2d-columns"
fft2d 2 1021 509 16 "$work/scratch"
verdict "something else in the array's place stays" something_else_stays
rm -f "$work/scratch/fft2d-columns"
for wrong in "0" "-3" "1e3" "100 many" "100 100 12345678901" "100 100 7" "300000 10 16" "9 9 16 . all" "9 9 16 . in-core more"; do
  # shellcheck disable=SC2086 # words
  fft2d 2 $wrong
  verdict "arguments \"$wrong\" are refused" refused 2 ""
done

all_held
