package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// probes are what is asked on each subject that clients may send requests on. A new
// endpoint has to be here, or is not known to keep quiet.
func probes(k, other kept, token document.Token) map[string][]any {
	paths := []document.Path{document.Path(k.path()), document.Path(k.folder), ".", document.AccessFile}
	var read, outline []any
	for _, s := range []document.Source{document.Source(k.source), ""} {
		for _, p := range paths {
			read = append(read, contract.ReadRequest{Source: s, Path: p})
			outline = append(outline, contract.OutlineRequest{Source: s, Path: p})
		}
		outline = append(outline, contract.OutlineRequest{Source: s})
	}
	ten := 10
	typo := k.word[:len(k.word)-1]
	filtered := contract.Filter{Sources: []document.Source{document.Source(k.source)}}
	below := contract.Filter{Paths: []string{k.folder}}
	var search []any
	for _, q := range []string{
		"heron in the weir", typo, k.word, k.symbol, `"` + k.word + " waits\"", k.path() + ":3", "source:" + k.source + " heron", "heron -source:" + other.source,
		"heron -" + k.word, "path:" + k.folder + " heron", strings.ToLower(k.symbol[:8]),
	} {
		search = append(search, contract.SearchRequest{Query: q, K: &ten, Explain: true, Text: contract.TextFull, Token: "latest"})
	}
	search = append(search, contract.SearchRequest{Query: "heron", Filter: filtered}, contract.SearchRequest{Query: "heron", Filter: below}, contract.SearchRequest{Query: "weir", Commit: "abcd"},
		contract.SearchRequest{Query: "heron in the weir", Explain: true, Ranking: map[string]string{"fusion": "rrf", "stem": "10"}})
	passages := []any{contract.PassagesRequest{Documents: []contract.PassagesOf{
		{Source: document.Source(k.source), Path: document.Path(k.path()), View: document.Worktree}, {Source: document.Source(other.source), Path: document.Path(other.path()), View: document.Worktree},
	}, Token: "latest"}}
	none := []any{struct{}{}}
	return map[string][]any{
		contract.SubjectSearch: search,
		contract.SubjectGrep: {
			contract.GrepRequest{Pattern: "heron"}, contract.GrepRequest{Pattern: k.word, Fixed: true}, contract.GrepRequest{Pattern: "heron", Filter: filtered},
			contract.GrepRequest{Pattern: ".", Filter: below, Show: contract.GrepFiles}, contract.GrepRequest{Pattern: "x", Invert: true, Show: contract.GrepCounts},
		},
		contract.SubjectFiles: {
			contract.FilesRequest{}, contract.FilesRequest{Filter: filtered}, contract.FilesRequest{Filter: below}, contract.FilesRequest{Show: contract.FilesSkipped}, contract.FilesRequest{Paths: true},
		},
		contract.SubjectAnswer:      {contract.AnswerRequest{Query: "heron"}, contract.AnswerRequest{Query: k.word}},
		contract.SubjectRead:        read,
		contract.SubjectOutline:     outline,
		contract.SubjectPassages:    passages,
		contract.SubjectContext:     {contract.ContextRequest{Query: "heron in the weir"}, contract.ContextRequest{Query: typo}, contract.ContextRequest{Query: k.symbol, Filter: filtered}},
		contract.SubjectRelated:     {contract.RelatedRequest{Path: paths[0], Line: 1}, contract.RelatedRequest{Source: document.Source(k.source), Path: paths[0], Line: 3}, contract.RelatedRequest{Path: document.Path(other.path()), Line: 1, Filter: filtered}},
		contract.SubjectLeaseCheck:  {contract.LeaseCheck{Lease: strings.Repeat("a", 26)}},
		contract.SubjectWatchAdd:    {map[string]any{"question": map[string]any{"query": "heron"}}, map[string]any{"query": "heron", "filter": filtered}},
		contract.SubjectWatchList:   none,
		contract.SubjectWatchRemove: {contract.WatchRemove{ID: strings.Repeat("a", 26)}},
		contract.SubjectStatus:      none,
		contract.SubjectExplainQuery: {
			contract.ExplainQuery{Source: document.Source(k.source), Path: document.Path(k.path()), Search: &contract.SearchRequest{Query: "heron"}},
			contract.ExplainQuery{Source: document.Source(k.source), Path: document.Path(k.path())},
			contract.ExplainQuery{Source: document.Source(k.source), Path: document.Path(k.folder)}, contract.ExplainQuery{Source: document.Source(k.source)},
		},
		contract.SubjectExplainFile: {
			contract.ExplainFile{Source: document.Source(k.source), Path: k.path()}, contract.ExplainFile{Source: document.Source(k.source), Path: k.folder},
			contract.ExplainFile{Source: document.Source(k.source)}, contract.ExplainFile{Path: "/" + k.path()}, contract.ExplainFile{Source: document.Source(k.source), Path: string(document.AccessFile)},
		},
		contract.SubjectSourcesList:   none,
		contract.SubjectEmbed:         {contract.EmbedRequest{Text: "heron"}},
		contract.SubjectAnnounce:      {contract.Announce{Paths: []string{"/" + k.path()}}},
		contract.SubjectPut:           there(k, contract.PutRequest{Source: document.Source(k.source), Documents: []contract.PutDocument{{Path: document.Path(k.path()), Content: []byte("x")}}}),
		contract.SubjectDelete:        there(k, map[string]any{"source": k.source, "documents": []map[string]any{{"path": k.path()}}}),
		contract.SubjectSourcesAdd:    {contract.SourceAdd{Kind: contract.SourceAPI, Source: document.Source(k.source)}},
		contract.SubjectSourcesRemove: {contract.SourceRemove{Source: "none"}},
		contract.SubjectFeedback: {map[string]any{}, contract.Feedback{
			Kind: contract.FeedbackShown, Query: "heron", Token: token, Hits: []contract.FeedbackHit{{Source: document.Source(k.source), Path: document.Path(k.path())}},
		}},
		contract.SubjectGoldenList: none,
		contract.SubjectGoldenPut: {contract.GoldenQuestion{
			Source: document.Source(k.source), Query: "heron", Answers: []contract.GoldenAnswer{{Path: document.Path(k.path())}},
		}},
		contract.SubjectGoldenRemove:     {contract.GoldenRemove{Source: document.Source(k.source), ID: "0"}},
		contract.SubjectEvaluate:         {map[string]any{}},
		contract.SubjectEvaluationList:   {map[string]any{}},
		contract.SubjectEvaluationRemove: {contract.EvaluationRemove{ID: "0"}},
		contract.SubjectFeedbackList:     {map[string]any{}},
		contract.SubjectFeedbackPurge:    none,
		contract.SubjectAuditList:        none,
		contract.SubjectLosses:           none,
		contract.SubjectLossesAccept:     none,
		contract.SubjectBuildAccept:      {map[string]any{}},
		contract.SubjectReindex:          {map[string]any{}},
		contract.SubjectReload:           {map[string]any{}},
		contract.SubjectReranker:         none,
		contract.SubjectRanking:          {contract.RankingRequest{MinConfidence: .1}},
		contract.SubjectAccessList:       none,
		contract.SubjectKeysAdd:          {contract.KeyAdd{Name: "mine", Role: contract.RoleAdmin}},
		contract.SubjectKeysList:         none,
		contract.SubjectKeysRevoke:       {contract.KeyRevoke{Name: "none"}},
		contract.SubjectDeadList:         none,
		contract.SubjectDeadShow:         {map[string]any{}},
		contract.SubjectDeadRetry:        none,
		contract.SubjectDeadDrop:         none,
		contract.SubjectDeadOutcome:      {map[string]any{}},
		contract.SubjectSweep:            none,
		contract.SubjectEraseIndex:       none,
		contract.SubjectEraseLog:         none,
		contract.SubjectVerify:           none,
		contract.SubjectVerifyFiles:      {map[string]any{}},
		"$SRV.>":                         nil, // the server lets nobody but admin ask
	}
}

