#!/bin/sh
# Starts bin/freshet on a state folder of its own and has a vulture circle over
# it. Arguments go to `freshet vulture`.
set -eu

folder=$(mktemp -d)
mkfifo "$folder/ready"
bin/freshet up --data "$folder/state" --nats-port 0 >"$folder/ready" 2>"$folder/log" &
instance=$!
end() {
	kill -INT "$instance" 2>/dev/null && wait "$instance" || true
	rm -rf "$folder"
}
trap end EXIT
read -r line <"$folder/ready" || {
	cat "$folder/log" >&2
	exit 2
}
echo "$line" >&2
bin/freshet vulture --data "$folder/state" "$@"
