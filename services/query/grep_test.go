package query

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) grep(in contract.GrepRequest) contract.GrepReply {
	r.Helper()
	reply, err := patient(in.DeadlineMS, func(ms int) (contract.GrepReply, error) {
		in.DeadlineMS = ms
		return client.Grep.Ask(r.Context(), r.bus.Conn(), in)
	})
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

// grepped lists the lines of an answer as grep prints them.
func grepped(reply contract.GrepReply) (out []string) {
	for _, f := range reply.Files {
		for _, l := range f.Lines {
			out = append(out, fmt.Sprintf("%s:%d:%s", f.Path, l.Line, l.Text+string(l.Bytes)))
		}
	}
	return out
}

// wants fails where an answer is not complete or does not have exactly these lines.
func (r *rig) wants(reply contract.GrepReply, lines ...string) {
	r.Helper()
	if got := grepped(reply); !slices.Equal(got, lines) || !reply.Complete || reply.Lines != len(lines) || reply.More != 0 {
		r.Errorf("%q, complete %t, %d lines and %d more, degraded %q; want %q", got, reply.Complete, reply.Lines, reply.More, reply.Degraded, lines)
	}
}

// says reports whether a sentence of a list has something in it.
func says(list []string, what string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, what) })
}

// No stage has seen what the log has accepted.
func TestStagesAreStopped_AcceptedWriteIsGrepped(t *testing.T) {
	r := newRig(t)
	r.write("a.go", "one\nwalrus\n")
	r.wants(r.grep(contract.GrepRequest{Pattern: "walrus"}), "a.go:2:walrus")
	token := r.write("a.go", "a walrus\ntwo\n")
	reply := r.grep(contract.GrepRequest{Pattern: "walrus", Token: token.String()})
	r.wants(reply, "a.go:1:a walrus")
	if reply.Token.Seq < token.Seq || reply.Files[0].Version != document.Version(token.Seq) {
		t.Errorf("the answer is that of %s, of version %d; written was %s", reply.Token, reply.Files[0].Version, token)
	}
	r.remove("a.go")
	r.wants(r.grep(contract.GrepRequest{Pattern: "walrus"}))
}

// Documents are overwritten and deleted while questions are answered: each line
// that is shown is one of the version that it is said to be of, and no older than
// what was accepted before the question.
func TestWriterEdits_GreppedLinesAreOfTheirVersion(t *testing.T) {
	r := newRig(t)
	const documents, edits = 20, 400
	var mu sync.Mutex
	written := map[document.Version]string{} // by version; "" for a deletion
	newest := map[document.Path]document.Version{}
	done := make(chan struct{})
	edit := func(i int) {
		mu.Lock() // so that what is known is what the log has
		defer mu.Unlock()
		path, line := fmt.Sprintf("f%02d.go", i%documents), fmt.Sprintf("walrus %d", i)
		var token document.Token
		if i%7 == 3 {
			token, line = r.remove(path), ""
		} else {
			token = r.write(path, "// "+path+"\n"+line+"\n")
		}
		written[document.Version(token.Seq)], newest[document.Path(path)] = line, document.Version(token.Seq)
	}
	go func() {
		defer close(done)
		for i := range edits {
			edit(i)
		}
	}()
	for asked, over := 0, false; !over || asked < 3; asked++ {
		select {
		case <-done:
			over = true
		default:
		}
		mu.Lock()
		before := map[document.Path]document.Version{}
		maps.Copy(before, newest)
		mu.Unlock()
		reply := r.grep(contract.GrepRequest{Pattern: "walrus"})
		shown := map[document.Path]document.Version{}
		for _, f := range reply.Files {
			shown[f.Path] = f.Version
			mu.Lock()
			line := written[f.Version]
			mu.Unlock()
			if uint64(f.Version) > reply.Token.Seq || f.Version < before[f.Path] {
				t.Fatalf("%s is shown as version %d in the state %s, after %d was accepted", f.Path, f.Version, reply.Token, before[f.Path])
			}
			if f.Lines[0].Text != line {
				t.Fatalf("version %d of %s is %q, shown as %q", f.Version, f.Path, line, f.Lines[0].Text)
			}
		}
		mu.Lock()
		for p, v := range before {
			listed := slices.ContainsFunc(reply.Unsearched, func(u contract.GrepUnsearched) bool { return u.Path == p })
			if written[v] != "" && newest[p] == v && shown[p] != v && !listed {
				t.Fatalf("%s has version %d, which is neither shown nor listed as not searched", p, v)
			}
		}
		mu.Unlock()
	}
}

