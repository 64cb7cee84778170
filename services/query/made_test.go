package query

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
)

// container is what the bytes of these documents begin with, and no text does.
const container = "CONTAINER "

// madeOf does the work of a format: it takes the container off. An empty one is damaged.
func madeOf(raw []byte) (text []byte, textless string) {
	if text = bytes.TrimPrefix(raw, []byte(container)); len(text) == 0 {
		return nil, "damaged, or not what its name says"
	}
	return text, ""
}

// bottle publishes a version of a document of a format, with the text in its container.
func (r *rig) bottle(name, text string) document.Token {
	r.Helper()
	return r.bottled(name, text, format.IDOf("a.ipynb"))
}

func (r *rig) bottled(name, text string, id format.ID) document.Token {
	r.Helper()
	source, path, view := at(name)
	raw := []byte(container + text)
	head := contract.FileHead{Path: path, Op: contract.OpPut, Size: int64(len(raw)), Hash: document.HashOf(raw), Collection: document.CollectionCode, Live: true, Format: id}
	subject := contract.FileSubject(source, document.DocOf(path), view)
	seq := r.publish(bus.Out{Subject: subject, Header: head.Header(), Body: raw, Expect: seqOf(r.last(contract.StreamFiles, subject))})
	token, err := r.bus.Tokens().Of(r.Context(), seq)
	if err != nil {
		r.Fatal(err)
	}
	return token
}

func TestPendingDocumentOfAFormat_IsNotSearchedRaw(t *testing.T) {
	r := newRig(t)
	r.stored("b.go", "package b // walrus\n")
	r.bottle("a.ipynb", "walrus in a notebook\n")
	reply := r.search(contract.SearchRequest{Query: "walrus"})
	if strings.Contains(texts(reply), "a.ipynb") || len(reply.Pending) != 1 || reply.Pending[0].Path != "a.ipynb" || reply.Pending[0].Searched {
		t.Errorf("hits %s, pending %+v", texts(reply), reply.Pending)
	}
	for _, pattern := range []string{"walrus", "CONTAINER"} {
		g, err := client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: pattern})
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Unsearched) != 1 || g.Unsearched[0].Reason != contract.GrepPending || g.Complete {
			t.Errorf("%s: %+v", pattern, g)
		}
		for _, f := range g.Files {
			if f.Path == "a.ipynb" {
				t.Errorf("%s: %+v", pattern, f)
			}
		}
	}
	if _, err := client.Read.Ask(t.Context(), r.bus.Conn(), contract.ReadRequest{Path: "a.ipynb"}); document.KindOf(err) != document.Unavailable {
		t.Errorf("read: %v", err)
	}
	// An edit of what is indexed shows neither the new bytes nor the old text.
	r.settle("a.ipynb")
	r.bottle("a.ipynb", "penguin, and a walrus in a notebook\n")
	reply = r.search(contract.SearchRequest{Query: "walrus in a notebook"})
	if strings.Contains(texts(reply), "a.ipynb") || len(reply.Pending) != 1 || reply.Pending[0].Searched {
		t.Errorf("hits %s, pending %+v", texts(reply), reply.Pending)
	}
}

