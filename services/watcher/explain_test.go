package watcher_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

func (r *rig) explain(req contract.ExplainFile) contract.FileExplanation {
	r.t.Helper()
	e, err := client.ExplainFile.Ask(r.t.Context(), r.bus.Conn(), req)
	if err != nil {
		r.t.Fatalf("explain %q: %v", req.Path, err)
	}
	if e.Verdict == "" || e.Summary == "" || e.Type == "" {
		r.t.Errorf("explain %q: %+v says nothing", req.Path, e)
	}
	return e
}

func (r *rig) explainPath(path string) contract.FileExplanation {
	r.t.Helper()
	return r.explain(contract.ExplainFile{Path: string(document.EncodePath(path))})
}

// everyOutcome makes a folder in which every reason for being left out stands
// once, and returns the verdict and a word of the summary by path.
func everyOutcome(t *testing.T, root string) map[string][2]string {
	t.Helper()
	git(t, root, "init", "-q")
	write(t, filepath.Join(root, ".gitignore"), "*.log\n# a comment\n/dist/\n")
	write(t, filepath.Join(root, ".freshetignore"), "drafts/\n")
	write(t, filepath.Join(root, "a.go"), "package a\n")
	write(t, filepath.Join(root, "x.log"), "x")
	write(t, filepath.Join(root, "dist/deep/a.js"), "x")
	write(t, filepath.Join(root, "drafts/b.md"), "x")
	write(t, filepath.Join(root, "node_modules/m/i.js"), "x")
	write(t, filepath.Join(root, "a.go~"), "x")
	write(t, filepath.Join(root, ".env"), "PASSWORD=x")
	write(t, filepath.Join(root, ".ssh/config"), "x")
	write(t, filepath.Join(root, "key.txt"), "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n")
	write(t, filepath.Join(root, "big.txt"), strings.Repeat("word ", 1000))
	write(t, filepath.Join(root, "image.png"), "\x89PNG\r\n\x1a\n\x00")
	write(t, filepath.Join(root, "wide.txt"), "\xff\xfeh\x00i\x00")
	write(t, filepath.Join(root, "app.min.js"), "x")
	write(t, filepath.Join(root, "go.sum"), "x")
	write(t, filepath.Join(root, "model.bin"), "version https://git-lfs.github.com/spec/v1\noid sha256:00\n")
	write(t, filepath.Join(root, "nested/.git/HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(root, "nested/.git/objects/x"), "")
	write(t, filepath.Join(root, "nested/.git/refs/x"), "")
	write(t, filepath.Join(root, "nested/n.go"), "package n\n")
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, filepath.Join(outside, "o.go"), "package o\n")
	must(t, os.Symlink(outside, filepath.Join(root, "away")))
	must(t, os.Symlink("a.go", filepath.Join(root, "near.go")))
	must(t, os.Symlink("nowhere", filepath.Join(root, "broken")))
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	return map[string][2]string{
		"":                    {"folder", "documents"},
		"a.go":                {"logged", "as version"},
		"x.log":               {"ignored", "`*.log` in .gitignore line 1"},
		"dist/deep/a.js":      {"ignored", "`/dist/` in .gitignore line 3"},
		"dist":                {"ignored", "`/dist/` in .gitignore line 3"},
		"drafts/b.md":         {"ignored", "`drafts/` in .freshetignore line 1"},
		"drafts/gone.md":      {"ignored", "`drafts/` in .freshetignore line 1"},
		"node_modules/m/i.js": {"ignored", "built-in rule `node_modules/`"},
		"a.go~":               {"ignored", "built-in rule `*~`"},
		".env":                {"skipped", "credentials (.env*)"},
		".ssh/config":         {"ignored", "credentials"},
		"key.txt":             {"skipped", "private key"},
		"big.txt":             {"skipped", "it has 5000 bytes, the limit is 4096"},
		"image.png":           {"skipped", "binary"},
		"wide.txt":            {"logged", "as version"},
		"app.min.js":          {"skipped", "minified"},
		"go.sum":              {"skipped", "lock file"},
		"model.bin":           {"skipped", "git lfs pointer"},
		"nested":              {"skipped", "repository of its own"},
		"nested/n.go":         {"ignored", "repository of its own"},
		"nested/.git":         {"ignored", "repository of its own"},
		".git/HEAD":           {"ignored", "no rule lets it in"},
		"away":                {"skipped", "symbolic link"},
		"away/o.go":           {"behind_link", "links are not followed"},
		"near.go":             {"skipped", "symbolic link"},
		"broken":              {"skipped", "symbolic link"},
		"pipe":                {"skipped", "named pipe"},
		"no.go":               {"missing", "not there"},
		"a.go/below":          {"missing", "not there"},
	}
}

func TestEveryOutcome_IsExplained(t *testing.T) {
	isolateGit(t)
	root := folder(t, "every")
	want := everyOutcome(t, root)
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.MaxFileSize = 4096 }))
	for path, w := range want {
		e := r.explainPath(filepath.Join(root, path))
		if string(e.Verdict) != w[0] || !strings.Contains(e.Summary, w[1]) || !e.InStep || e.Waits != "" {
			t.Errorf("%s: %s (in step %v, waits %q): %s\nwant %s: …%s…", path, e.Verdict, e.InStep, e.Waits, e.Summary, w[0], w[1])
		}
		if e.Source == nil || e.Source.Source != "every" || e.Document != document.EncodePath(path) {
			t.Errorf("%s: source %+v, document %q", path, e.Source, e.Document)
		}
		if e.Verdict != contract.VerdictLogged && e.Verdict != contract.VerdictFolder && path != ".git/HEAD" && len(e.Next)+len(e.Actions) == 0 {
			t.Errorf("%s: nothing says what to do", path)
		}
		if same := r.explain(contract.ExplainFile{Source: "every", Path: path}); same.Verdict != e.Verdict || same.Summary != e.Summary {
			t.Errorf("%s by its source: %+v", path, same)
		}
	}
	e := r.explainPath(filepath.Join(root, "big.txt"))
	if e.Setting != "watcher.max_file_size: 4096B" || e.Now == nil || e.Now.Size != 5000 {
		t.Errorf("%+v", e)
	}
	if e = r.explainPath(filepath.Join(root, "away")); !strings.HasSuffix(e.Target, "/outside") {
		t.Errorf("the link leads to %q", e.Target)
	}
	if e = r.explainPath(filepath.Join(root, "dist/deep/a.js")); e.Rule == nil || e.Rule.File != filepath.Join(root, ".gitignore") || e.Rule.Line != 3 || e.Rule.Matched != "dist" {
		t.Errorf("%+v", e.Rule)
	}
}

