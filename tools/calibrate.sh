#!/usr/bin/env bash
# Fits how sure an answer may be of itself on questions about Go's own source and
# about the documentation of modules, each also asked what only the other answers,
# or neither. Arguments: flags of `freshet eval calibrate`.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bin/freshet-corpora -out "$folder" -sets golden,modules
bin/freshet eval make "$folder/golden/corpus" --out "$folder/docs" --kinds heading,none --tasks 300 --per-file 4
bin/freshet eval make "$(go env GOROOT)/src" --out "$folder/go" --tasks 600 --per-file 3
# A corpus becomes a source of the name of its folder.
mv "$folder/docs/corpus" "$folder/docs/prose"
mv "$folder/go/corpus" "$folder/go/gosrc"
sed 's/^{/{"source":"prose",/' "$folder/docs/tasks.jsonl" >"$folder/prose.jsonl"
sed 's/^{/{"source":"gosrc",/' "$folder/go/tasks.jsonl" >"$folder/gosrc.jsonl"
awk 'NR % 2 == 1' "$folder/modules/tasks.jsonl" >"$folder/neither.jsonl"
awk 'NR % 10 == 1' "$folder/go/tasks.jsonl" >"$folder/elsewhere.jsonl"
bin/freshet eval calibrate "$folder/prose.jsonl" "$folder/gosrc.jsonl" \
	--foreign "gosrc=$folder/neither.jsonl" --foreign "prose=$folder/elsewhere.jsonl" \
	--index "$folder/docs/prose" --index "$folder/go/gosrc" "$@"
