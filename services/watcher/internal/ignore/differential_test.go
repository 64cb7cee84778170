package ignore

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// reader returns Options.Read over a folder.
func reader(root string) func(string) ([]byte, bool) {
	return func(rel string) ([]byte, bool) {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
		return b, err == nil
	}
}

func write(t testing.TB, root, rel, content string) {
	t.Helper()
	p := filepath.Join(root, rel)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func runGit(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"XDG_CONFIG_HOME="+t.TempDir(), "HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// gitDecisions asks git about every path.
func gitDecisions(t *testing.T, root string, paths []string) map[string]Decision {
	t.Helper()
	out := runGit(t, root, strings.Join(paths, "\x00"), "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	decisions := map[string]Decision{}
	for ; len(fields) >= 4; fields = fields[4:] {
		d := Decision{File: fields[0], Rule: fields[2]}
		d.Line, _ = strconv.Atoi(fields[1])
		d.Ignored = d.Rule != "" && d.Rule[0] != '!'
		decisions[fields[3]] = d
	}
	if len(decisions) != len(paths) {
		t.Fatalf("git answered for %d of %d paths", len(decisions), len(paths))
	}
	return decisions
}

// plain leaves out what is built in, which git does not know.
func (d *Dir) plain(base string, dir bool) Decision {
	if d.self.Ignored {
		return d.self
	}
	rel := base
	if d.rel != "" {
		rel = d.rel + "/" + base
	}
	return d.decideGit(rel, base, dir)
}

var generatedNames = []string{"a", "b", "ab", "foo", "bar", "x.o", "y.c", "a.o", "a-b", "[x]", "A", "é", "sp ace", "b.tar.gz", "st*r", "q?"}

func generatePattern(r *rand.Rand) string {
	atoms := []string{"*", "**", "?", "a", "b", "o", "foo", "bar", ".", ".o", "x", "[ab]", "[!a]", "[a-y]", "[^b]",
		"[[:alpha:]]", "[[:upper:]x]", `\*`, `\[x]`, "[]x]", "[a-", "-", "[x\\]]", "é", " ", "[[:nope:]]", "**/", "/**", "/**/", "[", "]"}
	var b strings.Builder
	if r.IntN(4) == 0 {
		b.WriteByte('!')
	}
	if r.IntN(4) == 0 {
		b.WriteByte('/')
	}
	for range 1 + r.IntN(3) {
		if r.IntN(3) == 0 {
			b.WriteString(generatedNames[r.IntN(len(generatedNames))])
		} else {
			for range 1 + r.IntN(3) {
				b.WriteString(atoms[r.IntN(len(atoms))])
			}
		}
		if r.IntN(2) == 0 {
			b.WriteByte('/')
		}
	}
	return b.String() + []string{"", "", "", "/", " ", "\r", `\ `, "/**"}[r.IntN(8)]
}

func generateRules(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString("\ufeff")
	}
	for range r.IntN(7) {
		b.WriteString(generatePattern(r))
		if r.IntN(12) > 0 {
			b.WriteByte('\n')
		}
	}
	if r.IntN(6) == 0 {
		b.WriteString("# comment\n\n\\#x\n")
	}
	return b.String()
}

// TestDecisions_AreThoseOfGit compares every decision, with its rule and line,
// with those of git itself over generated trees and rules.
func TestDecisions_AreThoseOfGit(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		root := t.TempDir()
		runGit(t, root, "", "init", "-q")
		var paths []string
		isDir := map[string]bool{}
		var grow func(rel string, depth int)
		grow = func(rel string, depth int) {
			if r.IntN(2) == 0 {
				write(t, root, filepath.Join(rel, GitFile), generateRules(r))
			}
			for _, n := range r.Perm(len(generatedNames))[:2+r.IntN(6)] {
				p := filepath.Join(rel, generatedNames[n])
				paths = append(paths, p)
				if isDir[p] = depth < 4 && r.IntN(2) == 0; isDir[p] {
					if err := os.Mkdir(filepath.Join(root, p), 0o755); err != nil {
						t.Fatal(err)
					}
					grow(p, depth+1)
				} else {
					write(t, root, p, "")
				}
			}
		}
		grow("", 0)
		exclude := generateRules(r)
		write(t, root, ".git/info/exclude", exclude)
		want := gitDecisions(t, root, paths)
		set := New(Options{Read: reader(root), Git: true, Excludes: []Exclude{{".git/info/exclude", exclude}}})
		for _, p := range paths {
			parent := filepath.Dir(p)
			if parent == "." {
				parent = ""
			}
			got := plainDir(set, parent).plain(filepath.Base(p), isDir[p])
			got.Class, got.Named = "", false
			if w := want[p]; got != w {
				t.Errorf("seed %d: %q (directory %v)\n got %+v\nwant %+v", seed, p, isDir[p], got, w)
			}
		}
		if t.Failed() {
			_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, _ error) error {
				if e.Name() == GitFile {
					b, _ := os.ReadFile(p)
					t.Logf("%s: %q", p, b)
				}
				return nil
			})
			t.FailNow()
		}
	}
}