// there is asked of a document that was not deleted: where one was, whoever may write
// makes another one, which others may see.
func there(k kept, ask any) []any {
	if k.gone {
		return nil
	}
	return []any{ask}
}

// overNATS returns every byte of an answer, or of an error.
func overNATS(ctx context.Context, nc *nats.Conn, subject string, body []byte) []byte {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var all bytes.Buffer
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return []byte(err.Error())
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := nc.PublishMsg(&nats.Msg{Subject: subject, Reply: sub.Subject, Data: body, Header: nats.Header{}}); err != nil {
		return []byte(err.Error())
	}
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return append(all.Bytes(), "\n"+err.Error()...)
		}
		for name, values := range m.Header {
			fmt.Fprintln(&all, name, values)
		}
		all.Write(m.Data)
		if m.Header.Get("Freshet-Part") == "" || m.Header.Get("Freshet-End") != "" {
			return all.Bytes()
		}
	}
}

// operations are the requests over HTTP, by the description.
func (g *guarded) operations() (out [][2]string) {
	g.t.Helper()
	var d struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(g.do(g.request(http.MethodGet, "/openapi.json", "")).body, &d); err != nil {
		g.t.Fatal(err)
	}
	for path, methods := range d.Paths {
		for method := range methods {
			if len(method) <= 6 && strings.HasPrefix(path, "/api/v1/") && !strings.HasPrefix(path, "/api/v1/events") && path != "/api/v1/links" {
				out = append(out, [2]string{strings.ToUpper(method), path})
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[1]+a[0], b[1]+b[0]) })
	return out
}