// What the status counts as skipped, and what it does not count, is all there
// is: every path below the root has a verdict, and the folder's counts are
// those of its paths.
func TestEveryPath_HasAVerdict(t *testing.T) {
	isolateGit(t)
	root := folder(t, "every")
	everyOutcome(t, root)
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.MaxFileSize = 4096 }))
	counted := map[string]int{}
	for path, h := range r.heads("every", wt) {
		if h.Op != contract.OpSkipped {
			continue
		}
		counted[h.Reason]++
		if e := r.explain(contract.ExplainFile{Source: "every", Path: path}); e.Verdict != contract.VerdictSkipped || e.Reason != h.Reason || !e.InStep {
			t.Errorf("%s is skipped (%s), explained as %+v", path, h.Reason, e)
		}
	}
	if len(counted) < 8 {
		t.Fatalf("only %v are skipped", counted)
	}
	whole := r.explainPath(root)
	groups := map[string]contract.PathGroup{}
	documents := 0
	for _, g := range whole.Folder {
		groups[string(g.Verdict)+": "+g.Reason] = g
		if g.Verdict == contract.VerdictLogged {
			documents = g.Count
		}
		for _, p := range g.Paths {
			if e := r.explain(contract.ExplainFile{Source: "every", Path: strings.TrimSuffix(string(p), "/")}); e.Verdict != g.Verdict {
				t.Errorf("%s is %s by itself, %s in its folder", p, e.Verdict, g.Verdict)
			}
		}
	}
	for reason, n := range counted {
		if g := groups["skipped: "+reason]; g.Count != n {
			t.Errorf("%d are skipped as %s, the folder counts %+v", n, reason, g)
		}
	}
	if info := r.sources()["every"]; info.Documents != documents || !whole.InStep {
		t.Errorf("%d documents, the folder counts %d: %s", info.Documents, documents, whole.Summary)
	}
	must(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		must(t, err)
		if e := r.explainPath(path); e.Verdict == contract.VerdictMissing || e.Verdict == contract.VerdictUnwatched {
			t.Errorf("%s is there, and explained as %s", path, e.Verdict)
		}
		return nil
	}))
}

