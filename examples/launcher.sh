# Sourced: `launcher`, the words that launch an MPI program. RUN is the launcher [mpirun]; Open MPI's is told that there may be more
# ranks than processors, and that root may use it.
read -ra launcher <<< "${RUN:-mpirun}"
if grep -q 'Open MPI\|OpenRTE' <<< "$("${launcher[0]}" --version 2>&1)"; then
  launcher+=(--oversubscribe)
  [ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
