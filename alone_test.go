package freshet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// alone are the packages that the Makefile tests without the race detector.
var alone = regexp.MustCompile(`(?m)^ALONE := (.*)$`)

func TestPackageTestedWithoutTheRaceDetector_RunsNothingBesideItself(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	m := alone.FindSubmatch(text)
	if m == nil {
		t.Fatal("the Makefile names no package that is tested without the race detector")
	}
	for _, folder := range strings.Fields(string(m[1])) {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no file of Go, %v", folder, err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range besides(f) {
				t.Errorf("%s has %s: have the race detector test the package", file, what)
			}
		}
	}
}

// besides are what a file has that can run, or is for what runs, beside something else.
func besides(f *ast.File) (found []string) {
	for _, i := range f.Imports {
		if p := strings.Trim(i.Path.Value, `"`); p == "sync" || strings.HasPrefix(p, "sync/") || strings.HasPrefix(p, "golang.org/x/sync/") {
			found = append(found, "an import of "+p)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "a go statement")
		case *ast.SelectorExpr:
			if n.Sel.Name == "Parallel" {
				found = append(found, "parallel tests")
			}
		}
		return true
	})
	return found
}

func TestWhatRunsBesideSomething_IsSeen(t *testing.T) {
	for text, want := range map[string]int{
		"import \"sync\"":        1,
		"import \"sync/atomic\"": 1,
		"func f() { go f() }":    1,
		"func f(t *testing.T) { t.Parallel(); func() {}() }": 1,
		"import \"strings\"\nfunc f() { f() }":               0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := besides(f); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
