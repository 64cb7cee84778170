#!/usr/bin/env bash
# Asks the task sets of `make eval` with the embedded stores and then with a real
# Elasticsearch and a real Weaviate, and compares the two task by task.
# Arguments: as those of eval.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
EVAL_SAVE=$kept tools/eval.sh "$@"
# Deadlines are wide: an answer without one of the channels would say nothing of
# the ranking.
EVAL_AGAINST=$kept bin/freshet-servers run sh -c '
	export FRESHET_STORES_LEXICAL=elasticsearch FRESHET_ELASTICSEARCH_URLS=$ELASTIC_URL
	export FRESHET_STORES_VECTOR=weaviate FRESHET_WEAVIATE_URL=$WEAVIATE_URL
	export FRESHET_QUERY_CHANNEL_DEADLINE=20s FRESHET_QUERY_EMBED_DEADLINE=5s
	exec tools/eval.sh "$@"' eval-servers "$@"