// Names are told from contents by a table of patterns over documents of all kinds.
func TestGreppedLines_AreThoseOfTheFiles(t *testing.T) {
	r := newRig(t)
	files := map[string]string{
		"crlf.txt": "foo\r\nbar\r\n\r\nfoo", "empty.txt": "", "sub/nul.txt": "a\x00foo\n\n", "sub/words.go": "foo_bar\nfoo\n(foo)\n",
		"sub/latin.txt": "caf\xe9 foo\nFOO\n", "last.txt": "no end foo",
	}
	for name, text := range files {
		r.write(name, text)
	}
	for _, c := range []struct {
		in contract.GrepRequest
		re string
	}{
		{contract.GrepRequest{Pattern: "foo"}, "foo"},
		{contract.GrepRequest{Pattern: "foo$"}, "foo$"},
		{contract.GrepRequest{Pattern: "^$"}, "^$"},
		{contract.GrepRequest{Pattern: "foo", IgnoreCase: true}, "(?i)foo"},
		{contract.GrepRequest{Pattern: "foo", Word: true}, `\bfoo\b`},
		{contract.GrepRequest{Pattern: "(foo)", Fixed: true}, `\(foo\)`},
		{contract.GrepRequest{Pattern: "o.*f|^.a.$"}, "o.*f|^.a.$"},
		{contract.GrepRequest{Pattern: "nothing has this"}, "nothing has this"},
	} {
		var expect []string
		for _, name := range slices.Sorted(maps.Keys(files)) {
			for i, line := range strings.SplitAfter(files[name], "\n") {
				bare := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
				if line != "" && regexp.MustCompile(c.re).MatchString(bare) {
					expect = append(expect, fmt.Sprintf("%s:%d:%s", name, i+1, bare))
				}
			}
		}
		reply := r.grep(c.in)
		r.wants(reply, expect...)
		for _, f := range reply.Files {
			for _, l := range f.Lines {
				if at := files[string(f.Path)][l.Offset:]; !strings.HasPrefix(at, l.Text+string(l.Bytes)) {
					t.Errorf("%s:%d is not at %d", f.Path, l.Line, l.Offset)
				}
			}
		}
	}
}

// noise is text that does not become small, so that the log keeps it apart.
func noise(lines int) string {
	var b strings.Builder
	for i := range lines {
		sum := sha256.Sum256([]byte(fmt.Sprint(i)))
		b.WriteString(hex.EncodeToString(sum[:]) + "\n")
	}
	return b.String()
}

func TestBodyBesideTheLog_IsGrepped(t *testing.T) {
	r := newRig(t)
	r.write("big.txt", noise(20000)+"walrus\n")
	if m := r.last(contract.StreamFiles, contract.FileSubject("s", document.DocOf("big.txt"), document.Worktree)); m.Header.Get(contract.HeaderClaim) == "" {
		t.Fatal("the body lies in the message")
	}
	r.wants(r.grep(contract.GrepRequest{Pattern: "^walrus$"}), "big.txt:20001:walrus")
}

// The answer says of which documents it knows nothing.
func TestUnreadableDocument_IsToldAsNotSearched(t *testing.T) {
	damage := map[string]func(r *rig, m *bus.Msg){
		"its object is deleted": func(r *rig, m *bus.Msg) {
			objects, err := r.bus.JetStream().ObjectStore(r.Context(), contract.BucketBodies)
			if err == nil {
				err = objects.Delete(r.Context(), m.Header.Get(contract.HeaderClaim))
			}
			if err != nil {
				r.Fatal(err)
			}
		},
		"another text in its place": func(r *rig, m *bus.Msg) {
			head, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
			if err != nil {
				r.Fatal(err)
			}
			r.publish(bus.Out{Subject: m.Subject, Header: head.Header(), Body: []byte("walrus that nobody wrote\n"), Expect: m.Seq})
		},
	}
	for what, do := range damage {
		t.Run(what, func(t *testing.T) {
			r := newRig(t)
			r.write("big.txt", noise(20000)+"walrus\n")
			r.write("other.txt", "walrus\n")
			do(r, r.last(contract.StreamFiles, contract.FileSubject("s", document.DocOf("big.txt"), document.Worktree)))
			told := make(chan struct{}, 8)
			sub, err := r.bus.Conn().Subscribe(contract.SubjectUnread, func(m *nats.Msg) { told <- struct{}{} })
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = sub.Unsubscribe() }()
			reply := r.grep(contract.GrepRequest{Pattern: "walrus"})
			if got := grepped(reply); len(got) != 1 || got[0] != "other.txt:1:walrus" {
				t.Errorf("lines %q", got)
			}
			if u := reply.Unsearched; reply.Complete || len(u) != 1 || u[0].Path != "big.txt" || u[0].Reason != contract.GrepUnreadable {
				t.Fatalf("complete %t, not searched %+v", reply.Complete, u)
			}
			select {
			case <-told:
			case <-t.Context().Done():
				t.Error("nobody is told that it has to be made again")
			}
		})
	}
}

