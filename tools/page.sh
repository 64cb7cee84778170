#!/bin/sh
# Drives the page of bin/freshet with a real browser; see checks/page. Chromium is
# that of the system, the rest is loaded from npm. With a folder as argument it
# writes pictures there.
set -eu
. "$(dirname "$0")/instance.sh"
kept=${FRESHET_PAGE:-${XDG_CACHE_HOME:-$HOME/.cache}/freshet-page}
playwright=playwright-core@1.65.1
axe=axe-core@4.14.1

for program in node npm; do
	command -v "$program" >/dev/null 2>&1 || { echo "page: $program is missing; install Node 20 or newer" >&2; exit 1; }
done
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || { echo "page: no Chromium; install it (Debian: apt install chromium), or name one in CHROMIUM" >&2; exit 1; }
export CHROMIUM
mkdir -p "$kept"
[ -f "$kept/package.json" ] || echo '{"private": true, "type": "module"}' >"$kept/package.json"
(cd "$kept" && npm install --no-audit --no-fund --save-exact --silent "$playwright" "$axe")
cp "$repo/checks/page/page.mjs" "$kept/"

mkdir -p "$work/project" "$work/extra"
cp -R "$repo/pkg" "$repo/services" "$repo/docs" "$work/project/"
printf '# Notes\n\n<img src=x onerror="globalThis.hurt = 1"><b>bold</b> retries\n' >"$work/project/<b>notes<b>.md"
printf '# Extra\n\nOne more folder.\n' >"$work/extra/extra.md"
: >"$work/model"
node "$repo/checks/page/model.mjs" >"$work/model" &
model=$!
running=$model
until grep -q '^http' "$work/model"; do
	kill -0 "$model"
	sleep 0.1
done
export FRESHET_QUERY_ANSWER_KIND=openai FRESHET_QUERY_ANSWER_MODEL=gpt-4o FRESHET_QUERY_ANSWER_KEY=none FRESHET_GATEWAY_LISTEN=127.0.0.1:0
FRESHET_QUERY_ANSWER_URL=$(head -1 "$work/model")
export FRESHET_QUERY_ANSWER_URL
start "$work/project"
node "$kept/page.mjs" "$repo/bin/freshet" "$work/state" "$work/project" "$work/extra" "$work/model" "${1:-}"
