#!/usr/bin/env bash
# Fits how sure an answer may be of itself, on questions about Go's own source, the
# documentation and the code of modules, and a library: sentences, names, copied
# lines and files, each also asked where nothing answers them. Prints of each kind
# what the program in use states, and what the fit would. Arguments: flags of
# `freshet eval calibrate`. Needs universal-ctags.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bin/freshet-corpora -out "$folder" -sets golden,modules,library
bin/freshet eval make "$folder/golden/corpus" --out "$folder/docs" --kinds heading,none --tasks 300 --per-file 4
bin/freshet eval make "$(go env GOROOT)/src" --out "$folder/go" --tasks 600 --per-file 3
# A corpus becomes a source of the name of its folder.
mv "$folder/docs/corpus" "$folder/docs/prose"
mv "$folder/go/corpus" "$folder/go/gosrc"
for set in golden modules library; do mv "$folder/$set/corpus" "$folder/$set/$set"; done
golden=$folder/golden/questions.yaml

# Names, lines and files of each tree of code.
bin/freshet-exact -dir "$folder/go/gosrc" -names 400 -lines 400 -frames 300 -tasks "$folder/go.exact.jsonl"
bin/freshet-exact -dir "$folder/modules/modules" -names 200 -lines 200 -frames 200 -tasks "$folder/modules.exact.jsonl"

# What nothing answers: questions about something else.
awk 'NR % 2 == 1' "$folder/modules/tasks.jsonl" >"$folder/neither.jsonl"
awk 'NR % 10 == 1' "$folder/go/tasks.jsonl" >"$folder/elsewhere.jsonl"
awk 'NR % 2 == 0' "$folder/modules.exact.jsonl" >"$folder/modules.half.jsonl"
awk 'NR % 4 == 0' "$folder/go.exact.jsonl" >"$folder/go.quarter.jsonl"
awk 'NR % 4 == 2' "$folder/modules/tasks.jsonl" >"$folder/strange.jsonl"

bin/freshet eval calibrate --over services/query/internal/gate/calibration.json "prose=$folder/docs/tasks.jsonl" "gosrc=$folder/go/tasks.jsonl" \
	"golden=$golden" "modules=$folder/modules/tasks.jsonl" "library=$folder/library/tasks.jsonl" \
	"gosrc=$folder/go.exact.jsonl" "modules=$folder/modules.exact.jsonl" \
	--foreign "gosrc=$folder/neither.jsonl" --foreign "prose=$folder/elsewhere.jsonl" --foreign "golden=$folder/strange.jsonl" \
	--foreign "gosrc=$folder/modules.half.jsonl" --foreign "modules=$folder/go.quarter.jsonl" \
	--index "$folder/docs/prose" --index "$folder/go/gosrc" \
	--index "$folder/golden/golden" --index "$folder/modules/modules" --index "$folder/library/library" "$@"
