# What the benchmark scripts share: one measured run, and the heads of their pages. Sourced, not run.
deadheat=build/bin/deadheat
folder=build/bench

# One run; a line "cpu wall decode detect peak_bytes variables". The report stays in $folder/report.json.
measure() { # trace detector jobs [options of analyze]
  local report=$folder/report.json clock user system wall number='[0-9.e+-]*'
  TIMEFORMAT='%U %S %R'
  clock=$({ time "$deadheat" analyze --detector "$2" --jobs "$3" --stats --format json --output "$report" "${@:4}" "$1" >&2 ||
    [ $? -eq 66 ]; } 2>&1)
  read -r user system wall <<<"$clock"
  value() { grep -o "\"$1\":$number" "$report" | head -n 1 | cut -d: -f2; }
  awk -v u="$user" -v s="$system" -v w="$wall" -v d="$(value decode_seconds)" -v t="$(value detect_seconds)" \
    -v m="$(value peak_bytes)" -v v="$(value variables)" 'BEGIN {print u + s, w, d, t, m, v}'
}

# Of rows with two words of name: for each name the smallest of every measure.
least() {
  awk '{key = $1 " " $2
        if (!(key in seen)) {seen[key] = 1; order[++n] = key; for (i = 3; i <= 8; i++) best[key, i] = $i}
        for (i = 3; i <= 8; i++) if ($i + 0 < best[key, i] + 0) best[key, i] = $i}
       END {for (k = 1; k <= n; k++) {line = order[k]; for (i = 3; i <= 8; i++) line = line " " best[order[k], i]; print line}}'
}

# The table that says where and when, and how to repeat it.
head_of_page() { # title command rounds
  echo "# $1"
  echo
  echo "Repeat with \`$2\`. Least of $3 interleaved rounds; CPU time is user and system together."
  echo
  echo "| | |"
  echo "| --- | --- |"
  echo "| date | $(date +%F) |"
  echo "| commit | $(git rev-parse --short HEAD)$(git diff --quiet HEAD || echo ', with changes') |"
  echo "| machine | $(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo) |"
  echo "| system | $(uname -sr), $(g++ --version | head -n 1) |"
}

# Where a page goes: only full-size measurements are kept.
page_for() { # name events
  if [ "$2" -ge 100000000 ]; then
    mkdir -p bench/results
    echo "bench/results/$(date +%F)-$1.md"
  else
    echo "$folder/$1.md"
  fi
}

# A generated trace, kept for the next time.
generate() { # name events options...
  local trace=$folder/$1-$2-events.dht
  if [ ! -s "$trace" ]; then
    echo "Generating $trace" >&2
    "$deadheat" trace generate --events "$2" --seed 1 "${@:3}" "$trace.new.dht"
    mv "$trace.new.dht" "$trace"
  fi
  echo "$trace"
}