// The rule, its file and its line are those that git names.
func TestRule_IsTheOneThatGitNames(t *testing.T) {
	isolateGit(t)
	root := folder(t, "rules")
	git(t, root, "init", "-q")
	lines := []string{"# first", "*.o", "!keep.o", "/top", "a/**/z", "sub/*.txt", "[xy].md", "**/cache/", "build", `\#sharp`, "trail\\ ", "doc/*", "!doc/in.md", "é*", "*.t?p", "[[:digit:]]*.csv"}
	write(t, filepath.Join(root, ".gitignore"), strings.Join(lines, "\n")+"\n")
	write(t, filepath.Join(root, "sub/.gitignore"), "!a.o\n*.tmp\n!b.tmp\n/own\n")
	write(t, filepath.Join(root, ".git/info/exclude"), "*.private\n")
	write(t, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git/ignore"), "*.everywhere\n")
	names := []string{"a.o", "keep.o", "b.tmp", "c.tmp", "x.md", "xy.md", "#sharp", "trail ", "été", "z", "9a.csv", "a9.csv", "p.private", "e.everywhere", "plain.go", "own", "in.md", "a.txt"}
	for _, dir := range []string{"", "sub", "top", "a", "a/b/c", "deep/cache", "deep/build", "doc", "sub/deeper"} {
		for _, n := range names {
			write(t, filepath.Join(root, dir, n), "text")
		}
	}
	r := startRig(t, watching(root))
	var paths []string
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		must(t, err)
		if e.Name() == ".git" {
			return filepath.SkipDir
		}
		if path != root {
			paths = append(paths, path)
		}
		return nil
	}))
	cmd := exec.Command("git", "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
	cmd.Dir, cmd.Stdin = root, strings.NewReader(strings.Join(paths, "\x00"))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 4*len(paths) {
		t.Fatalf("git has %d fields for %d paths", len(fields), len(paths))
	}
	matched := 0
	for i := 0; i < len(fields); i += 4 {
		file, line, pattern, path := fields[i], fields[i+1], fields[i+2], fields[i+3]
		e := r.explainPath(path)
		if pattern == "" {
			if e.Rule != nil || e.Verdict == contract.VerdictIgnored {
				t.Errorf("%s: %+v, git names no rule", path, e.Rule)
			}
			continue
		}
		matched++
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		ignores := pattern[0] != '!'
		if e.Rule == nil || e.Rule.File != file || strconv.Itoa(e.Rule.Line) != line || e.Rule.Pattern != pattern || e.Rule.Ignores != ignores {
			t.Errorf("%s: %+v\ngit: %s:%s:%s", path, e.Rule, file, line, pattern)
		}
		if ignores != (e.Verdict == contract.VerdictIgnored) {
			t.Errorf("%s is %s, git's rule is %s", path, e.Verdict, pattern)
		}
	}
	if matched < 60 {
		t.Errorf("only %d of %d paths matched a rule", matched, len(paths))
	}
}

