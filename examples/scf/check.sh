#!/bin/bash
# Water in every mode at 1 and 2 ranks against the reference energies; bad input, full disks and a killed job must
# end as README.md says. Takes about a minute. Prints each failed check; exit code 1 if there is one.
set -u
cd "$(dirname "$0")" || exit 1

# shellcheck source=examples/checks.sh
source ../checks.sh

# scf RANKS ARGUMENTS...
scf() {
  local ranks=$1
  shift
  limited 120 "$ranks" ./scf --scratch "$work/scratch" --vectors "$work/vectors" "$@"
}

reference() { awk -v m="$1" -v b="$2" -v f="$3" '$1 == m && $2 == b && $3 == f { print $4 }' data/reference.txt; }

# All final energies in the output, $1 of them, within 1e-6 of $2, from a run that ended well and cleaned up.
energies_are() {
  scratch_is_empty && awk -v wanted="$1" -v reference="$2" -v code="$code" '
    /final energy/ { n++; d = $3 - reference; if (d < 0) d = -d; if (d > 1e-6) bad = 1 }
    END { exit !(code == 0 && reference != "" && n == wanted && !bad) }' "$work/out"
}

# The run failed, with exactly this one line of its own, and left no scratch file.
refused() {
  [ "$code" -ne 0 ] && [ "$code" -ne 124 ] && [ "$(grep -c '^scf: error: ' "$work/out")" -eq 1 ] &&
    grep '^scf: error: ' "$work/out" | grep -q -- "$1" && scratch_is_empty
}

# In iteration 3 of a run that ended well, the last column but $1 is 'zero' or 'positive' ($2).
third_iteration() {
  awk -v column="$1" -v wanted="$2" -v code="$code" '
    $1 == 3 && NF == 11 { seen = 1; found = $(NF - column) > 0 ? "positive" : "zero" }
    END { exit !(code == 0 && seen && found == wanted) }' "$work/out"
}
quartets=0 megabytes=4

# The run ended well, before iteration $1.
ends_before() { [ "$code" -eq 0 ] && grep -q '^ *1 ' "$work/out" && ! grep -q "^ *$1 " "$work/out"; }

[ -x ./scf ] || { echo "check.sh: no ./scf here; make it first"; exit 1; }
water=(--xyz data/water.xyz)
for ranks in 1 2; do
  for basis in sto-3g 6-31g_st cc-pvdz cc-pvtz; do
    scf $ranks "${water[@]}" --basis data/$basis.g94 --mode all
    verdict "water $basis, all modes, $ranks ranks" energies_are 3 "$(reference water $basis spherical)"
  done
  expected=$(reference water cc-pvtz spherical)
  scf $ranks "${water[@]}" --basis data/cc-pvtz.g94 --mode conventional
  verdict "conventional energy, $ranks ranks" energies_are 1 "$expected"
  verdict "conventional reads the disk, $ranks ranks" third_iteration $megabytes positive
  verdict "conventional computes nothing again, $ranks ranks" third_iteration $quartets zero
  scf $ranks "${water[@]}" --basis data/cc-pvtz.g94 --mode semidirect --memory-mb 0.6 --disk-mb 0.6
  verdict "semidirect energy with little room, $ranks ranks" energies_are 1 "$expected"
  verdict "semidirect reads the disk, $ranks ranks" third_iteration $megabytes positive
  verdict "semidirect computes the rest, $ranks ranks" third_iteration $quartets positive
  scf $ranks "${water[@]}" --basis data/cc-pvtz.g94 --mode direct
  verdict "direct energy, $ranks ranks" energies_are 1 "$expected"
  verdict "direct reads nothing, $ranks ranks" third_iteration $megabytes zero
done
scf 1 "${water[@]}" --basis data/cc-pvdz.g94 --guess core
verdict "core guess" energies_are 1 "$(reference water cc-pvdz spherical)"
scf 4 "${water[@]}" --basis data/cc-pvdz.g94 --mode all
verdict "four ranks" energies_are 3 "$(reference water cc-pvdz spherical)"
scf 2 "${water[@]}" --basis data/6-31g_st.g94 --cartesian --mode all
verdict "Cartesian functions, all modes alike" energies_are 3 "$(awk '/final energy/ { print $3; exit }' "$work/out")"

# Restart.
scf 1 "${water[@]}" --basis data/cc-pvdz.g94
scf 2 "${water[@]}" --basis data/cc-pvdz.g94 --restart
verdict "restart energy" energies_are 1 "$(reference water cc-pvdz spherical)"
verdict "restart is short" ends_before 5
scf 2 "${water[@]}" --basis data/cc-pvtz.g94 --restart
verdict "vectors of another basis" refused 'belong to another molecule, geometry, basis or charge'
printf 'x' | dd of="$work/vectors" bs=1 seek=200 conv=notrunc status=none
scf 2 "${water[@]}" --basis data/cc-pvdz.g94 --restart
verdict "damaged vectors" refused 'is damaged'
rm -f "$work/vectors"
scf 2 "${water[@]}" --basis data/cc-pvdz.g94 --restart
verdict "missing vectors" refused 'eaf_open .*vectors'

