package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// pathsOf are the documents of an answer, each once, by name.
func pathsOf(reply contract.SearchReply) []string {
	var out []string
	for _, h := range reply.Hits {
		if !slices.Contains(out, string(h.Path)) {
			out = append(out, string(h.Path))
		}
	}
	slices.Sort(out)
	return out
}

func TestEveryHit_HasWhatTheQuestionRequires(t *testing.T) {
	r := newRig(t)
	for name, text := range map[string]string{
		"a.go": "// The dial is retried where the connection refused  it.\nfunc DialAgain() {}\n",
		"b.go": "// The dial is retried, with backoff, where the connection refused it.\nfunc dialOnce() {}\n",
		"c.go": "// The dial is retried: connection, refused. See TestDial.\nfunc dial() {}\n",
		"d.go": "// A dial has a //--- line, and a Connection Refused.\nfunc other() {}\n",
		"e.py": "# the dial of retries that were refused a connection\n",
	} {
		r.stored(name, text)
	}
	for question, want := range map[string]string{
		`dial "connection refused it"`:         "b.go",
		`"connection refused  it"`:             "a.go",
		`"connection refused"`:                 "a.go b.go",
		`"connection refused"i`:                "a.go b.go d.go",
		`dial "onnection refuse"`:              "a.go b.go",
		`"//---"`:                              "d.go",
		`"nowhere at all"`:                     "",
		`dial -backoff`:                        "a.go c.go d.go e.py",
		`dial -test`:                           "a.go b.go d.go e.py",
		`dial -"connection refused"`:           "c.go d.go e.py",
		`dial NOT backoff -again`:              "c.go d.go e.py",
		`dial -(backoff OR "//---")`:           "a.go c.go e.py",
		`dial (backoff OR "//---")`:            "b.go d.go",
		`dial backoff|again`:                   "a.go b.go",
		`"connection refused" (backoff OR xx)`: "b.go",
		`dial -path:*.py -path:a.go`:           "b.go c.go d.go",
		`dial NOT source:s`:                    "",
		// Copied lines and commands are no operators.
		`dial - backoff`: "a.go b.go c.go d.go e.py", `dial --backoff`: "a.go b.go c.go d.go e.py", `dial->backoff`: "a.go b.go c.go d.go e.py",
	} {
		reply := r.search(contract.SearchRequest{Query: question})
		if got := strings.Join(pathsOf(reply), " "); got != want {
			t.Errorf("%s: %q, want %q (%+v, %v)", question, got, want, reply.Understood, reply.Degraded)
		}
	}
	// The newest text of a pending document decides, before any stage has seen it.
	r.write("a.go", "// The dial is retried with backoff.\nfunc DialAgain() {}\n")
	r.write("f.go", "// A new dial: the connection refused  it.\n")
	for question, want := range map[string]string{
		`"connection refused  it"`: "f.go", `dial -backoff`: "c.go d.go e.py f.go", `dial "with backoff"`: "a.go b.go", `"//---"`: "d.go",
		`dial backoff|new`: "a.go b.go f.go",
	} {
		if got := strings.Join(pathsOf(r.search(contract.SearchRequest{Query: question})), " "); got != want {
			t.Errorf("pending, %s: %q, want %q", question, got, want)
		}
	}
	r.remove("f.go")
	if got := pathsOf(r.search(contract.SearchRequest{Query: `"connection refused  it"`})); len(got) > 0 {
		t.Errorf("the text of a deleted document is a hit: %v", got)
	}
}

// A command that was copied has dashes of its own.
func TestCommandIsCopied_ItsFlagsAreNotLeftOut(t *testing.T) {
	r := newRig(t)
	r.stored("ci.md", "Run the tests with:\n\n    go test -run Dial -count 3\n")
	r.stored("b.md", "Other tests of the run.\n")
	reply := r.search(contract.SearchRequest{Query: "go test -run Dial -count 3"})
	if len(reply.Hits) == 0 || reply.Hits[0].Path != "ci.md" || !slices.Equal(reply.Understood.AsText, []string{"run", "count"}) {
		t.Errorf("got %v, understood %+v", pathsOf(reply), reply.Understood)
	}
	reply = r.search(contract.SearchRequest{Query: "tests -run"})
	if got := pathsOf(reply); len(got) > 0 || !slices.Equal(reply.Understood.Without, []string{"run"}) {
		t.Errorf("got %v, understood %+v", got, reply.Understood)
	}
}

