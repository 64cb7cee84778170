#!/usr/bin/env bash
# Trains a reranker on task sets that every machine can have, prints what it is worth
# on tasks that were held back, and serves nothing. Arguments: the sets, then flags
# of `freshet train reranker`.
set -euo pipefail
cd "$(dirname "$0")/.."

sets=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
	sets+=("$1")
	shift
done
[ ${#sets[@]} -gt 0 ] || sets=(modules)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

tasks=() indexes=()
for name in "${sets[@]}"; do
	bin/freshet-corpora -out "$folder" -sets "$name"
	[ -e "$folder/$name/tasks.jsonl" ] || {
		echo "learned: there is nothing to learn from in the set $name: take go, library or modules" >&2
		exit 2
	}
	# A corpus becomes a source of the name of its folder.
	mv "$folder/$name/corpus" "$folder/$name/$name"
	sed "s/^{/{\"source\":\"$name\",/" "$folder/$name/tasks.jsonl" >"$folder/$name.jsonl"
	tasks+=("$folder/$name.jsonl")
	indexes+=(--index "$folder/$name/$name")
done
bin/freshet train reranker "${tasks[@]}" "${indexes[@]}" --dry-run "$@"
