package exact

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestNameThatNobodyWouldAskFor_IsNotAskedFor(t *testing.T) {
	tags := strings.Join([]string{
		`{"name": "ReadFile", "path": "./os/file.go", "line": 4, "kind": "func", "scope": "os", "scopeKind": "package", "language": "Go"}`,
		`{"name": "Lock", "path": "sync/a.go", "line": 1, "kind": "func", "scope": "sync.Mutex", "scopeKind": "struct", "language": "Go"}`,
		`{"name": "Lock", "path": "sync/b.go", "line": 2, "kind": "func", "scope": "sync.Mutex", "scopeKind": "unknown", "language": "Go"}`,
		`{"name": "Lock", "path": "sync/a_test.go", "line": 3, "kind": "func", "scope": "sync.hidden", "scopeKind": "struct", "language": "Go"}`,
		`{"name": "Name", "path": "os/file.go", "line": 9, "kind": "member", "scope": "os.File", "scopeKind": "struct", "language": "Go"}`,
		`{"name": "rax", "path": "stream.h", "line": 17, "kind": "member", "scope": "stream", "scopeKind": "struct", "language": "C"}`,
		`{"name": "Only", "path": "os/x_test.go", "line": 9, "kind": "func", "scope": "os", "scopeKind": "package", "language": "Go"}`,
		`{"name": "hidden", "path": "os/file.go", "line": 8, "kind": "func", "scope": "os", "scopeKind": "package", "language": "Go"}`,
		`{"name": "load", "path": "yaml/__init__.py", "line": 7, "kind": "function", "language": "Python"}`,
		`{"name": "_load", "path": "yaml/__init__.py", "line": 9, "kind": "function", "language": "Python"}`,
		`{"name": "compose", "path": "yaml/loader.py", "line": 6, "kind": "member", "scope": "Loader", "scopeKind": "class", "language": "Python"}`,
		`{"name": "strlcpy", "path": "src/str.c", "line": 5, "kind": "function", "language": "C"}`,
		`{"name": "if", "path": "src/zod.ts", "line": 5, "kind": "method", "scope": "ZodError", "scopeKind": "class", "language": "TypeScript"}`,
	}, "\n")
	questions, err := read([]byte(tags))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range questions {
		got = append(got, q.Text)
	}
	if want := []string{"Loader.compose", "Mutex.Lock", "os.ReadFile", "strlcpy", "yaml.load"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if twins := questions[1].Right; !slices.Equal(twins, []Spot{{"sync/a.go", 1}, {"sync/b.go", 2}}) {
		t.Errorf("Mutex.Lock is right at %v", twins)
	}
}

func TestPlaceThatIsNotIndexed_IsNotAskedFor(t *testing.T) {
	all := []Question{{Text: "a", Right: []Spot{{"a.ts", 1}, {"a.min.js", 1}}}, {Text: "b", Right: []Spot{{"a.min.js", 2}}}}
	got := within(all, map[string]bool{"a.ts": true})
	if len(got) != 1 || got[0].Text != "a" || !slices.Equal(got[0].Right, []Spot{{"a.ts", 1}}) || len(all[0].Right) != 2 {
		t.Errorf("got %v of %v", got, all)
	}
}

func TestLineThatStandsTwice_IsNotAskedFor(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":       "package a\n\n\treturn errors.New(\"only here\")\n// the same line in both files\n",
		"b/b.go":     "  // the same line in both files\nshort\n",
		"binary.bin": "a line of a file that is no text\n\x00",
		"testdata/x": "a line of data for the tests of somebody\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := lines(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Text != `return errors.New("only here")` || all[0].Right[0] != (Spot{"a.go", 3}) {
		t.Fatalf("%+v", all)
	}
}

func TestFrame_NamesALineOfItsFunction(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tool", "run.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("package tool\n\nfunc Run() {\n\n\tonly()\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tags := []byte(`{"name": "Run", "path": "./tool/run.go", "line": 3, "end": 6, "kind": "func", "language": "Go"}`)
	for seed := range uint64(20) {
		all, err := stopped(tags, dir, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range all { // none for the blank line
			if at := q.Right[0]; at.Path != "tool/run.go" || at.Line < 3 || at.Line > 6 || at.Line == 4 || !strings.Contains(q.Text, fmt.Sprintf("run.go:%d", at.Line)) || q.Shown == "" {
				t.Errorf("%+v", q)
			}
		}
	}
}

func TestHit_IsJudgedByItsPlaceAndText(t *testing.T) {
	q := &Question{Text: "T.F", Symbol: "F", Shown: "func F", Right: []Spot{{"a.go", 10}, {"b.go", 3}}}
	hit := func(path, symbol, text string, from, to int) contract.Hit {
		return contract.Hit{Path: document.Path(path), Symbol: symbol, Text: text, StartLine: from, EndLine: to}
	}
	a := q.judge([]contract.Hit{hit("a.go", "T.F", "func F", 11, 20), hit("b.go", "T.F", "func F()", 1, 3)})
	if a.Rank != 2 || !a.Symbol || !a.Shown || a.First != "a.go:11 T.F" {
		t.Errorf("%+v", a)
	}
	if b := q.judge([]contract.Hit{hit("a.go", "G", "…", 10, 10)}); b.Rank != 1 || b.Symbol || b.Shown {
		t.Errorf("%+v", b)
	}
	if none := q.judge(nil); none.Rank != 0 || none.Symbol || none.Shown {
		t.Errorf("%+v", none)
	}
	var out bytes.Buffer
	if err := Print(&out, []Kind{{Name: "names", Answers: []Answer{a, {Question: q, Rank: 1, Symbol: true}}}}, 5); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "50.0 %  100.0 %   100.0 %  100.0 %  50.0 %") || !strings.Contains(got, `"T.F" is hit 2, a.go:10; first: a.go:11 T.F`) {
		t.Error(got)
	}
}

func TestLineOfADefinition_IsItsSignature(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\n\n// Rotate replaces the key of the session.\nfunc Rotate(key string, days int) {\n\trotate(key, days, 12345)\n}\n",
		"b.go": "package a\n\nfunc rotate(key string, days, seed int) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	copied, err := lines(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := signatures(t.Context(), root, copied)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Text != "func Rotate(key string, days int) {" {
		t.Errorf("got %+v", got)
	}
	tasks := files(copied)
	if len(tasks) != 2 || tasks[0].Text != "a.go" || tasks[0].Right[0].Path != "a.go" {
		t.Errorf("files %+v", tasks)
	}
}
