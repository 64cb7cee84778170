#!/bin/sh
# Keeps bare mirrors of git repositories: mirror.sh once, or mirror.sh every SECONDS.
#
# $MIRRORS/repositories is a list with a name and an address in each line, $DIR the
# folder of the mirrors. A user and a password lie in $SECRETS/NAME. `once` fails
# where a repository that was never there cannot be fetched; otherwise what is
# there stays, and is fetched again next time.
set -eu

# fetch NAME URL; it is called where `set -e` does not work.
fetch() {
	mirror=$DIR/$1.git
	if [ ! -d "$mirror" ]; then
		rm -rf "$mirror.new" &&
			credentials "$1" clone --quiet --mirror "$2" "$mirror.new" &&
			mv "$mirror.new" "$mirror" && echo "cloned $1"
		return
	fi
	git -C "$mirror" remote set-url origin "$2" &&
		credentials "$1" -C "$mirror" fetch --quiet --prune origin
}

# credentials NAME GIT-ARGUMENTS…
credentials() {
	secret=$SECRETS/$1
	shift
	if [ ! -e "$secret/password" ]; then
		git "$@"
		return
	fi
	SECRET=$secret git -c credential.helper= -c credential.helper='!f() {
		[ "$1" != get ] || printf "username=%s\npassword=%s\n" "$(cat "$SECRET/username")" "$(cat "$SECRET/password")"
	}; f' "$@"
}

# all fails where a repository is missing afterwards.
all() {
	missing=0
	while read -r name url; do
		fetch "$name" "$url" </dev/null || {
			echo "could not fetch $name from $url" >&2
			[ -d "$DIR/$name.git" ] || missing=1
		}
	done <"$MIRRORS/repositories"
	return $missing
}

export GIT_TERMINAL_PROMPT=0
case "${1-} ${2-}" in
"once ") all ;;
"every "[1-9]*)
	# The first signal ends it, also while it sleeps.
	trap 'exit 0' TERM INT
	while :; do
		sleep "$2" &
		wait $!
		all || :
	done
	;;
*)
	echo "usage: mirror.sh once, or mirror.sh every SECONDS" >&2
	exit 2
	;;
esac
