# For the scripts beside it, which read it with `.`: a folder for what they write, in
# $work, that goes with everything in $running when they end; and a freshet of their own.
repo=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
running=
finish() {
	for one in $running; do
		kill "$one" 2>/dev/null && wait "$one" 2>/dev/null || true
	done
	rm -rf "$work"
}
trap finish EXIT
unset FRESHET_NATS_URL

# start FOLDER starts freshet on it, with its state in $work/state, and waits until it is
# ready.
start() {
	"$repo/bin/freshet" up --data "$work/state" --nats-port 0 "$1" >"$work/up" 2>"$work/errors" &
	up=$!
	running="$running $up"
	until grep -q '^ready ' "$work/up"; do
		kill -0 "$up" 2>/dev/null || { cat "$work/errors" >&2; exit 1; }
		sleep 0.1
	done
}
