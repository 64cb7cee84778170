#!/bin/sh
# Runs the tests against real servers in the folders that are named as arguments:
# those in files with the build tag `servers`, one package after the other, so
# that at most one package's servers run at a time. Where WEAVIATE_URL or
# ELASTIC_URL names a server that runs already, the tests that stop, wipe or
# configure servers are left out: those with the build tags `servers && control`.
set -eu

tags=servers,control
files=$(grep -rl --include='*_test.go' '^//go:build servers' "$@" || true)
if [ -n "${WEAVIATE_URL:-}${ELASTIC_URL:-}" ]; then
	tags=servers
	files=$(printf '%s\n' "$files" | xargs grep -L '^//go:build .*control' || true)
	echo "WEAVIATE_URL=${WEAVIATE_URL:-} ELASTIC_URL=${ELASTIC_URL:-}: without the tests that control their servers"
fi

ran=
failed=
for dir in $(for file in $files; do dirname "$file"; done | sort -u); do
	tests=$(for file in $files; do
		[ "$(dirname "$file")" = "$dir" ] && sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*testing\.T).*/\1/p' "$file"
	done | paste -sd '|' -)
	[ -n "$tests" ] || continue
	ran="$ran $dir"
	echo "== $dir"
	${GO:-go} test -race -count=1 -timeout 30m -v -tags "$tags" -run "^($tests)\$" "./$dir" || failed="$failed $dir"
done
if [ -n "$failed" ]; then
	echo "failed against the servers:$failed" >&2
	exit 1
fi
if [ -z "$ran" ]; then
	echo "no tests against real servers were found in $*" >&2
	exit 1
fi
