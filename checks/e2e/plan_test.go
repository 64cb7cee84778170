package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// motley is a work tree with a file of every kind.
func motley(t *testing.T) string {
	t.Helper()
	root := folder(t, "motley")
	git(t, root, "init", "-q")
	files := map[string]string{
		"main.go":                  goFile("Plover"),
		"deep/er/two.py":           "def plover(x):\n    return x\n\n\nclass Egret:\n    def stand(self):\n        return 1\n",
		"web/app.ts":               "export function plover(a: number): number {\n  return a;\n}\n",
		"README.md":                "# Plovers\n\nA plover runs.\n\n## More\n\n" + strings.Repeat("It runs along the shore. ", 200),
		"notes.txt":                strings.Repeat("Some prose without any heading at all. ", 100),
		"empty.go":                 "",
		"odd %name \n.md":          "# Odd\n\nname\n",
		"latin1.txt":               "caf\xe9 cr\xe8me\n",
		"vendor/x/big.go":          "package x\n" + strings.Repeat("\n// Filler fills.\nfunc Filler() {}\n", 400),
		".gitignore":               "*.log\n/out/\n",
		"a.log":                    "left out",
		"out/b.txt":                "left out",
		"out/c/d.txt":              "left out",
		".freshetignore":           "drafts/\n",
		"drafts/one.md":            "left out",
		"node_modules/m/index.js":  "left out",
		".env":                     "KEY=1\n",
		"id_rsa":                   "secret",
		"key.pem":                  "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n",
		"go.sum":                   "x v1 h1:\n",
		"lib.min.js":               "var a=1;",
		"bin.dat":                  "\x00\x01\x02",
		"pic.png":                  "\x89PNG\r\n\x1a\n....",
		"long.json":                strings.Repeat("x", 40<<10),
		"large.txt":                strings.Repeat("large\n", 200<<10),
		"lfs.psd":                  "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
		"sub/.git/HEAD":            "ref: refs/heads/main\n",
		"sub/.git/config":          "[core]\n",
		"sub/.git/objects/info/x":  "",
		"sub/.git/refs/heads/keep": "",
		"sub/inner.go":             goFile("Hidden"),
	}
	for name, text := range files {
		write(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// plan is what `freshet plan --json` says, as far as tests look at it.
type plan struct {
	Branch      string `json:"branch"`
	Total       amount `json:"total"`
	Folders     []part `json:"folders"`
	Skipped     []left `json:"skipped"`
	Ignored     []left `json:"ignored"`
	AboveLimits bool   `json:"above_limits"`
	Advice      []string
	Actions     []document.Action
}

type amount struct {
	Documents int
	Bytes     int64
	Passages  struct{ Value, Margin int64 }
}

type part struct{ Path string }

type left struct {
	Reason  string
	Files   int
	Largest []part
}

// planOf asks the program with settings as in the environment.
func planOf(t *testing.T, env []string, args ...string) plan {
	t.Helper()
	data := filepath.Join(t.TempDir(), "state")
	out, err := freshetCommand(t, env, append([]string{"plan", "--json", "--data", data}, args...)...).Output()
	if err != nil {
		t.Fatalf("freshet plan %q: %v", args, err)
	}
	var p plan
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(data); err == nil {
		t.Errorf("a plan made %s", data)
	}
	return p
}

// equals checks a plan against what was really indexed.
func equals(t *testing.T, plan plan, st contract.StatusReply) {
	t.Helper()
	if plan.Total.Documents != st.Documents || plan.Total.Passages.Value != int64(st.Chunks) || plan.Total.Passages.Margin != 0 {
		t.Errorf("planned %d documents, %+v passages; indexed %d and %d", plan.Total.Documents, plan.Total.Passages, st.Documents, st.Chunks)
	}
	skipped := map[string]int{}
	for _, l := range plan.Skipped {
		skipped[l.Reason] = l.Files
	}
	if !maps.Equal(skipped, st.Skipped) {
		t.Errorf("planned to skip %v, skipped %v", skipped, st.Skipped)
	}
	var bytes int64
	for _, s := range st.Sources {
		bytes += s.Bytes
	}
	if plan.Total.Bytes != bytes {
		t.Errorf("planned %d bytes, indexed %d", plan.Total.Bytes, bytes)
	}
}

// state describes everything below a folder, so that any change shows.
func state(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPlan_IsWhatIsIndexed(t *testing.T) {
	t.Parallel()
	root := motley(t)
	before := state(t, root)
	plan := planOf(t, nil, "--exact", root)
	if after := state(t, root); after != before {
		t.Errorf("the plan changed the folder:\n%s\nbefore:\n%s", after, before)
	}
	r := up(t, t.TempDir(), root)
	equals(t, plan, r.ready)
	if len(plan.Skipped) < 10 {
		t.Errorf("only %d reasons: %+v", len(plan.Skipped), plan.Skipped)
	}

	ignored := map[string]string{}
	for _, l := range plan.Ignored {
		ignored[l.Largest[0].Path] = fmt.Sprintf("%d %s", l.Files, l.Reason)
	}
	for path, want := range map[string]string{
		"a.log": `1 gitignore: *.log in .gitignore line 1`, "out": `2 gitignore: /out/ in .gitignore line 2`,
		"drafts": `1 freshetignore: drafts/ in .freshetignore line 1`, "node_modules": `1 built-in: node_modules/`,
	} {
		if ignored[path] != want {
			t.Errorf("%s is left out as %q, want %q", path, ignored[path], want)
		}
	}

	// What it advises does what it says.
	const rule = "/vendor/"
	if !slices.ContainsFunc(plan.Advice, func(s string) bool { return strings.Contains(s, "`"+rule+"`") }) {
		t.Fatalf("no advice on vendor/: %q", plan.Advice)
	}
	write(t, filepath.Join(root, ".freshetignore"), "drafts/\n"+rule+"\n")
	less := planOf(t, nil, "--exact", root)
	if less.Total.Documents != plan.Total.Documents-1 || slices.ContainsFunc(less.Folders, func(f part) bool { return strings.HasPrefix(f.Path, "vendor") }) {
		t.Errorf("%d documents after the advice, %d before: %+v", less.Total.Documents, plan.Total.Documents, less.Folders)
	}
}

func TestPlanOfABranch_IsWhatIsIndexed(t *testing.T) {
	t.Parallel()
	work := motley(t)
	git(t, work, "add", "-A", "--force", ".", ":!sub")
	git(t, work, "commit", "-qm", "one")
	git(t, work, "branch", "other")
	bare := filepath.Join(filepath.Dir(work), "bare.git")
	git(t, work, "clone", "-q", "--bare", ".", bare)
	before := state(t, bare)
	for _, branch := range []string{"", "other"} {
		for _, reader := range []string{"git", "go-git"} {
			plan := planOf(t, []string{"FRESHET_WATCHER_GIT=" + reader}, "--exact", "--branch", branch, bare)
			if after := state(t, bare); after != before {
				t.Errorf("the plan changed the repository:\n%s\nbefore:\n%s", after, before)
			}
			if branch != "" {
				if plan.Branch != branch {
					t.Errorf("planned %q, asked for %q", plan.Branch, branch)
				}
				continue
			}
			r := up(t, t.TempDir(), bare)
			equals(t, plan, r.ready)
			r.stop()
		}
	}
	for _, c := range []struct{ path, branch, named string }{{bare, "none", "none"}, {work, "other", work}, {"/nowhere", "", "/nowhere"}} {
		cmd := freshetCommand(t, nil, "plan", "--branch", c.branch, "--data", filepath.Join(t.TempDir(), "state"), c.path)
		var complaint strings.Builder
		cmd.Stderr = &complaint
		if err := cmd.Run(); err == nil || !strings.Contains(complaint.String(), c.named) || strings.Count(complaint.String(), "\n") != 1 {
			t.Errorf("%s at %q: %v, %q", c.path, c.branch, err, complaint.String())
		}
	}
}
