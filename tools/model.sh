#!/usr/bin/env bash
# Trains an embedding model on Go's own source, the modules that this project
# depends on, and the folders of MODEL_FROM, into bin/model, and asks the task
# sets that every machine can have of it and of the bundled model. What these ask
# for is held back from the training. Arguments: flags of freshet-model.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bin/freshet-corpora -out "$folder" -sets go,modules,golden
from=()
for place in ${MODEL_FROM:-}; do
	from+=(-from "$place")
done
rm -rf bin/model
bin/freshet-model -out bin/model -apart "$folder/go/tasks.jsonl" -apart "$folder/modules/tasks.jsonl" "${from[@]}" "$@"

below=()
for name in golden go modules; do
	printf '\n==> %s: the model in bin/model, against the bundled one\n' "$name"
	tasks=$folder/$name/tasks.jsonl
	[ "$name" != golden ] || tasks=$folder/$name/questions.yaml
	bin/freshet eval "$tasks" --index "$folder/$name/corpus" --set "$name" --save "$folder/$name.json" >/dev/null
	status=0
	FRESHET_EMBEDDER_MODEL=$PWD/bin/model bin/freshet eval "$tasks" --index "$folder/$name/corpus" --set "$name" \
		--against "$folder/$name.json" --floors lab/eval/floors.yaml || status=$?
	case $status in
	0) ;;
	1) below+=("$name") ;;
	*) exit "$status" ;;
	esac
done
[ ${#below[@]} -eq 0 ] || printf '\nmodel: below a floor: %s\n' "${below[*]}"
printf '\nThe bundled model is as it was. To use this one: FRESHET_EMBEDDER_MODEL=%s\n' "$PWD/bin/model"
