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

for name in "$@"; do
	[ -f "$cache/$name.jar" ] || {
		curl -fsSL -o "$cache/$name.part" "$(bin/freshet-vectors -url "$name")"
		mv "$cache/$name.part" "$cache/$name.jar"
	}
	[ -d "$cache/$name" ] || bin/freshet model add "$name" --from "$cache/$name.jar" --to "$cache/$name" >/dev/null
	"$cache/python/bin/python" -B lab/cmd/freshet-vectors/compare.py bin/freshet-vectors "$name" "$cache/$name" "$cache/$name.jar" docs
done
