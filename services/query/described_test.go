package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// describe writes a version of a document with metadata.
func (r *rig) describe(name, text string, m document.Metadata) document.Token {
	r.Helper()
	source, path, view := at(name)
	head := contract.FileHead{
		Path: path, Op: contract.OpPut, Size: int64(len(text)), Hash: document.HashOf([]byte(text)), Collection: document.CollectionCode,
		Time: time.Now(), Live: true, Metadata: m.Packed(),
	}
	subject := contract.FileSubject(source, document.DocOf(path), view)
	seq := r.publish(bus.Out{Subject: subject, Header: head.Header(), Body: []byte(text), Expect: seqOf(r.last(contract.StreamFiles, subject))})
	token, err := r.bus.Tokens().Of(r.Context(), seq)
	if err != nil {
		r.Fatal(err)
	}
	return token
}

var payments = document.Metadata{"team": {"payments"}}

// found are the paths that every way of asking lists for a filter: they have to be the
// same ones.
func (r *rig) found(query string, filter contract.Filter, token document.Token) []string {
	r.Helper()
	reply := r.search(contract.SearchRequest{Query: query, Filter: filter, Token: token.String(), DeadlineMS: 30_000})
	var hits []string
	for _, h := range reply.Hits {
		hits = append(hits, string(h.Path))
	}
	slices.Sort(hits)
	hits = slices.Compact(hits)
	if lines := r.lines(contract.GrepRequest{Pattern: "walrus", Filter: filter, Token: token.String()}); !slices.Equal(hits, lines) {
		r.Errorf("search has %v, grep %v", hits, lines)
	}
	var listed []string
	err := client.Files.Each(r.Context(), r.bus.Conn(), contract.FilesRequest{Filter: filter, Token: token.String()}, func(p contract.FilesPart) error {
		for _, f := range p.Files {
			listed = append(listed, string(f.Path))
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
	if !slices.Equal(hits, listed) {
		r.Errorf("search has %v, the list %v", hits, listed)
	}
	packed, err := client.Context.Ask(r.Context(), r.bus.Conn(), contract.ContextRequest{Query: query, Filter: filter, Token: token.String()})
	if err != nil {
		r.Fatal(err)
	}
	var told []string
	for _, p := range packed.Passages {
		told = append(told, string(p.Path))
		r.tells(&reply, p.Source, p.Path, p.Version, p.Metadata)
	}
	slices.Sort(told)
	if told = slices.Compact(told); !slices.Equal(hits, told) {
		r.Errorf("search has %v, the context %v", hits, told)
	}
	return hits
}

// tells checks that all that names a document tells the same metadata of it.
func (r *rig) tells(reply *contract.SearchReply, source document.Source, path document.Path, version document.Version, packed document.Metadata) {
	r.Helper()
	at := slices.IndexFunc(reply.Hits, func(h contract.Hit) bool { return h.Path == path })
	if at < 0 {
		r.Fatalf("%s is packed and not found", path)
	}
	read, err := client.Read.Ask(r.Context(), r.bus.Conn(), contract.ReadRequest{Source: source, Path: path})
	if err != nil {
		r.Fatal(err)
	}
	cut, err := client.Passages.Ask(r.Context(), r.bus.Conn(), contract.PassagesRequest{
		Documents: []contract.PassagesOf{{Source: source, Path: path, View: read.View, Version: version}},
	})
	if err != nil || len(cut.Documents) != 1 {
		r.Fatalf("%+v, %v", cut, err)
	}
	want := reply.Hits[at].Metadata.Packed()
	for which, m := range map[string]document.Metadata{"context": packed, "read": read.Metadata, "passages": cut.Documents[0].Metadata} {
		if m.Packed() != want {
			r.Errorf("%s: %s tells the metadata %v, the hit %v", path, which, m, reply.Hits[at].Metadata)
		}
	}
}

func (r *rig) lines(req contract.GrepRequest) []string {
	r.Helper()
	reply, err := client.Grep.Ask(r.Context(), r.bus.Conn(), req)
	if err != nil {
		r.Fatal(err)
	}
	var paths []string
	for _, f := range reply.Files {
		paths = append(paths, string(f.Path))
	}
	return paths
}

func TestAPutWithMetadata_IsFoundByItsFilterFromItsTokenOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r *rig) { r.cfg.ChannelDeadline = time.Minute })
	r.describe("a.md", "alpha walrus\n", document.Metadata{"team": {"payments", "ops"}, "kind": {"core"}})
	r.describe("b.md", "alpha walrus of another\n", document.Metadata{"team": {"search"}})
	r.stored("c.md", "alpha walrus without any\n")
	r.settle("a.md", "b.md")
	none := document.Token{}
	for _, c := range []struct {
		query  string
		filter document.Metadata
		want   []string
	}{
		{"walrus", nil, []string{"a.md", "b.md", "c.md"}},
		{"walrus", payments, []string{"a.md"}},
		{"walrus", document.Metadata{"team": {"payments", "search"}}, []string{"a.md", "b.md"}},
		{"walrus", document.Metadata{"team": {"ops"}, "kind": {"core"}}, []string{"a.md"}},
		{"walrus", document.Metadata{"team": {"search"}, "kind": {"core"}}, nil},
	} {
		if got := r.found(c.query, contract.Filter{Metadata: c.filter}, none); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.filter, got, c.want)
		}
	}
	for query, want := range map[string]string{
		"walrus meta:team=payments": "a.md", "walrus -meta:team=payments -meta:team=search": "c.md", `walrus meta:"team=search"`: "b.md",
	} {
		reply := r.search(contract.SearchRequest{Query: query, DeadlineMS: 30_000})
		if len(reply.Hits) != 1 || string(reply.Hits[0].Path) != want {
			t.Errorf("%s: %s", query, texts(reply))
		}
	}
	reply := r.search(contract.SearchRequest{Query: "walrus", Filter: contract.Filter{Metadata: payments}, DeadlineMS: 30_000})
	if m := reply.Hits[0].Metadata; !slices.Equal(m["team"], []string{"ops", "payments"}) || !slices.Equal(m["kind"], []string{"core"}) {
		t.Errorf("the hit tells %v", m)
	}

	// Pending, with the same content and other metadata: the new one counts, at once.
	token := r.describe("b.md", "alpha walrus of another\n", payments)
	if got := r.search(contract.SearchRequest{Query: "walrus", Filter: contract.Filter{Metadata: payments}}); !strings.Contains(texts(got), "b.md") {
		t.Errorf("before it is settled: %s", texts(got))
	}
	if got := r.search(contract.SearchRequest{Query: "walrus", Filter: contract.Filter{Metadata: document.Metadata{"team": {"search"}}}}); len(got.Hits) > 0 {
		t.Errorf("an old version's metadata matches: %s", texts(got))
	}
	r.settle("b.md")
	if got := r.found("walrus", contract.Filter{Metadata: payments}, token); !slices.Equal(got, []string{"a.md", "b.md"}) {
		t.Errorf("with the token: %v", got)
	}
	// A new document that no stage has come to.
	r.describe("d.md", "alpha walrus, pending\n", payments)
	if got := r.found("walrus", contract.Filter{Metadata: payments}, none); !slices.Equal(got, []string{"a.md", "b.md", "d.md"}) {
		t.Errorf("with a pending one: %v", got)
	}
}