func TestReply_TellsHowTheQuestionWasRead(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "func Dial() {}\n")
	reply := r.search(contract.SearchRequest{Query: `dial "func Dial"i (func OR "x y") -old -"very old" lang:go -path:vendor/`})
	want := contract.Understood{
		Text: "dial func Dial func x y", Must: []string{`"func Dial"i`, `(func OR "x y")`}, Without: []string{"old", `"very old"`, "path:vendor/"}, Filters: []string{"lang:go"},
	}
	if fmt.Sprint(*reply.Understood) != fmt.Sprint(want) {
		t.Errorf("understood %+v, want %+v", *reply.Understood, want)
	}
	if reply := r.search(contract.SearchRequest{Query: "dial the old - one"}); reply.Understood != nil {
		t.Errorf("text is understood as %+v", reply.Understood)
	}
}

func TestQuotedTextIsNotLookedForEverywhere_AnswerSaysSo(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "x := 1 //--- \n")
	reply := r.search(contract.SearchRequest{Query: `"//---"`, Off: []string{request.OffExact}})
	if len(reply.Hits) > 0 || len(reply.Degraded) == 0 {
		t.Errorf("got %v, degraded %q", pathsOf(reply), reply.Degraded)
	}
}

func TestUsesOfAName_AreItsOwn(t *testing.T) {
	r := newRig(t)
	for name, text := range map[string]string{
		"def.go": "package a\n\nfunc ReadAll() {}\n", "use.go": "package a\n\nfunc f() { ReadAll(); ReadAll(); ReadAll() }\n",
		"use.py": "x = a.ReadAll()\n", "other.go": "package a\n\nfunc ReadAllOf() { readall(); ReadAll_() }\n",
	} {
		r.stored(name, text)
	}
	for _, question := range []string{"refs:ReadAll", "refs:a.ReadAll"} {
		reply := r.search(contract.SearchRequest{Query: question})
		if got := strings.Join(pathsOf(reply), " "); got != "def.go use.go use.py" || reply.Hits[0].Path != "def.go" {
			t.Errorf("%s: %s", question, texts(reply))
		}
	}
	if got := strings.Join(pathsOf(r.search(contract.SearchRequest{Query: "refs:ReadAll -path:*.py"})), " "); got != "def.go use.go" {
		t.Errorf("with a filter: %s", got)
	}
}

// Other packages and types define the same name, and use it.
func TestUsesOfAName_StandBeforeDefinitionsOfOthers(t *testing.T) {
	r := newRig(t)
	for name, text := range map[string]string{
		"web/http/get.go": "package http\n\nfunc Get(url string) {}\n", "web/http/header.go": "package http\n\nfunc Header.Get(key string) {}\n",
		"web/http/get_test.go": "package http\n\nfunc get(t T) {\n\tt.c.Get(1)\n}\n", "pool/pool.go": "package pool\n\nfunc Get() {}\n",
		"a.go": "package a\n\nfunc fetch(url string) {\n\tr := http.Get(url)\n\tcloseAll(r)\n}\n", "b.go": "package b\n\nfunc load() {\n\tlog(http.Get(page))\n}\n",
		"c.go": "package c\n\nfunc other() {\n\txhttp.Get(page)\n}\n",
	} {
		r.stored(name, text)
	}
	reply := r.search(contract.SearchRequest{Query: "refs:http.Get"})
	got := pathsOf(reply)
	if len(got) != 7 || reply.Hits[0].Path != "web/http/get.go" {
		t.Fatalf("%s", texts(reply))
	}
	second := []string{string(reply.Hits[1].Path), string(reply.Hits[2].Path)}
	slices.Sort(second)
	if !slices.Equal(second, []string{"a.go", "b.go"}) {
		t.Errorf("behind the definition stand %v", second)
	}
}

func TestSourceIsUnknown_NearestIsNamed(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "func Dial() {}\n")
	for _, question := range []string{"dial source:ss", "dial -source:ss"} {
		_, err := r.ask(contract.SearchRequest{Query: question})
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), `did you mean "s"`) {
			t.Errorf("%s: %v", question, err)
		}
	}
}
