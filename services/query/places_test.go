package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// source is a file of functions, each three lines with a blank one behind it.
func source(functions int, what string) string {
	var b strings.Builder
	for i := range functions {
		fmt.Fprintf(&b, "func %s%d() {\n\tmerge(%d)\n}\n\n", what, i, i)
	}
	return b.String()
}

// placesIn are the places that the first hits hold, as path:line#place.
func placesIn(reply contract.SearchReply) string {
	var out []string
	for _, h := range reply.Hits {
		for _, p := range h.Places {
			out = append(out, fmt.Sprintf("%s:%d#%d", h.Path, p.Line, p.Place))
		}
	}
	return strings.Join(out, " ")
}

func TestLineThatIsNamed_IsInTheFirstHit(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"store/merge.go", "sort/merge.go", "web/app.js", "lib/tool.py", "src/com/foo/Bar.java", "main.go"} {
		r.stored(name, source(30, "step"))
	}
	for question, want := range map[string]string{
		"store/merge.go:42":                               "store/merge.go:42#1",
		"what is at store/merge.go:42":                    "store/merge.go:42#1",
		"/home/me/p/sort/merge.go:42:9: undefined: merge": "sort/merge.go:42#1",
		"    at step3 (/srv/web/app.js:14:9)":             "web/app.js:14#1",
		`File "/a/lib/tool.py", line 6, in step1`:         "lib/tool.py:6#1",
		"at com.foo.Bar.step(Bar.java:10)":                "src/com/foo/Bar.java:10#1",
		// Of several that fit alike all are shown, one that fits better alone.
		"merge.go:42": "sort/merge.go:42#1 store/merge.go:42#1",
		// Nothing is guessed.
		"/usr/lib/x/merge.go:42": "", "merge.go:4200": "", "other.go:3": "", "/usr/lib/node_modules/y/main.go:2": "",
		// The innermost frame is first: the last one in Python.
		"panic: x\n\nmain.f()\n\t/p/store/merge.go:42 +0x1\nmain.main()\n\t/p/main.go:6 +0x2":                               "store/merge.go:42#1 main.go:6#2",
		"Traceback (most recent call last):\n  File \"/p/main.go\", line 6, in a\n  File \"lib/tool.py\", line 10, in b\nE": "lib/tool.py:10#2 main.go:6#1",
	} {
		reply := r.search(contract.SearchRequest{Query: question, Text: contract.TextFull})
		if got := placesIn(reply); got != want {
			t.Errorf("%q: %q, want %q\n%s%+v", question, got, want, texts(reply), reply.Degraded)
			continue
		}
		if want == "" {
			if at := reply.Understood.Places; len(at) != 1 || at[0].Found {
				t.Errorf("%q is understood as %+v", question, at)
			}
			continue
		}
		h := reply.Hits[0]
		if h.Places[0].Line < h.StartLine || h.Places[0].Line > h.EndLine || h.Line != h.Places[0].Line {
			t.Errorf("%q: line %d of %d to %d", question, h.Line, h.StartLine, h.EndLine)
		}
	}
	reply := r.search(contract.SearchRequest{Query: "store/merge.go:42", Off: []string{request.OffPlaces}})
	if placesIn(reply) != "" || traced(reply, "places") != nil {
		t.Errorf("the stage is left out, and says %q", placesIn(reply))
	}
	if reply := r.search(contract.SearchRequest{Query: "store/merge.go:42 path:web/"}); placesIn(reply) != "" {
		t.Errorf("the filter leaves the file out, and it is shown: %q", placesIn(reply))
	}
}

func TestLineOfAPendingDocument_IsThatOfItsNewText(t *testing.T) {
	r := newRig(t)
	r.stored("merge.go", source(30, "step"))
	r.write("merge.go", "// newer\n"+source(30, "leap"))
	reply := r.search(contract.SearchRequest{Query: "merge.go:42", Text: contract.TextFull})
	if len(reply.Hits) == 0 || placesIn(reply) != "merge.go:42#1" || !strings.Contains(reply.Hits[0].Text, "leap10()") || strings.Contains(texts(reply), "step") {
		t.Errorf("got %q:\n%s", placesIn(reply), texts(reply))
	}
	r.cut("merge.go") // in the log, and in no index
	reply = r.search(contract.SearchRequest{Query: "merge.go:42", Text: contract.TextFull})
	if len(reply.Hits) == 0 || placesIn(reply) != "merge.go:42#1" || !strings.Contains(reply.Hits[0].Text, "leap10()") {
		t.Errorf("cut: got %q:\n%s", placesIn(reply), texts(reply))
	}
	r.remove("merge.go")
	if reply := r.search(contract.SearchRequest{Query: "merge.go:42"}); len(reply.Hits) > 0 || reply.Understood.Places[0].Known {
		t.Errorf("the deleted file is known: %+v", reply.Understood)
	}
}

func TestTraceOfSixtyFourKiB_IsAnswered(t *testing.T) {
	r := newRig(t)
	r.stored("store/merge.go", source(30, "step"))
	frame := "main.step(0x1)\n\t/p/%s.go:%d +0x1\n"
	var b strings.Builder
	b.WriteString("panic: too deep\n\ngoroutine 1 [running]:\n" + fmt.Sprintf(frame, "store/merge", 42))
	for i := 1; b.Len() < 64<<10-40; i++ {
		fmt.Fprintf(&b, frame, fmt.Sprintf("other%d", i), i)
	}
	reply := r.search(contract.SearchRequest{Query: b.String(), DeadlineMS: 60_000})
	if placesIn(reply) != "store/merge.go:42#1" || reply.Understood.Text != "panic: too deep" || len(reply.Understood.Places) != 64 {
		t.Errorf("got %q, searched %q, %d places", placesIn(reply), reply.Understood.Text, len(reply.Understood.Places))
	}
	long := strings.Repeat("many words of an issue ", 64<<10/23)
	if reply := r.search(contract.SearchRequest{Query: long, DeadlineMS: 60_000}); len(reply.Degraded) == 0 {
		t.Error("a long text is searched in part, and nothing says so")
	}
}