// The stores know nothing of metadata; what they are asked for must not thin what is
// found, however many others match better.
func TestMetadataFilterIsSelective_FindsWhatStandsBehindHundreds(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r *rig) { r.cfg.ChannelDeadline, r.cfg.Overfetch, r.cfg.MaxOverfetch = time.Minute, 20, 40 })
	var names []string
	for i := range 60 {
		name := fmt.Sprintf("loud/%d.go", i)
		r.write(name, strings.Repeat("walrus alpha ", 3)+fmt.Sprint(i)+"\n")
		names = append(names, name)
	}
	r.describe("quiet.go", "one walrus among very many other words that say nothing of it at all\n", payments)
	r.settle(append(names, "quiet.go")...)
	reply := r.search(contract.SearchRequest{Query: "walrus alpha", Filter: contract.Filter{Metadata: payments}, DeadlineMS: 30_000})
	if len(reply.Hits) != 1 || reply.Hits[0].Path != "quiet.go" {
		t.Errorf("found %q", texts(reply))
	}
}

func TestMetadataFilterHasAKeyThatNobodyUses_TheAnswerSaysSo(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r *rig) { r.cfg.ChannelDeadline = time.Minute })
	r.describe("a.md", "walrus\n", payments)
	r.settle("a.md")
	reply := r.search(contract.SearchRequest{Query: "walrus", Filter: contract.Filter{Metadata: document.Metadata{"taem": {"payments"}}}, DeadlineMS: 30_000})
	if len(reply.Hits) > 0 || !slices.Contains(reply.Degraded, "metadata: no document has the key taem") {
		t.Errorf("%s, degraded %q", texts(reply), reply.Degraded)
	}
	if _, err := r.ask(contract.SearchRequest{Query: "walrus", Filter: contract.Filter{Metadata: document.Metadata{"Team": {"x"}}}}); document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), `"Team"`) {
		t.Errorf("a key that cannot be: %v", err)
	}
}

func TestPriorityIsOfMetadata_TheNewestVersionsDecides(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r *rig) {
		r.cfg.ChannelDeadline = time.Minute
		r.cfg.Priorities = []config.Priority{{Meta: "kind=core", Factor: 3}, {Meta: "kind=conversation", Factor: 0.1}}
	})
	kind := func(k string) document.Metadata { return document.Metadata{"kind": {k}} }
	first := func() string {
		reply := r.search(contract.SearchRequest{Query: "walrus", Off: []string{request.OffFold}, DeadlineMS: 30_000})
		if len(reply.Hits) != 2 {
			r.Fatalf("found %q", texts(reply))
		}
		return string(reply.Hits[0].Path)
	}
	r.describe("a.md", "alpha walrus one\n", kind("core"))
	r.describe("b.md", "alpha walrus two\n", kind("conversation"))
	r.settle("a.md", "b.md")
	if got := first(); got != "a.md" {
		t.Errorf("%s is first", got)
	}
	r.describe("a.md", "alpha walrus one\n", kind("conversation"))
	r.describe("b.md", "alpha walrus two\n", kind("core"))
	if got := first(); got != "b.md" {
		t.Errorf("after they have changed places, and are pending, %s is first", got)
	}
}
