package giturl

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestAddressesAndPaths_AreToldApart(t *testing.T) {
	for text, want := range map[string]bool{
		"https://example.org/a/b.git": true, "ssh://git@example.org:22/a/b": true, "git@example.org:a/b.git": true, "file:///srv/git/a.git": true,
		"/srv/git/a.git": false, "../a": false, "notes": false, "C:notes": false, "./odd@name:x/y": false, "~/a@b": false,
	} {
		if got := Is(text); got != want {
			t.Errorf("Is(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestAddressThatRunsOrTellsSomething_IsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.org/a/b.git": "", "ssh://git@example.org/a": "", "git@example.org:a": "", "file:///srv/a": "", "git://example.org/a": "",
		"ext::sh -c touch% x": "space", "ext://sh/a": "scheme", "--upload-pack=x": "dash", "https://example.org/": "no path", "https:///a": "no host",
		"https://ada:hunter2@example.org/a": "credential helper", "https://ghp_token@example.org/a": "credential helper", "ssh://git:hunter2@example.org/a": "credential helper",
		"git@example.org:": "no path", "git@ext::x": "no path", "https://example.org/a\nb": "control", "notes": "write https://", "ftp://example.org/a": "scheme",
	} {
		err := Check(text)
		switch {
		case want == "" && err != nil, want != "" && (document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), want)):
			t.Errorf("Check(%q): %v, want %q", text, err, want)
		case err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "ghp_token")):
			t.Errorf("Check(%q) tells the password: %v", text, err)
		}
	}
}

func TestAddress_IsNamedByItsLastPart(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.org/a/b.git": "b", "https://example.org/a/b/": "b", "git@example.org:b.git": "b", "git@example.org:a/b": "b", "file:///srv/c.git": "c",
	} {
		if got := Name(text); got != want {
			t.Errorf("Name(%q) = %q, want %q", text, got, want)
		}
	}
}