// Somebody writes into the log what is no document, in the place of one.
func TestDocumentUnderAForeignMessage_IsToldAsNotSearched(t *testing.T) {
	r := newRig(t)
	r.write("a.go", "walrus\n")
	r.write("b.go", "walrus\n")
	subject := contract.FileSubject("s", document.DocOf("a.go"), document.Worktree)
	if _, err := r.bus.JetStream().Publish(t.Context(), subject, []byte("walrus")); err != nil {
		t.Fatal(err)
	}
	reply := r.grep(contract.GrepRequest{Pattern: "walrus"})
	if got := grepped(reply); reply.Complete || len(got) != 1 || got[0] != "b.go:1:walrus" || !says(reply.Degraded, "freshet did not write") {
		t.Errorf("lines %q, complete %t, degraded %q", got, reply.Complete, reply.Degraded)
	}
}

func TestGrepWithLimits_ListsUpToThemAndCountsTheRest(t *testing.T) {
	r := newRig(t)
	const documents, each = 30, 9
	for i := range documents {
		r.write(fmt.Sprintf("f%02d.go", i), strings.Repeat("other\nwalrus\n", each))
	}
	few := 20
	for _, c := range []struct {
		in                         contract.GrepRequest
		files, lines, listed, more int
	}{
		{contract.GrepRequest{}, documents, documents * each, documents * each, 0},
		{contract.GrepRequest{Limit: &few}, 3, documents * each, few, documents*each - few},
		{contract.GrepRequest{Limit: &few, Before: 1, After: 1}, 3, documents * each, few, documents*each - few},
		{contract.GrepRequest{Limit: &few, MaxCount: 2}, 10, documents * 2, few, documents*2 - few},
		{contract.GrepRequest{Limit: &few, Show: contract.GrepFiles}, few, 0, 0, documents - few},
		{contract.GrepRequest{Show: contract.GrepCounts}, documents, documents * each, 0, 0},
		{contract.GrepRequest{Limit: &few, Show: contract.GrepCounts, MaxCount: 4}, few, documents * 4, 0, documents - few},
	} {
		c.in.Pattern = "walrus"
		reply := r.grep(c.in)
		listed := 0
		for _, f := range reply.Files {
			for _, l := range f.Lines {
				if !l.Context {
					listed++
				}
			}
		}
		if !reply.Complete || reply.Matched != documents || len(reply.Files) != c.files || reply.Lines != c.lines || listed != c.listed || reply.More != c.more {
			t.Errorf("%+v: %d of %d files, %d of %d lines, %d more; want %+v", c.in, len(reply.Files), reply.Matched, listed, reply.Lines, reply.More, c)
		}
	}
}

// More matches than a message takes: the answer has what fits, and counts the rest.
func TestGrepAnswerBeyondAMessage_HasWhatFitsAndCountsTheRest(t *testing.T) {
	r := newRig(t)
	const documents, each = 40, 50
	for i := range documents {
		r.write(fmt.Sprintf("f%02d.go", i), strings.Repeat(strings.Repeat("<walrus>\xff ", 400)+"\n", each))
	}
	limit := 10000
	in := contract.GrepRequest{Pattern: "walrus", Limit: &limit, DeadlineMS: 60_000}
	raw, reply, err := client.Grep.Raw(t.Context(), r.bus.Conn(), in)
	if err != nil {
		t.Fatal(err)
	}
	listed := len(grepped(reply))
	if reply.Lines != documents*each || listed == 0 || reply.More != documents*each-listed || !reply.Complete {
		t.Errorf("%d lines, %d listed, %d more, in %d bytes", reply.Lines, listed, reply.More, len(raw))
	}
}

