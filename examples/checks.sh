# shellcheck shell=bash
# Sourced by a program's check.sh: counted checks of the program in the current directory. Makes the directories $work, removed in the
# end, and in it the empty $work/scratch. RUN is the launcher [mpirun].

# shellcheck source=examples/launcher.sh
source ../launcher.sh

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/scratch" || exit 1
checks=0
failures=0

# limited SECONDS RANKS COMMAND...: runs a program with a time limit; output in $work/out, exit code in $code.
limited() {
  local seconds=$1 ranks=$2
  shift 2
  timeout "$seconds" "${launcher[@]}" -n "$ranks" "$@" > "$work/out" 2>&1
  code=$?
}

# verdict NAME CONDITION...: counts a check, and shows the output of a failed one.
verdict() {
  local name=$1
  shift
  checks=$((checks + 1))
  "$@" && return
  failures=$((failures + 1))
  echo "FAILED: $name (exit code $code)"
  sed 's/^/    /' "$work/out"
}

scratch_is_empty() { [ -z "$(ls -A "$work/scratch")" ]; }

# all_held: says how many checks held, and whether all did.
all_held() {
  echo "$((checks - failures)) of $checks checks passed"
  [ "$failures" -eq 0 ]
}
