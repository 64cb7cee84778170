#!/bin/sh
# Holds the vectors of models that freshet runs itself against those of ONNX Runtime:
# vectors.sh NAME…
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/freshet-vectors
mkdir -p "$cache"
[ -x "$cache/python/bin/python" ] || python3 -m venv "$cache/python"
"$cache/python/bin/python" -c 'import onnxruntime, tokenizers, numpy' 2>/dev/null ||
	"$cache/python/bin/pip" install -q onnxruntime tokenizers numpy
${GO:-go} build -o bin/freshet-vectors ./lab/cmd/freshet-vectors

# load URL FILE loads it once.
load() {
	[ -f "$2" ] || { curl -fsSL -o "$2.part" "$1" && mv "$2.part" "$2"; }
}
for name in "$@"; do
	url=$(bin/freshet-vectors -url "$name")
	load "$url" "$cache/$name.jar"
	load "$(echo "$url" | sed 's#/\([^/]*\)/\([^/]*\)/\1-\2.jar$#/\1-q/\2/\1-q-\2.jar#')" "$cache/$name-q.jar"
	[ -d "$cache/$name" ] || bin/freshet model add "$name" --from "$cache/$name.jar" --to "$cache/$name" >/dev/null
	[ -d "$cache/$name-int8" ] || bin/freshet model add "$name" --int8 --from "$cache/$name.jar" --to "$cache/$name-int8" >/dev/null
	"$cache/python/bin/python" -B lab/cmd/freshet-vectors/compare.py bin/freshet-vectors "$name" "$cache/$name" "$cache/$name-int8" "$cache/$name.jar" "$cache/$name-q.jar" docs
done