# A job killed while it iterates leaves vectors to restart from.
biphenyl=(--xyz data/c14h8f6.xyz --basis data/sto-3g.g94)
./scf "${biphenyl[@]}" --scratch "$work" --vectors "$work/vectors" > "$work/killed" 2>&1 &
killed=$!
for _ in $(seq 600); do
  grep -q '^ *4 ' "$work/killed" && break
  sleep 0.05
done
kill -9 $killed
wait $killed 2> /dev/null
verdict "the job was killed after iteration 4 and before its end" \
  eval 'grep -q "^ *4 " "$work/killed" && ! grep -q "final energy" "$work/killed"'
scf 2 "${biphenyl[@]}" --restart
verdict "restart after a kill" energies_are 1 "$(reference c14h8f6 sto-3g spherical)"
verdict "restart after a kill goes on from iteration 3 or later" \
  awk '$1 == 1 && NF == 11 && $2 < -1116.5 && $2 > -1116.6 { ok = 1 } END { exit !ok }' "$work/out"

# Bad input.
basis=(--basis data/sto-3g.g94)
head -4 data/water.xyz > "$work/short.xyz"
scf 2 --xyz "$work/short.xyz" "${basis[@]}"
verdict "truncated xyz" refused 'short.xyz, line 4: the file ends after 2 atoms of 3'
sed 's/^O/Qq/' data/water.xyz > "$work/bad.xyz"
scf 2 --xyz "$work/bad.xyz" "${basis[@]}"
verdict "unknown element" refused 'bad.xyz, line 3: unknown element "Qq"'
sed 's/0.7572/zero/' data/water.xyz > "$work/bad.xyz"
scf 2 --xyz "$work/bad.xyz" "${basis[@]}"
verdict "text for a number" refused 'bad.xyz, line 4: an atom is'
sed 's/^O/P/' data/water.xyz > "$work/bad.xyz"
scf 2 --xyz "$work/bad.xyz" "${basis[@]}"
verdict "element without functions" refused 'sto-3g.g94 has no functions for P'
scf 2 --xyz "$work/none.xyz" "${basis[@]}"
verdict "missing xyz" refused 'none.xyz'
head -c 300 data/sto-3g.g94 > "$work/short.g94"
scf 2 "${water[@]}" --basis "$work/short.g94"
verdict "truncated basis" refused 'short.g94, line [0-9]*: '
head -3 data/sto-3g.g94 > "$work/short.g94"
scf 2 "${water[@]}" --basis "$work/short.g94"
verdict "basis that ends inside a shell" refused 'short.g94, line 3: the file ends inside a shell'
scf 2 "${water[@]}" "${basis[@]}" --charge 1
verdict "odd electron count" refused 'an odd number of electrons (9)'
scf 2 "${water[@]}" "${basis[@]}" --mode fast
verdict "unknown mode" refused 'unknown mode "fast"'
scf 2 "${water[@]}" "${basis[@]}" --fast yes
verdict "unknown option" refused 'unknown option --fast'
scf 2 "${water[@]}" "${basis[@]}" --threshold small
verdict "bad number" refused 'needs a number, not "small"'
scf 2 "${water[@]}"
verdict "no basis" refused 'no basis'
scf 2 "${water[@]}" "${basis[@]}" --max-iterations 3
verdict "no convergence" refused 'the iterations did not converge'

# Bad places for files.
scf 2 "${water[@]}" "${basis[@]}" --scratch "$work/nowhere"
verdict "missing scratch directory" refused 'rank [01]: eaf_open .*nowhere'
timeout 120 "${launcher[@]}" -n 1 ./scf "${water[@]}" "${basis[@]}" --scratch "$work/scratch" --vectors "$work/v" : \
  -n 1 ./scf "${water[@]}" "${basis[@]}" --scratch "$work/nowhere" > "$work/out" 2>&1
code=$?
verdict "scratch missing on one rank only" refused 'rank 1: eaf_open .*nowhere'
scf 2 "${water[@]}" "${basis[@]}" --vectors "$work/nowhere/vectors"
verdict "missing directory for vectors" refused 'eaf_open .*nowhere/vectors'
# A disk of one megabyte, where we may mount one.
if mkdir "$work/small" && mount -t tmpfs -o size=1m tmpfs "$work/small" 2> /dev/null; then
  trap 'umount "$work/small"; rm -rf "$work"' EXIT
  scf 2 "${biphenyl[@]}" --scratch "$work/small"
  verdict "full disk" refused 'rank [01]: eaf_.*: .*[Nn]o space'
  verdict "full disk: nothing is left there" eval '[ "$code" -ne 0 ] && [ -z "$(ls -A "$work/small")" ]'
  scf 2 "${biphenyl[@]}" --vectors "$work/small/vectors"
  verdict "vectors on a small disk" energies_are 1 "$(reference c14h8f6 sto-3g spherical)"
else
  echo "not run: full disk (no permission to mount one)"
fi

all_held
