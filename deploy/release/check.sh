#!/bin/sh
# check.sh VERSION OUT: installs what pack.py has made for this machine, each way in an
# empty home, and asks a question of two files; prints commands and seconds.
set -eu
version=$1 out=$(cd "$2" && pwd)
case $(uname -m) in x86_64) arch=amd64 cpu=x64 wheel=x86_64 ;; aarch64 | arm64) arch=arm64 cpu=arm64 wheel=aarch64 ;; *) echo "check.sh: not for this machine" >&2; exit 2 ;; esac
[ "$(uname -s)" = Linux ] || { echo "check.sh: for Linux" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/project/sub"
printf 'package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string {\n\treturn s\n}\n' >"$work/project/parse.go"
printf '# Herons\n\nA heron stands in the reeds.\n' >"$work/project/sub/reeds.md"
python=$(python3 -c 'import sys; print(sys.executable)') # not a version manager's, which looks into the home folder

# way NAME COMMAND…: each COMMAND is a line of a shell in an empty home.
way() {
	name=$1
	shift
	home=$work/$name
	mkdir -p "$home"
	count=0 began=$(date +%s%N)
	for command in "$@" 'freshet search --in "$PROJECT" "where does the heron stand"'; do
		count=$((count + 1))
		env -i HOME="$home" PATH="$home/bin:/usr/bin:/bin" PROJECT="$work/project" DIST="$out" PYTHON="$python" TMPDIR="$work" \
			sh -euc "cd; $command" >"$work/said" 2>&1 || { echo "check.sh: $name: $command" >&2; cat "$work/said" >&2; exit 1; }
	done
	took=$((($(date +%s%N) - began) / 1000000))
	grep -q 'sub/reeds.md' "$work/said" || { echo "check.sh: $name finds something else:" >&2; cat "$work/said" >&2; exit 1; }
	# The server for agents is found beside it, and ends with its input.
	env -i HOME="$home" PATH="$home/bin:/usr/bin:/bin" freshet mcp --no-start </dev/null || { echo "check.sh: $name has no server for agents" >&2; exit 1; }
	printf '%-8s %s commands to the first answer, %d.%01d s: %s\n' "$name" "$count" $((took / 1000)) $((took % 1000 / 100)) "$(env -i HOME="$home" PATH="$home/bin:/usr/bin:/bin" freshet --version)"
}

way tarball 'mkdir -p bin && tar -xzf "$DIST"/freshet-'"$version-linux-$arch"'.tar.gz --strip-components=1 -C bin'
way wheel '"$PYTHON" -m venv .' 'bin/pip install --quiet --disable-pip-version-check --no-index "$DIST"/freshet-*manylinux*'"$wheel"'*.whl'
way deb 'dpkg-deb -x "$DIST"/freshet_*_'"$arch"'.deb root && ln -s root/usr/bin bin'
if command -v npm >/dev/null 2>&1; then
	way npm 'npm install --global --prefix . --offline --silent "$DIST"/freshet-dev-freshet-linux-'"$cpu-$version"'.tgz "$DIST"/freshet-'"$version"'.tgz'
else
	echo "npm      was not tried: there is none"
fi
# The image as a runtime would have it: its layers, one over the other.
way image 'mkdir root && "$PYTHON" - "$DIST"/image '"$arch"' <<END
import json, pathlib, sys, tarfile
at = pathlib.Path(sys.argv[1])
blob = lambda d: at / "blobs" / d.replace(":", "/")
one = next(m for m in json.loads((at / "index.json").read_text())["manifests"] if m["platform"]["architecture"] == sys.argv[2])
for layer in json.loads(blob(one["digest"]).read_text())["layers"]:
    tarfile.open(blob(layer["digest"])).extractall("root")
END
ln -s root/usr/bin bin'