// plainDir enters a directory by git's rules alone.
func plainDir(s *Set, rel string) *Dir {
	if rel == "" {
		return s.Dir("")
	}
	parent := filepath.Dir(rel)
	if parent == "." {
		parent = ""
	}
	up := plainDir(s, parent)
	d := &Dir{set: s, rel: rel, parent: up, self: up.plain(filepath.Base(rel), true)}
	d.load()
	return d
}

func TestTrackedFilesInIgnoredDirectories_Count(t *testing.T) {
	root := t.TempDir()
	write(t, root, GitFile, "build/\n*.gen\n")
	set := New(Options{Read: reader(root), Git: true, Tracked: []string{"build/keep/rules.mk", "x.gen"}})
	for path, want := range map[string]string{
		"build/keep/rules.mk": "counts", "build/keep/other": "ignored", "build/other": "ignored",
		"x.gen": "counts", "y.gen": "ignored",
	} {
		got := "counts"
		if set.Decide(path, false).Ignored {
			got = "ignored"
		}
		if got != want {
			t.Errorf("%s %s, want %s", path, got, want)
		}
	}
	if set.Decide("build", true).Ignored || set.Decide("build/keep", true).Ignored || !set.Decide("build/sub", true).Ignored {
		t.Error("directories above tracked files must be entered, others not")
	}
}

func TestOwnRulesSecretsAndBuiltins_HoldInTheirOrder(t *testing.T) {
	root := t.TempDir()
	write(t, root, GitFile, "dist/\n*.log\n!node_modules/\n!.env.local\n")
	write(t, root, OwnFile, "!dist/\n!keep.log\n!*\n!.env.test\ndocs/private/\n!vendor/node_modules/\n")
	write(t, root, "rust/target/CACHEDIR.TAG", cacheSignature+"\n")
	write(t, root, "plain/.gitignore", "")
	set := New(Options{Read: reader(root), Git: true, Fixed: []string{"state"}})
	strict := New(Options{Read: func(string) ([]byte, bool) { return nil, false }, Git: true})
	cases := []struct {
		set   *Set
		path  string
		dir   bool
		class Class
		in    bool
	}{
		{set, "dist", true, ClassOwn, true},
		{set, "dist/a.js", false, ClassOwn, true},
		{set, "keep.log", false, ClassOwn, true},
		{set, "docs/private", true, ClassOwn, false},
		{set, ".env", false, ClassSecret, false}, // "!*" does not name it
		{set, ".env.local", false, ClassSecret, false},
		{set, ".env.test", false, ClassOwn, true},
		{set, "state", true, ClassFixed, false},
		{set, ".git", true, ClassBuiltin, false},
		{set, "sub/.git", false, ClassBuiltin, false},
		{strict, "node_modules", true, ClassBuiltin, false},
		{strict, "node_modules/a/b.js", false, ClassBuiltin, false},
		{strict, "a/target", true, ClassNone, true},
		{strict, "src/.main.go.swp", false, ClassBuiltin, false},
		{strict, "id_rsa", false, ClassSecret, false},
		{strict, "id_rsa.pub", false, ClassNone, true},
		{strict, ".env.example", false, ClassNone, true},
		{strict, ".ssh/config", false, ClassSecret, false},
	}
	for _, c := range cases {
		d := c.set.Decide(c.path, c.dir)
		if d.Ignored == c.in || d.Class != c.class {
			t.Errorf("%s: %+v (%s), want counts=%v by %q", c.path, d, d.Reason(), c.in, c.class)
		}
	}
	marked := New(Options{Read: func(rel string) ([]byte, bool) {
		b, ok := reader(root)(rel)
		return b, ok && !IsRuleFile(filepath.Base(rel))
	}})
	if d := marked.Decide("rust/target", true); !d.Ignored || d.Class != ClassBuiltin {
		t.Errorf("a marked build directory counts: %+v", d)
	}
	if got, want := set.Decide("docs/private/x", false).Reason(), "freshetignore: docs/private/ in .freshetignore line 5"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

// TestManyStars_TakeNoExponentialTime fails by never ending.
func TestManyStars_TakeNoExponentialTime(t *testing.T) {
	if wildmatch(strings.Repeat("*a", 40)+"b", strings.Repeat("a", 200)) {
		t.Error("matched")
	}
	if wildmatch(strings.Repeat("**/a", 12)+"/b", strings.Repeat("a/", 40)+"c") {
		t.Error("matched")
	}
}

func FuzzPatterns(f *testing.F) {
	f.Add("!a/**/[[:alpha:]-\\]]*\\ ", "a/b/c")
	f.Add("/*a**/?", "xa/y")
	f.Fuzz(func(t *testing.T, rules, path string) {
		if len(rules) > 200 || len(path) > 60 {
			return
		}
		for _, p := range parsePatterns(rules) {
			base := path[strings.LastIndexByte(path, '/')+1:]
			if p.match(path, base, false) && p.dirOnly {
				t.Errorf("%q matched the file %q", p.rule, path)
			}
		}
	})
}
