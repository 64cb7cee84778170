#!/bin/sh
# Drives bin/freshet-mcp with the official clients of the protocol; see
# checks/clients. What they need is loaded from npm and PyPI.
set -eu
. "$(dirname "$0")/instance.sh"
kept=${FRESHET_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/freshet-clients}
node_sdk=@modelcontextprotocol/sdk@1.32.2
inspector=@modelcontextprotocol/inspector@2.12.0
python_sdk=mcp==2.3.0

for program in node npm python3; do
	command -v "$program" >/dev/null 2>&1 || { echo "mcp-clients: $program is missing; install Node 20 and Python 3.10 or newer" >&2; exit 1; }
done
mkdir -p "$kept"
[ -f "$kept/package.json" ] || echo '{"private": true, "type": "module"}' >"$kept/package.json"
(cd "$kept" && npm install --no-audit --no-fund --save-exact --silent "$node_sdk" "$inspector")
[ -x "$kept/python/bin/python" ] || python3 -m venv "$kept/python"
"$kept/python/bin/pip" install --quiet --disable-pip-version-check "$python_sdk"
cp "$repo/checks/clients/client.mjs" "$repo/checks/clients/http.mjs" "$kept/"

mkdir -p "$work/project/sub"
printf 'package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string {\n\treturn s\n}\n' >"$work/project/parse.go"
printf '# Herons\n\nA heron stands in the reeds.\n' >"$work/project/sub/reeds.md"
start "$work/project"
cd "$work/project"
node "$kept/client.mjs" "$repo/bin/freshet-mcp" "$work/state"
page=$("$repo/bin/freshet" open --data "$work/state" --print)
node "$kept/http.mjs" "${page%/open*}/mcp" "$("$repo/bin/freshet" open --data "$work/state" --token --role ask)"
"$kept/python/bin/python" "$repo/checks/clients/client.py" "$repo/bin/freshet-mcp" "$work/state"
inspect() {
	"$kept/node_modules/.bin/mcp-inspector" --cli "$repo/bin/freshet" mcp --data "$work/state" "$@" >"$work/inspected" 2>&1 || { cat "$work/inspected" >&2; exit 1; }
}
has() { grep -q -e "$1" "$work/inspected" || { echo "mcp-clients: the inspector shows no $1:" >&2; cat "$work/inspected" >&2; exit 1; }; }
inspect --method tools/list && has '"outline"' && has '"related"'
inspect --method tools/call --tool-name search --tool-arg query=ParseHeron && has 'parse.go:4 ParseHeron'
inspect --method tools/call --tool-name read --tool-arg path=sub/reeds.md && has '3| A heron stands in the reeds.'
echo "inspector: the list and two tools, through freshet mcp"
