// Package giturl reads the addresses of git repositories on other machines.
package giturl

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/document"
)

// schemes are those that git fetches by. A helper ("ext::…") runs any program, so
// that none of these can be named.
var schemes = map[string]bool{"https": true, "http": true, "ssh": true, "git+ssh": true, "git": true, "file": true}

// Is reports whether a text is meant as an address, and no path: it has a scheme, or
// is of the form HOST:PATH with a user before the host.
func Is(text string) bool {
	if strings.Contains(text, "://") {
		return true
	}
	host, _, colon := strings.Cut(text, ":")
	return colon && strings.Contains(host, "@") && !strings.Contains(host, "/")
}

// Check returns nil for an address that git can fetch by. One that holds a password is
// refused: addresses are shown, and kept. The error is InvalidRequest.
func Check(text string) error {
	bad := func(why string) error {
		return document.Errorf(document.InvalidRequest, "the address %q of a git repository %s", redact(text), why)
	}
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return bad("has a space or control character in it")
	case strings.HasPrefix(text, "-"):
		return bad("begins with a dash")
	case !Is(text):
		return bad("is none: write https://HOST/PATH, ssh://HOST/PATH or USER@HOST:PATH")
	case !strings.Contains(text, "://"):
		if _, p, _ := strings.Cut(text, ":"); p == "" || strings.HasPrefix(p, ":") {
			return bad("names no path after the host")
		}
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return bad("cannot be read")
	}
	_, password := u.User.Password()
	web := u.Scheme == "https" || u.Scheme == "http"
	switch {
	case !schemes[u.Scheme]:
		return bad("has a scheme that is not fetched: use https, http, ssh, git or file")
	case u.Host == "" && u.Scheme != "file":
		return bad("names no host")
	case strings.Trim(u.Path, "/") == "":
		return bad("names no path")
	case password, web && u.User != nil:
		return bad("holds a user or password: leave them out, and give them to git's credential helper")
	}
	return nil
}

// redact leaves out what stands before the host.
func redact(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return document.Shorten(text)
	}
	authority, tail, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = "…" + authority[i:]
	}
	return document.Shorten(scheme + "://" + authority + "/" + tail)
}

// Name is the last part of an address, without ".git".
func Name(text string) string {
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.Contains(text, "://") {
		text = text[i+1:]
	}
	return strings.TrimSuffix(path.Base(strings.TrimRight(text, "/")), ".git")
}
