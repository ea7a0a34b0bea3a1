# Sourced by the scripts that test live detection: the compilers that they may use.
#
# DEADHEAT_COMPILERS="gcc clang-14 clang-19" names them; without it they are those of the three that are installed.
# A script that finds none of those it needs ends by `skip`: ctest then says "Skipped".
supported_compilers=(gcc clang-14 clang-19)
read -ra compilers <<<"${DEADHEAT_COMPILERS:-}"
if [ ${#compilers[@]} -eq 0 ]; then
  for compiler in "${supported_compilers[@]}"; do
    if command -v "$compiler" >/dev/null; then compilers+=("$compiler"); fi
  done
else
  for compiler in "${compilers[@]}"; do
    if [[ " ${supported_compilers[*]} " != *" $compiler "* ]] || ! command -v "$compiler" >/dev/null; then
      echo "DEADHEAT_COMPILERS names $compiler: it is not installed, or none of ${supported_compilers[*]}" >&2
      exit 2
    fi
  done
fi

skip() { echo "skipped: $1"; exit 77; }
may_use() { [[ " ${compilers[*]} " == *" $1 "* ]]; }
cxx_of() { sed 's/gcc/g++/; s/clang/clang++/' <<<"$1"; }
# For scripts that do not care by what they compile: $any_cc is one of them. The wrappers choose for themselves, unless
# DEADHEAT_COMPILERS leaves something out.
choose_compiler() {
  [ ${#compilers[@]} -gt 0 ] || skip "no compiler: one of ${supported_compilers[*]} is needed"
  any_cc=${compilers[0]}
  [ -n "${DEADHEAT_COMPILERS:-}" ] || return 0
  export DEADHEAT_CC=$any_cc DEADHEAT_CXX
  DEADHEAT_CXX=$(cxx_of "$any_cc")
}