// silent complains where an answer has something of a document that is hidden, but for
// what was asked.
func (g *guarded) silent(a asker, what string, asked, told []byte, hidden []kept) {
	g.t.Helper()
	low := bytes.ToLower(told)
	if mark := []byte(document.AccessFile); bytes.Contains(low, mark) && !bytes.Contains(asked, mark) {
		g.t.Errorf("%s, %s %s: that rules stand in a source is told: %s", a.name, what, asked, document.Shorten(string(told)))
	}
	for _, k := range hidden {
		for _, mark := range append(k.marks(), k.source) {
			m := []byte(strings.ToLower(mark))
			if bytes.Contains(bytes.ToLower(asked), m[:len(m)-1]) || mark == k.source && g.sees(a, k.source) || g.seesFolder(a, k, mark) {
				continue
			}
			if bytes.Contains(low, m) {
				g.t.Errorf("%s, %s %s: %s of %s is told: %s", a.name, what, asked, mark, k.path(), document.Shorten(string(told)))
				return
			}
		}
	}
}

func (g *guarded) sees(a asker, source string) bool {
	shown, _ := g.seen(a)
	return slices.ContainsFunc(shown, func(k kept) bool { return k.source == source })
}

func (g *guarded) seesFolder(a asker, k kept, mark string) bool {
	shown, _ := g.seen(a)
	return mark == k.folder && slices.ContainsFunc(shown, func(s kept) bool { return s.folder == mark })
}

