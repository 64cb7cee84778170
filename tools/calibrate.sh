#!/usr/bin/env bash
# Fits how sure an answer may be of itself, on sets of questions of which each is asked
# in an index of its own: sentences, names, copied lines and files, each also where
# nothing answers them. Every machine has Go's own source, the documentation and the
# code of modules, and a library; with
#   BENCH=<folder with tasks-dev.jsonl> REPOS=<folder with its repositories>
#   CISI=<folder with ALL, QRY, REL> XQUAD=<folder with xquad.LANGUAGE.json> LANGUAGES=de,en
#   ISSUES=<file of SWE-bench> TREES=<folder with owner__name>
# the published tasks, questions about prose and issues are asked, too. Prints of each
# kind of question and of task what the program in use states, and what the fit would,
# judged by fits that have not seen the set. SAMPLES=<folder> keeps what was answered,
# and what is there already is not asked again. Arguments: flags of
# `freshet eval calibrate`. Needs universal-ctags.
set -euo pipefail
export LC_ALL=C # the order of files is that of the samples
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
samples=${SAMPLES:-$folder/samples}
mkdir -p "$samples"

# ask SET FOLDER FLAG…: asks the tasks of one set.
ask() {
	local file=$samples/${1//\//.}.jsonl set=$1 corpus=$2
	shift 2
	[ -s "$file" ] || bin/freshet eval calibrate --set "$set" --index "$corpus" --save "$file" "$@"
}
# every N FILE…: one task of so many.
every() { local n=$1; shift; awk -v n="$n" 'FNR % n == 1' "$@"; }
# foreign NAME…: what is in $folder/NAME.jsonl, where that is anything, as flags.
foreign() {
	flags=()
	for name in "$@"; do
		[ ! -s "$folder/$name.jsonl" ] || flags+=(--foreign "$folder/$name.jsonl")
	done
}

bin/freshet-corpora -out "$folder" -sets golden,modules,library
bin/freshet eval make "$folder/golden/corpus" --out "$folder/docs" --kinds heading,none --tasks 300 --per-file 4
bin/freshet eval make "$(go env GOROOT)/src" --out "$folder/go" --tasks 400 --per-file 3
bin/freshet-exact -dir "$folder/go/corpus" -names 200 -lines 150 -frames 150 -tasks "$folder/go.exact.jsonl"
bin/freshet-exact -dir "$folder/modules/corpus" -names 150 -lines 100 -frames 100 -tasks "$folder/modules.exact.jsonl"

# What nothing answers: questions about something else.
every 3 "$folder/modules/tasks.jsonl" >"$folder/f.modules.jsonl"
every 6 "$folder/go/tasks.jsonl" >"$folder/f.go.jsonl"
every 3 "$folder/modules.exact.jsonl" >"$folder/f.modules.exact.jsonl"
every 4 "$folder/go.exact.jsonl" >"$folder/f.go.exact.jsonl"
[ -z "${BENCH:-}" ] || every 5 "$BENCH/tasks-dev.jsonl" >"$folder/f.published.jsonl"

foreign f.published f.modules
ask golden/documents "$folder/golden/corpus" "$folder/golden/questions.yaml" ${flags[@]+"${flags[@]}"}
foreign f.go
ask made/documents "$folder/docs/corpus" "$folder/docs/tasks.jsonl" ${flags[@]+"${flags[@]}"}
foreign f.published f.go.exact
ask made/modules "$folder/modules/corpus" "$folder/modules/tasks.jsonl" "$folder/modules.exact.jsonl" ${flags[@]+"${flags[@]}"}
foreign f.modules
ask made/library "$folder/library/corpus" "$folder/library/tasks.jsonl" ${flags[@]+"${flags[@]}"}
foreign f.modules f.modules.exact
ask made/go "$folder/go/corpus" "$folder/go/tasks.jsonl" "$folder/go.exact.jsonl" ${flags[@]+"${flags[@]}"}

if [ -n "${BENCH:-}" ]; then
	# Each repository, beside its questions also names, lines and files of it, and
	# questions about others in other languages.
	field() { sed -n 's/.*"'"$1"'": "\([^"]*\)".*/\1/p' "$2" | head -n 1; }
	before=$folder/go.exact.jsonl n=0
	for repo in $(sed -n 's/.*"repo": "\([^"]*\)".*/\1/p' "$BENCH/tasks-dev.jsonl" | sort -u); do
		n=$((n + 1))
		grep -F "\"repo\": \"$repo\"" "$BENCH/tasks-dev.jsonl" >"$folder/own.jsonl"
		corpus=$REPOS/$repo/$(field root "$folder/own.jsonl")
		if [ ! -d "$corpus" ]; then
			echo "calibrate: $repo is not in $REPOS, so it is left out (make bench-quality ARGS=\"--names all\" brings it)" >&2
			continue
		fi
		grep -vF "\"language\": \"$(field language "$folder/own.jsonl")\"" "$BENCH/tasks-dev.jsonl" | awk -v n="$n" 'NR % 45 == n % 45' >"$folder/f.others.jsonl"
		bin/freshet-exact -dir "$corpus" -names 30 -lines 20 -frames 12 -tasks "$folder/exact.$repo.jsonl" || rm -f "$folder/exact.$repo.jsonl"
		every 3 "$before" >"$folder/f.before.jsonl"
		head -n 22 "$folder/f.before.jsonl" >"$folder/f.exact.jsonl"
		tasks=("$folder/own.jsonl")
		if [ -s "$folder/exact.$repo.jsonl" ]; then
			tasks+=("$folder/exact.$repo.jsonl")
			before=$folder/exact.$repo.jsonl
		fi
		foreign f.others f.exact
		ask "published/$repo" "$corpus" "${tasks[@]}" ${flags[@]+"${flags[@]}"}
	done
fi

if [ -n "${CISI:-}${XQUAD:-}" ]; then
	sets=$(go run ./lab/cmd/freshet-prose -out "$folder/prose" -cisi "${CISI:-}" -xquad "${XQUAD:-}" ${LANGUAGES:+-languages "$LANGUAGES"})
	for set in $sets; do
		corpus=$folder/prose/$set/corpus tasks=$folder/prose/$set/tasks.jsonl
		if [ "$set" = cisi ]; then
			ask "prose/$set" "$corpus" "$tasks" --foreign "$folder/golden/questions.yaml"
		else
			# A third of the paragraphs is taken out: what asks for them has no answer,
			# and the others of their article stay.
			(cd "$corpus" && find * -type f) | LC_ALL=C sort | awk 'NR % 3 == 0 {printf "\"relevant\":[\"%s\"]\n", $0}' >"$folder/gone"
			grep -Ff "$folder/gone" "$tasks" >"$folder/f.gone.jsonl"
			grep -vFf "$folder/gone" "$tasks" >"$folder/left.jsonl"
			sed 's/.*\["\(.*\)"\]/\1/' "$folder/gone" | while read -r file; do rm "$corpus/$file"; done
			ask "prose/$set" "$corpus" "$folder/left.jsonl" --foreign "$folder/f.gone.jsonl"
		fi
	done
fi

if [ -n "${ISSUES:-}" ]; then
	mkdir -p "$folder/issues"
	trees=$(go run ./lab/cmd/freshet-issues -out "$folder/issues" -issues "$ISSUES" -trees "$TREES")
	for tree in $trees; do
		find "$folder/issues" -name '*.jsonl' ! -name "$tree.jsonl" -exec cat {} + >"$folder/f.issues.jsonl"
		foreign f.issues
		ask "issue/$tree" "$TREES/$tree" "$folder/issues/$tree.jsonl" ${flags[@]+"${flags[@]}"}
	done
fi

kept=()
for file in "$samples"/*.jsonl; do kept+=(--samples "$file"); done
bin/freshet eval calibrate --over services/query/internal/gate/calibration.json "${kept[@]}" "$@"