func TestDocumentOfAFormat_IsShownByItsText(t *testing.T) {
	r := newRig(t)
	token := r.bottle("a.ipynb", "first line\nwalrus in a notebook\n")
	// The same bytes are a text elsewhere.
	r.stored("raw.txt", container+"first line\nwalrus in a notebook\n")
	r.settle("a.ipynb")
	reply := r.search(contract.SearchRequest{Query: "walrus notebook", Token: token.String(), Text: contract.TextFull})
	var hit contract.Hit
	for _, h := range reply.Hits {
		if h.Path == "a.ipynb" {
			hit = h
		}
	}
	if hit.Place == nil || *hit.Place != (document.Part{Kind: document.PartCell, From: 7, To: 7}) || strings.Contains(hit.Text, "CONTAINER") || len(reply.Pending) > 0 {
		t.Errorf("%+v, pending %+v", hit, reply.Pending)
	}
	read, err := client.Read.Ask(t.Context(), r.bus.Conn(), contract.ReadRequest{Path: "a.ipynb", Token: token.String()})
	if err != nil || read.Text != "first line\nwalrus in a notebook\n" || read.Format != string(format.IDOf("a.ipynb")) || read.Total != 2 {
		t.Errorf("%+v, %v", read, err)
	}
	// What the trigrams of the bytes say is of no matter.
	for r.svc.configured.trigrams.State().Known == 0 {
		runtime.Gosched()
	}
	g, err := client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: "^first line"})
	if err != nil || !g.Complete || len(g.Files) != 1 || g.Files[0].Path != "a.ipynb" || g.Files[0].Format != string(format.IDOf("a.ipynb")) || g.Files[0].Lines[0].Line != 1 {
		t.Errorf("%+v, %v", g, err)
	}
	if g, err = client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: "CONTAINER"}); err != nil || len(g.Files) != 1 || g.Files[0].Path != "raw.txt" {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestToken_WaitsForTheTextOfAFormat(t *testing.T) {
	r := newRig(t)
	token := r.bottle("a.ipynb", "walrus\n").String()
	type both struct {
		read contract.ReadReply
		grep contract.GrepReply
		err  error
	}
	answers := make(chan both)
	go func() {
		var b both
		b.read, b.err = client.Read.Ask(t.Context(), r.bus.Conn(), contract.ReadRequest{Path: "a.ipynb", Token: token, DeadlineMS: 60_000})
		answers <- b
	}()
	go func() {
		var b both
		b.grep, b.err = client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: "walrus", Token: token, DeadlineMS: 60_000})
		answers <- b
	}()
	for r.svc.counters.reads.Load() < 1 || r.svc.counters.greps.Load() < 1 {
		runtime.Gosched()
	}
	r.cut("a.ipynb")
	for range 2 {
		if b := <-answers; b.err != nil || b.read.Text != "walrus\n" && (b.grep.Lines != 1 || !b.grep.Complete) {
			t.Errorf("%+v", b)
		}
	}
}

func TestDocumentWithoutAText_IsToldAsSkipped(t *testing.T) {
	r := newRig(t)
	r.bottle("broken.ipynb", "")
	r.settle("broken.ipynb")
	const why = "damaged, or not what its name says"
	list, _, _ := r.files(contract.FilesRequest{Show: contract.FilesSkipped})
	if len(list) != 1 || list[0].Path != "broken.ipynb" || list[0].State != contract.FileSkipped || list[0].Reason != why {
		t.Errorf("skipped: %+v", list)
	}
	if list, _, _ := r.files(contract.FilesRequest{}); len(list) != 0 {
		t.Errorf("indexed: %+v", list)
	}
	g, err := client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: "x"})
	if err != nil || g.Skipped[why] != 1 || !g.Complete {
		t.Errorf("grep: %+v, %v", g, err)
	}
	if _, err := client.Read.Ask(t.Context(), r.bus.Conn(), contract.ReadRequest{Path: "broken.ipynb"}); document.KindOf(err) != document.NotFound || !strings.Contains(err.Error(), why) {
		t.Errorf("read: %v", err)
	}
	x, err := client.ExplainQuery.Ask(t.Context(), r.bus.Conn(), contract.ExplainQuery{Source: "s", Path: "broken.ipynb"})
	if err != nil || x.Verdict != contract.VerdictSkipped || !strings.Contains(x.Summary, why) {
		t.Errorf("explain: %+v, %v", x, err)
	}
}

// What an older version of a format has made is shown no more once a newer one is in
// the log, though the bytes are the same.
func TestTextOfAnOlderFormat_IsNotShown(t *testing.T) {
	r := newRig(t)
	for _, before := range []format.ID{"", "jupyter-0"} {
		r.bottled("a.ipynb", "walrus\n", before)
		r.settle("a.ipynb")
		r.bottle("a.ipynb", "walrus\n")
		reply := r.search(contract.SearchRequest{Query: "walrus"})
		if len(reply.Hits) > 0 || len(reply.Pending) != 1 {
			t.Errorf("after %q: hits %s, pending %+v", before, texts(reply), reply.Pending)
		}
	}
}
