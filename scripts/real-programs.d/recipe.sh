# What every recipe in this folder is run by: recipe.sh RECIPE packages|build|work|soak
#
# A recipe is a piece of bash that says
#   packages="..."     the Debian source packages it is built from; each is in a folder of its name when build is
#                      called. What building needs besides compilers is listed in scripts/setup (real-programs)
#   limit=N            seconds after which the work counts as hanging (optional)
#   build()            compiles with $CC, $CXX and $CFLAGS in a folder of its own, once for each variant
#   work()             the fixed workload. Standard output must be the same in every variant: print checksums and results,
#                      no times. Commands that are to be measured are prefixed by `measured`, a server by `serve`.
#                      $LOOK is 1 in the round whose reports are examined and which is not measured; it may do more.
#   soak()             one process that is kept busy for $seconds, prefixed by `measured` or `serve`
# $data/text is a file of 4 MB of words.
set -euo pipefail
recipe=$1
recipes=$(dirname "$recipe")
packages= limit=240
# shellcheck source=/dev/null
. "$recipe"

# Only the processes that are watched count, and only they see the options. The pid is for who ends or observes them.
# $ANALYSED is what analyses them from outside, if anything does: it passes signals on, and says with 66 that it found
# something.
measured() {
  local clock=(/usr/bin/time -q -a -o "$MEASURES" -f '%U %S %M') analysed=() status=0
  [ -z "${ANALYSED:-}" ] || read -ra analysed <<<"$ANALYSED"
  env "TSAN_OPTIONS=$WATCHED_OPTIONS" "DEADHEAT_OPTIONS=$WATCHED_OPTIONS" \
    "${clock[@]}" bash -c 'echo $$ >"$PID_FILE"; exec "$@"' measured "${analysed[@]}" "$@" || status=$?
  [ $status -ne 66 ] || [ -z "${ANALYSED:-}" ] || status=0
  return $status
}
# serve SOCKET COMMAND...: the server in the background, until its socket is there. `end_server` sends it a signal, if it
# needs one, and waits for its end.
serve() {
  local socket=$1 i
  shift
  rm -f "$socket"
  measured "$@" >server.log 2>&1 &
  server=$!
  for ((i = 0; i < 600; ++i)); do
    [ -S "$socket" ] && return 0
    sleep 0.1
  done
  echo "the server did not open $socket" >&2
  return 1
}
end_server() {
  [ $# -eq 0 ] || kill "$1" "$(cat "$PID_FILE")"
  wait "$server"
}
for_seconds() { timeout "$@" || [ $? -eq 124 ]; }
endless_text() {
  local end=$((SECONDS + seconds))
  while [ $SECONDS -lt $end ]; do cat "$data/text"; done
}
# A command that would go on for ever: it is ended when the time is over.
for_a_while() {
  measured "$@" &
  sleep "$seconds"
  kill -TERM "$(cat "$PID_FILE")"
  wait $! || [ $? -eq 143 ]
}
checksum() { sha256sum | cut -c1-16; }

case $2 in
  packages) echo "$packages:$limit:$(declare -f build | checksum)" ;;
  *) "$2" ;;
esac
