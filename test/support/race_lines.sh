# The lines of races: those that a program marks, and those that a report names. Sourced by scripts.
# The marked lines of a program, one "LINE LINE" for each race.
expected_pairs() {
  awk '{ while (match($0, /\/\/ race( [a-z]+)?( [0-9]+)?$/)) {
           label = substr($0, RSTART + 7); count = 1
           $0 = substr($0, 1, RSTART - 1); sub(/ +$/, "")
           if (match(label, / [0-9]+$/)) { count = substr(label, RSTART) + 0; label = substr(label, 1, RSTART - 1) }
           lines[label] = lines[label] " " NR; n[label]++; times[label] = count } }
    END { for (l in lines) { split(lines[l], p, " "); if (n[l] == 1) p[2] = p[1]; for (i = 0; i < times[l]; ++i) print p[1], p[2] } }' "$1" | sort
}
# "LINE LINE" for each report: the topmost frame of each of the two stacks that lies in the program itself.
reported_pairs() {
  awk -v file="$2" '
    function finish() { if (in_report) print (line[1] + 0 <= line[2] + 0 ? line[1] " " line[2] : line[2] " " line[1]); in_report = 0 }
    /^WARNING: / { finish(); in_report = /data race|heap-use-after-free|race on /; stack = 0; line[1] = line[2] = 0; next }
    /^  (Previous )?([Aa]tomic )?([Rr]ead|[Ww]rite|[Ff]ree) / { stack++; active = 1; next }
    /^  [A-Z]/ { active = 0 }
    active && stack <= 2 && /^    #[0-9]+ / {
      if (line[stack] == 0 && (at = index($0, "/" file ":")) > 0) line[stack] = substr($0, at + length(file) + 2) + 0
    }
    END { finish() }' "$1" | sort
}
