#!/usr/bin/env bash
# Runs fuzz targets: fuzz/run.sh SECONDS [JOBS] [TARGET…]
# Without targets: all. JOBS run side by side (default 2). Ends with a table and with 1 if anything was found.
# Needs a nightly compiler and cargo-fuzz. BARTIZAN_FUZZ_PYTHON names a Python with lxml for the differential of
# c14n_diff. New inputs go to fuzz/work (not kept in the repository), findings to fuzz/artifacts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
SECONDS_EACH=${1:?seconds for each target}
JOBS=${2:-2}
shift $(($# > 2 ? 2 : $#))
TARGETS=("$@")
[ ${#TARGETS[@]} -gt 0 ] || mapfile -t TARGETS < <(cd fuzz_targets && ls -- *.rs | sed 's/\.rs$//')
BIN=${CARGO_TARGET_DIR:-target}/$(rustc -vV | sed -n "s/^host: //p")/release

cargo +nightly fuzz build --features fuzzing --fuzz-dir . --release --debug-assertions > work.log 2>&1 || {
  tail -40 work.log >&2
  exit 1
}
rm -f work.log
mkdir -p work artifacts

one() {
  local target=$1 dict=()
  mkdir -p "work/$target" "artifacts/$target"
  [ -f "dict/$target.dict" ] && dict=("-dict=dict/$target.dict")
  "$BIN/$target" "work/$target" "corpus/$target" "${dict[@]}" -max_total_time="$SECONDS_EACH" \
    -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 -artifact_prefix="artifacts/$target/" > "work/$target.log" 2>&1
}

for target in "${TARGETS[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do wait -n || true; done
  one "$target" &
done
wait

FOUND=0
printf '%-12s %14s %10s %8s %9s\n' target executions coverage corpus findings
for target in "${TARGETS[@]}"; do
  log=work/$target.log
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  last=$(grep -aE '^#[0-9]+.*DONE' "$log" | tail -1 || true)
  found=$(find "artifacts/$target" -type f | wc -l)
  # A log without its last line is a target that fell over.
  [ -n "$last" ] || { found=$((found > 0 ? found : 1)); tail -30 "$log" >&2; }
  FOUND=$((FOUND + found))
  printf '%-12s %14s %10s %8s %9s\n' "$target" "${runs:--}" "$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' <<< "$last")" \
    "$(sed -n 's/.* corp: \([0-9]*\).*/\1/p' <<< "$last")" "$found"
done
[ "$FOUND" = 0 ]