// exact complains where what is seen is not counted, found or listed, and nothing else.
func (g *guarded) exact(a asker, shown []kept) {
	g.t.Helper()
	limit := 1000
	grep, err := client.Grep.Ask(g.t.Context(), a.nc, contract.GrepRequest{Pattern: "heron", Limit: &limit})
	if err != nil || grep.Matched != len(shown) || grep.Searched+grep.PassedOver != len(shown) {
		g.t.Errorf("%s: grep finds %d and looks at %d of %d: %v", a.name, grep.Matched, grep.Searched+grep.PassedOver, len(shown), err)
	}
	k := 100
	search, err := client.Search.Ask(g.t.Context(), a.nc, contract.SearchRequest{Query: "heron", K: &k, Off: []string{"fold"}})
	if err != nil {
		g.t.Fatal(err)
	}
	found := map[string]bool{}
	for _, h := range search.Hits {
		found[string(h.Source)+":"+string(h.Path)] = true
		if h.Score != 0 || h.Channels != nil {
			g.t.Errorf("%s is told a score", a.name)
		}
	}
	if len(found) != len(shown) {
		g.t.Errorf("%s: %d of %d documents are found", a.name, len(found), len(shown))
	}
	files := 0
	err = client.Files.Each(g.t.Context(), a.nc, contract.FilesRequest{}, func(p contract.FilesPart) error {
		if p.Summary != nil {
			files = p.Summary.Documents
		}
		return nil
	})
	if err != nil || files != len(shown) {
		g.t.Errorf("%s: %d of %d documents are listed: %v", a.name, files, len(shown), err)
	}
	list, err := client.Sources.Ask(g.t.Context(), a.nc, client.None)
	documents := 0
	for _, s := range list.Sources {
		documents += s.Documents
	}
	if err != nil || documents != len(shown) {
		g.t.Errorf("%s: the sources have %d of %d documents: %v", a.name, documents, len(shown), err)
	}
	status, err := client.Status.Ask(g.t.Context(), a.nc, client.None)
	documents = 0
	for _, s := range status.Sources {
		documents += s.Documents
	}
	if err != nil || !status.Ready || status.Documents != len(shown) || documents != len(shown) || status.Chunks < len(shown) || len(shown) == 0 && status.Chunks > 0 || len(status.Streams)+len(status.Reports) > 0 {
		g.t.Errorf("%s: the status tells %+v of %d documents: %v", a.name, status, len(shown), err)
	}
	for _, k := range shown {
		related, err := client.Related.Ask(g.t.Context(), a.nc, contract.RelatedRequest{Source: document.Source(k.source), Path: document.Path(k.path()), Line: 1, Limit: 50})
		if err != nil || related.Of.Source != document.Source(k.source) || len(shown) > 1 && len(related.Related) == 0 {
			g.t.Errorf("%s: what is related to %s is %+v: %v", a.name, k.path(), related, err)
		}
		for _, one := range related.Related {
			if h := &one.Passage; !found[string(h.Source)+":"+string(h.Path)] || h.Score != 0 || h.Channels != nil {
				g.t.Errorf("%s is told of %s:%s beside %s: %+v", a.name, h.Source, h.Path, k.path(), h)
			}
		}
		x, err := client.ExplainQuery.Ask(g.t.Context(), a.nc, contract.ExplainQuery{Source: document.Source(k.source), Path: document.Path(k.path()), Search: &contract.SearchRequest{Query: k.word}})
		if err != nil || x.Verdict != contract.VerdictIndexed || x.Search.Verdict != contract.VerdictFound || len(x.Search.Trace) > 0 || x.Search.Passages[0].Score != 0 {
			g.t.Errorf("%s: %s is explained as %+v: %v", a.name, k.path(), x, err)
		}
		f, err := client.ExplainFile.Ask(g.t.Context(), a.nc, contract.ExplainFile{Source: document.Source(k.source), Path: k.path()})
		if err != nil || f.Verdict != contract.VerdictLogged || f.Source.Root != "" {
			g.t.Errorf("%s: the file %s is explained as %+v: %v", a.name, k.path(), f, err)
		}
	}
}

// token is the state of the log.
func (g *guarded) token() document.Token {
	g.t.Helper()
	status, err := client.Status.Ask(g.t.Context(), g.login("admin"), client.None)
	if err != nil {
		g.t.Fatal(err)
	}
	return status.Token
}

