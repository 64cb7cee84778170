#!/bin/sh
# Installs the programs as a stranger does: `go install …@VERSION` out of an archive
# of the module in a home with nothing in it, and asks the result a question. The
# archive is of what git knows of this checkout, changes included; what it depends
# on comes out of this machine's module cache, else from where Go always takes it.
set -eu
GO=${GO:-go}
module=github.com/freshet-dev/freshet
version=v0.0.0-installed

folder=$(mktemp -d)
instance=
end() {
	[ -z "$instance" ] || { kill -INT "$instance" 2>/dev/null && wait "$instance" || true; }
	chmod -R u+w "$folder" # the module cache is read only
	rm -rf "$folder"
}
trap end EXIT

# A file proxy: https://go.dev/ref/mod#goproxy-protocol. An archive holds no module
# that lies within another.
proxy=$folder/proxy/$module/@v
mkdir -p "$proxy" "$folder/home" "$folder/notes"
tree=$(cp "$(git rev-parse --git-path index)" "$folder/index" && export GIT_INDEX_FILE="$folder/index" && git add -u && git write-tree)
set --
for mod in $(git ls-files '*/go.mod'); do
	set -- "$@" ":(exclude)$(dirname "$mod")"
done
git archive --format=zip --prefix="$module@$version/" -o "$proxy/$version.zip" "$tree" . "$@"
cp go.mod "$proxy/$version.mod"
echo "$version" >"$proxy/list"
echo "{\"Version\":\"$version\",\"Time\":\"2000-01-01T00:00:00Z\"}" >"$proxy/$version.info"

cached=$($GO env GOMODCACHE)/cache/download
builds=$($GO env GOCACHE)
others=$($GO env GOPROXY)
cd "$folder"
env -u GOFLAGS -u GOWORK -u GOBIN -u GOMODCACHE HOME="$folder/home" GOPATH="$folder/home/go" GOCACHE="$builds" \
	GOPROXY="file://$folder/proxy,file://$cached,$others" GONOSUMDB="$module" GOFLAGS=-trimpath \
	"$GO" install "$module/services/freshet/cmd/freshet@$version" "$module/services/freshet/cmd/freshet-mcp@$version"
bin=$folder/home/go/bin
test -x "$bin/freshet-mcp"

echo 'The heron stands in the reeds and waits for a frog.' >"$folder/notes/heron.md"
export HOME="$folder/home"
mkfifo ready
"$bin/freshet" up --data "$folder/state" --nats-port 0 "$folder/notes" >ready 2>log &
instance=$!
read -r line <ready || {
	cat log >&2
	exit 2
}
found=$("$bin/freshet" search --data "$folder/state" --all 'which bird waits in the reeds' -k 1)
case $found in
heron.md:* | */heron.md:*) echo "$("$bin/freshet" --version) was installed from an archive of $module and finds:"; echo "$found" ;;
*)
	echo "the program that was installed says: $found" >&2
	exit 1
	;;
esac