// Whoever follows the advice gets what it promises.
func TestAdvice_Helps(t *testing.T) {
	isolateGit(t)
	root := folder(t, "advice")
	write(t, filepath.Join(root, ".gitignore"), "*.log\n/dist/\nwhole/*\n")
	for _, p := range []string{"x.log", "s/[odd] *name?.log", "dist/deep/a.js", "node_modules/m/i.js", ".env", ".ssh/config", "whole/w.md", "a.go~", "blank.log "} {
		write(t, filepath.Join(root, p), "text of "+p)
	}
	r := startRig(t, watching(root))
	for _, p := range []string{"x.log", "s/[odd] *name?.log", "dist/deep/a.js", "node_modules/m/i.js", ".env", ".ssh/config", "whole/w.md", "a.go~"} {
		e := r.explainPath(filepath.Join(root, p))
		_, rest, _ := strings.Cut(strings.Join(e.Next, " "), "the line `")
		line, _, ok := strings.Cut(rest, "` into ")
		if !ok {
			t.Errorf("%s is %s: no line is advised in %q", p, e.Verdict, e.Next)
			continue
		}
		own := filepath.Join(root, ".freshetignore")
		had, _ := os.ReadFile(own)
		write(t, own, string(had)+line+"\n")
		eventually(t, func() error {
			if e := r.explainPath(filepath.Join(root, p)); e.Verdict != contract.VerdictLogged {
				return fmt.Errorf("%s with %q: %s %s %+v", p, line, e.Verdict, e.Summary, e.Rule)
			}
			return nil
		})
	}
}

func TestDeletedPath_IsExplained(t *testing.T) {
	root := folder(t, "gone")
	write(t, filepath.Join(root, "a/b.md"), "text")
	r := startRig(t, watching(root))
	must(t, os.RemoveAll(filepath.Join(root, "a")))
	r.expect("gone", wt, map[string]string{})
	head := r.heads("gone", wt)["a/b.md"]
	e := r.explainPath(filepath.Join(root, "a/b.md"))
	if e.Verdict != contract.VerdictDeleted || !e.InStep || e.Log == nil || e.Log.Version != head.Version || e.Log.Op != contract.OpDelete || !e.Log.Time.Equal(head.Time) {
		t.Errorf("%+v, log %+v, head %+v", e, e.Log, head)
	}
	if e = r.explainPath(root); len(e.Folder) != 1 || e.Folder[0].Verdict != contract.VerdictDeleted || !e.InStep {
		t.Errorf("%+v", e)
	}
}

// A change that is held back is told from one that nobody saw.
func TestWaitingChange_IsExplained(t *testing.T) {
	root := folder(t, "slow")
	write(t, filepath.Join(root, "a.md"), "one")
	r := startRig(t, with(watching(root), func(c *watcher.Config) { c.Debounce, c.MaxDebounce = time.Hour, time.Hour }))
	write(t, filepath.Join(root, "a.md"), "two!")
	write(t, filepath.Join(root, "new.md"), "new")
	for path, op := range map[string]contract.Op{"a.md": contract.OpPut, "new.md": ""} {
		eventually(t, func() error {
			e := r.explainPath(filepath.Join(root, path))
			if e.Verdict != contract.VerdictChanged || e.InStep || !strings.Contains(e.Waits, "its change was seen") {
				return fmt.Errorf("%s: %+v", path, e)
			}
			if (e.Log != nil) != (op == contract.OpPut) {
				t.Errorf("%s: log %+v", path, e.Log)
			}
			return nil
		})
	}
	if e := r.explainPath(root); e.InStep || e.Folder[0].Verdict != contract.VerdictChanged || e.Folder[0].Count != 2 {
		t.Errorf("%+v", e)
	}
	r.announce(contract.Announce{Paths: []string{filepath.Join(root, "a.md")}})
	if e := r.explainPath(filepath.Join(root, "a.md")); e.Verdict != contract.VerdictLogged || !e.InStep || e.Now.Hash != e.Log.Hash {
		t.Errorf("after a look: %+v", e)
	}
}
