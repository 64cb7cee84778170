#!/bin/sh
# build.sh VERSION OUT OS/ARCH…: builds freshet and freshet-mcp for each system into
# OUT/build/OS-ARCH, on one machine: the C compiler for all of them is zig's, from
# PyPI. Programs for Linux are static; those for macOS are linked with the stubs
# beside this script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
version=$1 out=$2
shift 2
systems=$*
kept=${FRESHET_RELEASE:-${XDG_CACHE_HOME:-$HOME/.cache}/freshet-release}
mkdir -p "$kept"
if [ ! -x "$kept/venv/bin/python" ] || ! "$kept/venv/bin/python" -c 'import ziglang' 2>/dev/null; then
	python3 -m venv "$kept/venv"
	"$kept/venv/bin/pip" install --quiet --disable-pip-version-check 'ziglang==0.17.*'
fi
cd "$repo"
commit=$(git rev-parse --short=12 HEAD)$([ -z "$(git status --porcelain)" ] || echo +)
process=github.com/freshet-dev/freshet/pkg/process
stamp="-X $process.Version=$version -X $process.commit=$commit"
for system in $systems; do
	os=${system%/*} arch=${system#*/}
	case $arch in amd64) cpu=x86_64 ;; arm64) cpu=aarch64 ;; *) echo "build.sh: $arch is not known" >&2; exit 2 ;; esac
	# Go keeps what it has compiled by the compiler's name.
	case $os in
	linux) cc=$kept/cc-$arch flags="-target $cpu-linux-musl" ;;
	darwin) cc=$kept/cc-$arch-macos flags="-target $cpu-macos -F$here/stubs -L$here/stubs" ;;
	*) echo "build.sh: $os is not known" >&2; exit 2 ;;
	esac
	printf '#!/bin/sh\nexec %s -m ziglang cc %s "$@"\n' "$kept/venv/bin/python" "$flags" >"$cc"
	chmod +x "$cc"
	to=$out/build/$os-$arch
	mkdir -p "$to"
	began=$(date +%s)
	set -- -trimpath -tags netgo,osusergo
	CGO_ENABLED=1 GOOS=$os GOARCH=$arch CC=$cc go build "$@" -ldflags "-s -w -extldflags=-s $stamp" -o "$to/freshet" ./services/freshet/cmd/freshet
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build "$@" -ldflags "-s -w $stamp" -o "$to/freshet-mcp" ./services/freshet/cmd/freshet-mcp
	echo "$os/$arch: freshet $(wc -c <"$to/freshet") bytes, freshet-mcp $(wc -c <"$to/freshet-mcp") bytes, built in $(($(date +%s) - began)) s"
done
