package answers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
)

func judgeOf(question string, texts ...string) *Judge {
	j := &Judge{Analyzer: analysis.New(), Question: question}
	for i, text := range texts {
		j.Passages = append(j.Passages, Passage{N: i + 1, Name: fmt.Sprintf("net/file%d.go", i+1), Text: text})
	}
	return j
}

const (
	waits = "// ReconnectWait is the time to wait between attempts to reconnect.\n// Defaults to 2s.\nReconnectWait time.Duration\n\n// MaxReconnect is how often a reconnect is tried before the client gives up.\n// Defaults to 60.\nMaxReconnect int"
	never = "// Close ends the connection. A closed connection is never opened again.\nfunc (nc *Conn) Close()"
)

func TestClaimThatAPassageDoesNotSay_IsUnsupported(t *testing.T) {
	for sentence, want := range map[string]Verdict{
		"The client waits 2 s between attempts to reconnect [1].":                           {Cites: []int{1}, Supported: true},
		"By default a reconnect is tried 60 times before it gives up [1].":                  {Cites: []int{1}, Supported: true},
		"`ReconnectWait` is the time to wait between two attempts [1].":                     {Cites: []int{1}, Supported: true},
		"A closed connection is never opened again [2].":                                    {Cites: []int{2}, Supported: true},
		"Waiting between attempts is ReconnectWait [1], and Close ends the connection [2].": {Cites: []int{1, 2}, Supported: true},
		"The client waits 5 s between attempts to reconnect [1].":                           {Why: contract.NotInPassage},
		"The client waits 2 s between attempts to reconnect.":                               {Why: contract.NoCitation},
		"The client waits 2 s between attempts to reconnect [7].":                           {Why: contract.NoPassage},
		"The client waits 2 s between attempts to reconnect [2].":                           {Why: contract.NotInPassage},
		"The client waits 60 s between attempts to reconnect, as `PingWait` says [1].":      {Why: contract.NotInPassage},
		"A closed connection is opened again by itself [2].":                                {Why: contract.NotInPassage},
		"The client does not wait between attempts to reconnect [1].":                       {Why: contract.NotInPassage},
		"Passwords are kept in the keyring of the desktop [1].":                             {Why: contract.NotInPassage},
		"The client waits 2 s between attempts to reconnect [1][9].":                        {Cites: []int{1}, Why: contract.NoPassage},
		"```go\nfunc (nc *Conn) Close()\n```\n":                                             {Why: contract.NoCitation},
		"```go\nfunc (nc *Conn) Close()\n```\n[2]\n":                                        {Cites: []int{2}, Supported: true},
		"```go\nnc.Shutdown()\n```\n[2]\n":                                                  {Why: contract.NotInPassage},
		"---\n":                                                                             {Supported: true},
	} {
		got := judgeOf("how long does the client wait?", waits, never).Judge(sentence, nil)
		if got.Supported != want.Supported || got.Why != want.Why || !slices.Equal(got.Cites, want.Cites) {
			t.Errorf("%q: got %+v, want %+v", sentence, got, want)
		}
	}
	if got := judgeOf("", waits, never).Judge("```go\nfunc (nc *Conn) Close()\n```\n", []int{2}); !got.Supported {
		t.Errorf("code behind a sentence that names its passage: %+v", got)
	}
}

// statements are the first sentences of the doc comments of a package, each with the
// declaration that it is of.
func statements(t *testing.T, folder string) (sentences, passages []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of %s: %v", folder, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || !fn.Name.IsExported() {
				continue
			}
			whole := split(strings.Join(strings.Fields(fn.Doc.Text()), " "), 1<<20)
			first := strings.TrimRight(whole[0], " ")
			if !strings.HasSuffix(first, ".") || len(strings.Fields(first)) < 6 {
				continue
			}
			sentences = append(sentences, first)
			passages = append(passages, string(src[set.Position(fn.Doc.Pos()).Offset:set.Position(fn.End()).Offset]))
		}
	}
	return sentences, passages
}

// TestTrueSentences_AreSupportedAndFalseOnesAreNot takes what the authors of Go's library say
// of their own functions as answers, and then names another passage, another function or
// the opposite.
func TestTrueSentences_AreSupportedAndFalseOnesAreNot(t *testing.T) {
	kept, all := 0, 0
	passed := map[string]int{}
	tried := map[string]int{}
	for _, folder := range []string{"net/http", "os", "strings", "bufio", "time"} {
		sentences, passages := statements(t, folder)
		for i, s := range sentences {
			other := (i + len(passages)/2) % len(passages)
			j := judgeOf("", passages[i], passages[other])
			cite := func(text string, n int) string { return strings.TrimSuffix(text, ".") + fmt.Sprintf(" [%d].", n) }
			all++
			if j.Judge(cite(s, 1), nil).Supported {
				kept++
			} else {
				t.Logf("true and marked: %s", s)
			}
			for kind, lie := range map[string]string{
				"another passage":  cite(s, 2),
				"no such passage":  cite(s, 3),
				"no citation":      s,
				"another number":   cite(strings.TrimSuffix(s, ".")+" within 4711 seconds", 1),
				"another function": cite(strings.TrimSuffix(s, ".")+" as `vanishQuietly` does", 1),
			} {
				tried[kind]++
				if j.Judge(lie, nil).Supported {
					passed[kind]++
					t.Logf("%s: %s", kind, lie)
				}
			}
		}
	}
	if all < 300 {
		t.Fatalf("only %d statements", all)
	}
	t.Logf("%d of %d true statements are supported; of %v lies %v are", kept, all, tried, passed)
	if kept < all*95/100 {
		t.Errorf("%d of %d true statements are marked", all-kept, all)
	}
	for kind, n := range passed {
		// Two functions of a package may be documented in the same words.
		if kind != "another passage" || n > tried[kind]*3/100 {
			t.Errorf("%s: %d of %d pass for supported", kind, n, tried[kind])
		}
	}
}