// asMissing complains where a document that is hidden is explained in another way than
// one that is not there.
func (g *guarded) asMissing(a asker, k kept) {
	g.t.Helper()
	missing := k
	missing.name = "f" + strings.Repeat("q", len(k.name)-4) + k.name[len(k.name)-3:]
	search := &contract.SearchRequest{Query: "heron"}
	ask := func(k kept, path string, body any) string {
		js, err := json.Marshal(body)
		if err != nil {
			g.t.Fatal(err)
		}
		told := g.do(g.request(http.MethodPost, path, string(js), "Authorization", "Bearer "+a.token)).body
		return strings.ReplaceAll(string(told), k.name, "NAME")
	}
	for path, body := range map[string]func(kept) any{
		"/api/v1/explain": func(k kept) any {
			return contract.ExplainQuery{Source: document.Source(k.source), Path: document.Path(k.path()), Search: search}
		},
		"/api/v1/explain/path": func(k kept) any {
			return contract.ExplainFile{Source: document.Source(k.source), Path: k.path()}
		},
		"/api/v1/documents": func(k kept) any {
			return contract.PutRequest{Source: document.Source(k.source), Documents: []contract.PutDocument{{Path: document.Path(k.path()), Content: []byte("x")}}}
		},
	} {
		if (k.gone || len(k.roles) > 0) && path == "/api/v1/documents" {
			continue // where a rule lets them write, what is hidden for its roles is refused, and what is gone put again
		}
		hidden, none := ask(k, path, body(k)), ask(missing, path, body(missing))
		if hidden != none {
			g.t.Errorf("%s, %s of %s: %s, and where nothing is %s", a.name, path, k.path(), hidden, none)
		}
	}
}

func (g *guarded) agentOf(token string) *mcp.ClientSession {
	g.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "check", Version: "1"}, nil)
	session, err := c.Connect(g.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: g.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1,
	}, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = session.Close() })
	return session
}

