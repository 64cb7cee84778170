#!/usr/bin/env bash
# Makes the task sets that every machine can have, indexes each in a temporary
# state with the program as it is built for users, and fails where a figure is
# below its floor. Arguments: the sets (none: all of the floors), then flags of
# `freshet eval`.
set -euo pipefail
cd "$(dirname "$0")/.."

# The history is that of the project as of this commit, so that figures of today
# and of next year compare.
pinned=52dd271f09cd739a30cdf7f42ce21ccc6c75638c
floors=lab/eval/floors.yaml
ranks=lab/ranks
sets=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
	sets+=("$1")
	shift
done
named=yes
if [ ${#sets[@]} -eq 0 ]; then
	named=no
	read -r -d '' -a sets < <(sed -n 's/^\([a-z-]*\):$/\1/p' "$floors") || true
fi

# Another configuration has other ranks.
if [ "${EVAL_RANKS:-}" = compare ] && env | grep -qE '^FRESHET_(QUERY|STORES|CHUNKER|EMBEDDER|COLLECTIONS)_'; then
	EVAL_RANKS=
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# EVAL_SAVE keeps the answers in a folder, EVAL_AGAINST compares with those that
# were kept there. EVAL_MISSPELT asks the questions misspelt, for which there are no
# floors. EVAL_RANKS compares the first hits of each question with those that are
# kept (compare, or strict: also fail where the corpus is another) or keeps them
# (update).
missed=()
moved=()
for name in "${sets[@]}"; do
	flags=()
	saved=$folder/$name.json
	[ -z "${EVAL_SAVE:-}" ] || saved=$EVAL_SAVE/$name.json
	[ -z "${EVAL_SAVE:-}${EVAL_RANKS:-}" ] || flags+=(--save "$saved")
	[ -z "${EVAL_AGAINST:-}" ] || flags+=(--against "$EVAL_AGAINST/$name.json")
	# Of servers, each set has its own part.
	export FRESHET_ELASTICSEARCH_PREFIX="eval-$name-$$" FRESHET_WEAVIATE_PREFIX="Eval$name$$"
	printf '\n==> %s\n' "$name"
	project=$PWD
	if [ "$name" = history ]; then
		project=$folder/project
		if ! git cat-file -e "$pinned^{commit}" 2>/dev/null; then
			echo 'eval: the history is not here, so this set is left out: fetch it with `git fetch --unshallow`' >&2
			[ $named = no ] || exit 2
			continue
		fi
		git clone -q --no-checkout . "$project"
		git -C "$project" checkout -q --detach "$pinned"
	fi
	bin/freshet-corpora -out "$folder" -sets "$name" -project "$project"
	tasks=$folder/$name/tasks.jsonl corpus=$folder/$name/corpus
	if [ -e "$folder/$name/questions.yaml" ]; then
		tasks=$folder/$name/questions.yaml # written by hand
	fi
	if [ "$name" = history ]; then
		# Asked as of the commit before each change, in a copy of the repository.
		tasks=$folder/$name/commits.jsonl corpus=$project
		[ -e "$tasks" ] || {
			echo 'eval: there is no history to make tasks of, so this set is left out: fetch it with `git fetch --unshallow`' >&2
			[ $named = no ] || exit 2
			continue
		}
	fi
	if [ -n "${EVAL_MISSPELT:-}" ]; then
		LC_ALL=C awk -f tools/misspell.awk "$tasks" >"$folder/misspelt.${tasks##*.}"
		tasks=$folder/misspelt.${tasks##*.}
	else
		flags+=(--floors "$floors")
	fi
	status=0
	bin/freshet eval "$tasks" --index "$corpus" --set "$name" ${flags[@]+"${flags[@]}"} "$@" || status=$?
	case $status in
	0) ;;
	1) missed+=("$name") ;;
	*) exit "$status" ;;
	esac
	if [ -n "${EVAL_RANKS:-}" ] && [ -e "$ranks/$name.txt" ]; then
		flags=()
		[ "$EVAL_RANKS" = compare ] || flags+=("-$EVAL_RANKS")
		status=0
		bin/freshet-ranks -set "$name" -run "$saved" -made "$folder/$name/versions.txt" -file "$ranks/$name.txt" ${flags[@]+"${flags[@]}"} || status=$?
		case $status in
		0) ;;
		1) moved+=("$name") ;;
		*) exit "$status" ;;
		esac
	fi
	rm -rf "${folder:?}/$name" "$folder/$name.json"
done
if [ ${#moved[@]} -gt 0 ]; then
	printf '\neval: other first hits: %s\n' "${moved[*]}" >&2
fi
if [ ${#missed[@]} -gt 0 ]; then
	printf '\neval: below a floor: %s\n' "${missed[*]}" >&2
fi
[ ${#missed[@]} -eq 0 ] && [ ${#moved[@]} -eq 0 ]
