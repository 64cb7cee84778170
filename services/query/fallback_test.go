package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestLexicalIndexIsDown_PathsAndSymbolsAreStillFound(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"billing/invoice.go", "billing/ledger.go", "net/dial.go", "gone/invoice.go", "changed/invoice.go"} {
		r.stored(name, "package x\n\nfunc Rotate() { zzqx() }\n\nfunc Archive() { qqzx() }\n")
	}
	r.remove("gone/invoice.go")
	r.write("changed/invoice.go", "package x\n\nfunc Shred() { xxqz() }\n")
	r.lexical.fail(errors.New("connection refused"))
	in := contract.SearchRequest{Query: "archive an invoice", Text: contract.TextFull}
	reply := r.search(in)
	if len(reply.Degraded) != 1 || !strings.HasPrefix(reply.Degraded[0], "lexical: ") || !strings.Contains(reply.Degraded[0], "paths and symbols") {
		t.Errorf("degraded %q", reply.Degraded)
	}
	h := reply.Hits[0]
	if h.Path != "billing/invoice.go" || h.Symbol != "Archive" || h.Channels["keyword"].Rank != 1 || h.Channels["lexical"].Rank != 0 {
		t.Errorf("first is %s %s by %v", h.Path, h.Symbol, h.Channels)
	}
	for _, h := range reply.Hits {
		if h.Path == "gone/invoice.go" || h.Path == "changed/invoice.go" && strings.Contains(h.Text, "Archive") {
			t.Errorf("a ghost: %s %q", h.Path, h.Text)
		}
		if h.Path == "net/dial.go" && h.Channels["keyword"].Rank > 0 {
			t.Errorf("%s has no word of the query in its path, and is found by it", h.Path)
		}
	}
	if s := traced(reply, "recall.keyword"); s == nil || s.In != 2 {
		t.Errorf("trace %+v", s)
	}
	in.Off = []string{"keyword"}
	reply = r.search(in)
	if traced(reply, "recall.keyword") != nil || len(reply.Degraded) != 1 || strings.Contains(reply.Degraded[0], "paths") {
		t.Errorf("switched off: %q, %+v", reply.Degraded, reply.Trace)
	}
	in.Off, in.Filter = nil, contract.Filter{Paths: []string{"net"}}
	for _, h := range r.search(in).Hits {
		if h.Path != "net/dial.go" {
			t.Errorf("%s is outside of the filter", h.Path)
		}
	}
}

func TestLexicalIndexAnswers_TheFallbackDoesNot(t *testing.T) {
	r := newRig(t)
	r.stored("billing/invoice.go", parser)
	reply := r.search(contract.SearchRequest{Query: "parse an invoice"})
	if traced(reply, "recall.keyword") != nil || reply.Hits[0].Channels["keyword"].Rank > 0 {
		t.Errorf("%+v, %v", reply.Trace, reply.Hits[0].Channels)
	}
}