// Random rules over random documents, and rules that stand in their sources: nothing of what somebody may not see is told to
// them, whatever they ask, and wherever.
func TestHiddenDocument_IsNeverTold(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	g := newGuarded(t, r)
	byUser := asker{name: "the user ask", groups: []string{"askers"}, nc: g.login("ask"), token: g.secret.Password("ask")}
	all := []asker{
		byUser,
		{name: "the user write", groups: []string{"writers"}, nc: g.login("write"), token: g.secret.Password("write")},
		{name: "a key", groups: []string{"red", "blue"}, token: g.key(contract.KeyAdd{Name: "reader", Groups: []string{"red", "blue"}})},
		{name: "a key that writes", groups: []string{"blue"}, token: g.key(contract.KeyAdd{Name: "writer", Role: contract.RoleWrite, Groups: []string{"blue"}, Seconds: 3600})},
		{name: "a key of no group", token: g.key(contract.KeyAdd{Name: "nobody"})},
		{name: "somebody whom an issuer knows", groups: []string{"red"}, token: g.issued("red")},
	}
	operations := g.operations()
	token := g.token()
	var sources, folders []string
	for _, k := range g.docs {
		sources, folders = append(sources, k.source), append(folders, k.folder)
	}
	groups := []string{"askers", "writers", "red", "blue", contract.Everyone}
	// In each round something is hidden by all that can hide, by the roles of documents
	// alone, or by rules in sources.
	const (
		byAll = iota
		byRoles
		bySources
		rounds
	)
	for round := range rounds {
		g.rules = nil
		for range 1 + r.IntN(4) {
			g.rules = append(g.rules, visible{pick(r, sources), pick(r, folders), append(pick(r, groups[:4]), groups[r.IntN(4)])})
		}
		if round != byAll {
			g.rules = []visible{{groups: []string{contract.Everyone}}}
		}
		g.write()
		for _, source := range slices.Sorted(maps.Keys(g.roots)) {
			var standing []visible
			for range r.IntN(4) {
				standing = append(standing, visible{nil, pick(r, folders), append(pick(r, groups), groups[r.IntN(len(groups))])})
			}
			switch {
			case round == byRoles:
				standing = nil
			case round == bySources && source == sources[0]:
				standing = []visible{{groups: []string{"red"}}}
			}
			g.stand(source, standing)
		}
		for _, a := range all {
			shown, hidden := g.seen(a)
			t.Logf("round %d: %s sees %d of %d", round, a.name, len(shown), len(g.docs))
			if a.nc != nil {
				g.exact(a, shown)
			}
			if len(hidden) == 0 {
				continue
			}
			g.asMissing(a, hidden[r.IntN(len(hidden))])
			asked := probes(hidden[r.IntN(len(hidden))], hidden[r.IntN(len(hidden))], token)
			for _, e := range contract.Endpoints {
				bodies, known := asked[e.Subject]
				if !known {
					t.Fatalf("%s is asked by no probe: add one, or nobody knows that it tells nothing", e.Subject)
				}
				if a.nc == nil || !contract.Role(a.nc.Opts.User).Includes(e.Role) {
					continue
				}
				for _, body := range bodies {
					js, err := json.Marshal(body)
					if err != nil {
						t.Fatal(err)
					}
					g.silent(a, e.Subject, js, overNATS(t.Context(), a.nc, e.Subject, js), hidden)
				}
			}
			for _, op := range operations {
				for _, bodies := range asked {
					if len(bodies) == 0 || op[0] != http.MethodPost && r.IntN(8) > 0 || r.IntN(4) > 0 {
						continue // each body for each operation is too much
					}
					js, err := json.Marshal(bodies[r.IntN(len(bodies))])
					if err != nil {
						t.Fatal(err)
					}
					path := strings.NewReplacer("{source}", hidden[0].source, "{id}", "x", "{name}", "x").Replace(op[1])
					told := g.do(g.request(op[0], path, string(js), "Authorization", "Bearer "+a.token))
					g.silent(a, op[0]+" "+path, append(js, path...), told.body, hidden)
				}
			}
			session := g.agentOf(a.token)
			h := hidden[r.IntN(len(hidden))]
			for _, call := range []mcp.CallToolParams{
				{Name: "search", Arguments: map[string]any{"query": "heron in the weir", "limit": 20}},
				{Name: "search", Arguments: map[string]any{"query": h.word[:8]}},
				{Name: "grep", Arguments: map[string]any{"pattern": "heron"}},
				{Name: "read", Arguments: map[string]any{"path": h.source + ":" + h.path()}},
				{Name: "read", Arguments: map[string]any{"path": "README.md"}},
				{Name: "outline", Arguments: map[string]any{"path": h.source + ":" + h.folder}},
				{Name: "outline", Arguments: map[string]any{}},
				{Name: "related", Arguments: map[string]any{"path": h.source + ":" + h.path() + ":1"}},
				{Name: "status", Arguments: map[string]any{}},
			} {
				told, err := session.CallTool(t.Context(), &call)
				js, _ := json.Marshal(call)
				text := []byte(fmt.Sprint(err))
				if err == nil {
					text, _ = json.Marshal(told)
				}
				g.silent(a, "MCP", js, text, hidden)
			}
		}
	}
	owner := g.login("admin")
	grep, err := client.Grep.Ask(t.Context(), owner, contract.GrepRequest{Pattern: "heron"})
	there := slices.DeleteFunc(slices.Clone(g.docs), func(k kept) bool { return k.gone })
	if err != nil || grep.Matched != len(there) {
		t.Errorf("the owner sees %d of %d: %v", grep.Matched, len(there), err)
	}
	feedback, err := client.ListFeedback.Ask(t.Context(), owner, contract.FeedbackListRequest{})
	if err != nil || len(feedback.Events) < len(g.docs) {
		t.Errorf("the owner is told of %d events: %v", len(feedback.Events), err)
	}
}