// What is left out is told, with its reason.
func TestDocumentsBehindMaxBytes_AreToldAsNotSearched(t *testing.T) {
	r := newRig(t)
	for i := range 5 {
		r.write(fmt.Sprintf("f%d.go", i), "walrus\n")
	}
	reply := r.grep(contract.GrepRequest{Pattern: "walrus", MaxBytes: 15})
	if got := grepped(reply); reply.Complete || len(got) != 2 || len(reply.Unsearched) != 3 || reply.Unsearched[0].Reason != contract.GrepBytes {
		t.Errorf("lines %q, complete %t, not searched %+v", got, reply.Complete, reply.Unsearched)
	}
}

func TestGrep_KeepsToItsFilter(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"a.go", "sub/b.py", "sub/c.go", "other:d.go"} {
		r.write(name, "walrus\n")
	}
	r.write("tool", "#!/bin/bash\nwalrus\n")
	r.write("x.h", "namespace walrus {}\n")
	r.write("y.h", "int walrus;\n")
	for want, f := range map[string]contract.Filter{
		"a.go sub/b.py sub/c.go tool x.h y.h": {},
		"a.go sub/c.go":                       {Languages: []string{"go"}},
		"tool":                                {Languages: []string{"bash"}},
		"x.h":                                 {Languages: []string{"cpp"}},
		"y.h":                                 {Languages: []string{"c"}},
		"sub/b.py sub/c.go":                   {Paths: []string{"sub"}},
		"sub/b.py":                            {Paths: []string{"*.py"}},
		"d.go":                                {Sources: []document.Source{"other"}},
		"":                                    {Views: []document.View{"main"}},
	} {
		var got []string
		for _, file := range r.grep(contract.GrepRequest{Pattern: "walrus", Filter: f}).Files {
			got = append(got, string(file.Path))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+v: %q, want %s", f, got, want)
		}
	}
	reply := r.grep(contract.GrepRequest{Pattern: "walrus", Filter: contract.Filter{Paths: []string{"nowhere"}}})
	if !says(reply.Degraded, "no document to search") {
		t.Errorf("a filter that nothing passes: degraded %q", reply.Degraded)
	}
	reply = r.grep(contract.GrepRequest{Pattern: "walrus", Commit: "abcd", DeadlineMS: 50})
	if reply.Complete || !says(reply.Degraded, "has not been seen") {
		t.Errorf("without the commit: complete %t, degraded %q", reply.Complete, reply.Degraded)
	}
}

func TestGrepRequestThatMakesNoSense_IsRefused(t *testing.T) {
	r := newRig(t)
	zero, many := 0, 10001
	for says, in := range map[string]contract.GrepRequest{
		"the pattern is empty":            {},
		"no regular expression":           {Pattern: "foo("},
		"look-ahead and look-behind":      {Pattern: "(?<=a)b"},
		"back-references":                 {Pattern: `(a+)b\1`},
		"possessive":                      {Pattern: "a++b"},
		"asks for a line break":           {Pattern: `foo\nbar`},
		"kinds are of passages":           {Pattern: "x", Filter: contract.Filter{Kinds: []string{"function"}}},
		"limit is 0":                      {Pattern: "x", Limit: &zero},
		"limit is 10001":                  {Pattern: "x", Limit: &many},
		"before is -1":                    {Pattern: "x", Before: -1},
		"after is 101":                    {Pattern: "x", After: 101},
		"line_bytes is 65537":             {Pattern: "x", LineBytes: 65537},
		"show is \"all\"":                 {Pattern: "x", Show: "all"},
		"deadline_ms is -1":               {Pattern: "x", DeadlineMS: -1},
		"there is no language \"walrus\"": {Pattern: "x", Filter: contract.Filter{Languages: []string{"walrus"}}},
	} {
		_, err := client.Grep.Ask(t.Context(), r.bus.Conn(), in)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", in, err, says)
		}
	}
}

// Bytes that are no text come back as they are.
func TestBytesThatAreNoText_ComeBackAsTheyAre(t *testing.T) {
	r := newRig(t)
	r.write("latin.txt", "caf\xe9\n")
	reply := r.grep(contract.GrepRequest{Pattern: "caf"})
	js, err := json.Marshal(reply.Files[0].Lines[0])
	if err != nil || !bytes.Contains(js, []byte(`"bytes":"Y2Fm6Q=="`)) || reply.Files[0].Lines[0].Text != "" {
		t.Errorf("%s, %v", js, err)
	}
}
