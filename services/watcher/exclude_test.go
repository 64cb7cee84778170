package watcher_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// What is named with a source is left out, by its next comparison and by live
// changes, and comes back where it is not named any more.
func TestExcludedPath_GoesAndComesBack(t *testing.T) {
	root := folder(t, "ex")
	write(t, filepath.Join(root, "a.go"), "package a")
	write(t, filepath.Join(root, "a.min.js"), "x")
	write(t, filepath.Join(root, "vendor/b.go"), "package b")
	write(t, filepath.Join(root, "sub/vendor/c.go"), "package c")
	write(t, filepath.Join(root, ".freshetignore"), "!/vendor/\n")
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.Exclude = []string{"/vendor/", ".freshetignore"} }))
	r.expect("ex", wt, map[string]string{"a.go": "package a", "sub/vendor/c.go": "package c"})
	if got := r.sources()["ex"].Exclude; !slices.Equal(got, []string{"/vendor/", ".freshetignore"}) {
		t.Errorf("the list of sources has %q", got)
	}
	e := r.explainPath(filepath.Join(root, "vendor/b.go"))
	if e.Verdict != contract.VerdictIgnored || e.Rule == nil || e.Rule.Class != "exclude" || e.Rule.Pattern != "/vendor/" || e.Setting != "sources[].exclude" || !e.InStep || !strings.Contains(e.Summary, "`/vendor/`, which was named with the source ex") {
		t.Errorf("%+v, %+v", e, e.Rule)
	}

	// Live changes obey, and other globs replace these.
	write(t, filepath.Join(root, "vendor/d.go"), "package d")
	write(t, filepath.Join(root, "e.go"), "package e")
	r.expect("ex", wt, map[string]string{"a.go": "package a", "e.go": "package e", "sub/vendor/c.go": "package c"})
	list, err := r.add(contract.SourceAdd{Root: root, Exclude: []string{"sub/**/c.go", "[e]*.go", ".freshetignore"}})
	must(t, err)
	here := map[string]string{"a.go": "package a", "vendor/b.go": "package b", "vendor/d.go": "package d"}
	r.expect("ex", wt, here)
	if h := r.heads("ex", wt)["e.go"]; h.Op != contract.OpDelete || list.Token.Seq < uint64(h.Version) {
		t.Errorf("the answer %s does not cover %+v", list.Token, h)
	}
	write(t, filepath.Join(root, "vendor/new/f.go"), "package f") // in a folder that was not watched before
	here["vendor/new/f.go"] = "package f"
	r.expect("ex", wt, here)

	// Who does not speak of it changes nothing; an empty list takes all back, and
	// so does a start without.
	_, err = r.add(contract.SourceAdd{Root: root})
	must(t, err)
	r.expect("ex", wt, here)
	r.stop()
	r.cfg.Exclude = nil
	r.start()
	here["e.go"], here["sub/vendor/c.go"], here[".freshetignore"] = "package e", "package c", "!/vendor/\n"
	r.expect("ex", wt, here)
	_, err = r.add(contract.SourceAdd{Root: root, Exclude: []string{"*"}})
	must(t, err)
	r.expect("ex", wt, map[string]string{})
	_, err = r.add(contract.SourceAdd{Root: root, Exclude: []string{}})
	must(t, err)
	r.expect("ex", wt, here)

	for _, bad := range []string{"", " ", "/", "!a", "#a", "a\nb", strings.Repeat("a", 1025)} {
		if _, err := r.add(contract.SourceAdd{Root: root, Exclude: []string{bad}}); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("the glob %.20q: %v", bad, err)
		}
	}
}

// A folder that is left out may be a source of its own, and then cannot come back.
func TestExcludedFolderThatIsASource_CannotComeBack(t *testing.T) {
	root := folder(t, "outer")
	write(t, filepath.Join(root, "a.md"), "a")
	write(t, filepath.Join(root, "inner/b.md"), "b")
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.Exclude = []string{"/inner"} }))
	_, err := r.add(contract.SourceAdd{Root: filepath.Join(root, "inner")})
	must(t, err)
	r.expect("inner", wt, map[string]string{"b.md": "b"})
	if _, err := r.add(contract.SourceAdd{Root: root, Exclude: []string{}}); document.KindOf(err) != document.Conflict {
		t.Errorf("taken back: %v", err)
	}
	r.expect("outer", wt, map[string]string{"a.md": "a"})
	if got := r.sources()["outer"].Exclude; !slices.Equal(got, []string{"/inner"}) {
		t.Errorf("what was refused counts: %q", got)
	}
}

// The tree of a bare repository is left out of as files are.
func TestBareRepository_IsLeftOutOfAsFilesAre(t *testing.T) {
	isolateGit(t)
	bare, work := folder(t, "left.git"), folder(t, "work")
	git(t, bare, "init", "-q", "--bare")
	git(t, work, "init", "-q")
	write(t, filepath.Join(work, "a.go"), "package a")
	write(t, filepath.Join(work, "vendor/b.go"), "package b")
	must(t, os.WriteFile(filepath.Join(work, ".gitignore"), nil, 0o600))
	git(t, work, "add", "-A")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "push", "-q", bare, "main")
	r := startRig(t, with(watching(bare), func(c *watcher.Config) { c.Exclude = []string{"vendor", ".gitignore"} }))
	r.expect("left", "main", map[string]string{"a.go": "package a"})
	if e := r.explain(contract.ExplainFile{Source: "left", Path: "vendor/b.go"}); e.Rule == nil || e.Rule.Class != "exclude" {
		t.Errorf("%+v", e)
	}
	_, err := r.add(contract.SourceAdd{Root: bare, Exclude: []string{"/a*", ".gitignore"}})
	must(t, err)
	r.expect("left", "main", map[string]string{"vendor/b.go": "package b"})
}
