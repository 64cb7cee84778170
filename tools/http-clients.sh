#!/bin/sh
# Has the generators of two languages make clients of the gateway's description, and
# runs the tutorial with each; see checks/clients. They are loaded from npm and PyPI.
set -eu
. "$(dirname "$0")/instance.sh"
kept=${FRESHET_HTTP_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/freshet-http-clients}
types=openapi-typescript@7.13.0
fetch=openapi-fetch@0.17.0
compiler=typescript@5.9.3
node_types=@types/node@22.20.7
generator=openapi-python-client==0.29.1

for program in node npm python3 curl; do
	command -v "$program" >/dev/null 2>&1 || { echo "http-clients: $program is missing; install Node 20 and Python 3.10 or newer, and curl" >&2; exit 1; }
done
mkdir -p "$kept"
[ -f "$kept/package.json" ] || echo '{"private": true, "type": "module"}' >"$kept/package.json"
(cd "$kept" && npm install --no-audit --no-fund --save-exact --silent "$types" "$fetch" "$compiler" "$node_types")
[ -x "$kept/python/bin/python" ] || python3 -m venv "$kept/python"
"$kept/python/bin/pip" install --quiet --disable-pip-version-check "$generator"

# garden makes the folder of the tutorial, as its page has it.
garden() {
	mkdir -p "$1"
	sed -n "/^mkdir -p ~\/garden\/notes/,/^echo 'TOKEN=abc'/p" "$repo/docs/tutorial/first-index.md" | sed 's/^mkdir .*/mkdir -p notes/' >"$work/garden.sh"
	(cd "$1" && sh "$work/garden.sh")
}
export FRESHET_GATEWAY_LISTEN=127.0.0.1:0
for language in TypeScript Python; do
	mkdir "$work/$language"
	garden "$work/$language/garden"
	start "$work/$language/garden"
	page=$("$repo/bin/freshet" open --data "$work/state" --print)
	url=${page%/open*}
	token=$("$repo/bin/freshet" open --data "$work/state" --token --role write)
	curl -fsS "$url/openapi.json" >"$work/openapi.json"
	if [ "$language" = TypeScript ]; then
		"$kept/node_modules/.bin/openapi-typescript" "$work/openapi.json" -o "$kept/freshet.d.ts" >"$work/made" 2>&1 || { cat "$work/made" >&2; exit 1; }
		cp "$repo/checks/clients/tutorial.ts" "$kept/"
		(cd "$kept" && node_modules/.bin/tsc --strict --target es2022 --module nodenext --types node tutorial.ts)
		node "$kept/tutorial.js" "$url" "$token" "$work/$language/garden"
	else
		# It knows no answers in lines, and leaves these out; nothing else may be missing.
		(cd "$work" && "$kept/python/bin/openapi-python-client" generate --path openapi.json --output-path "$work/client" >"$work/made" 2>&1) || { cat "$work/made" >&2; exit 1; }
		warnings=$(grep -c '^WARNING' "$work/made" || true)
		in_lines=$(grep -c 'Unsupported content_type application/x-ndjson' "$work/made" || true)
		if grep -q '^Unable to' "$work/made" || [ "$warnings" != "$in_lines" ]; then
			cat "$work/made" >&2
			exit 1
		fi
		"$kept/python/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$work/client"
		"$kept/python/bin/python" "$repo/checks/clients/tutorial.py" "$url" "$token" "$work/$language/garden"
	fi
	kill "$up" && wait "$up" || true
	rm -rf "$work/state"
done
