package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/issuertest"
)

// kept is a document whose name, folder, words and symbol nobody else has.
type kept struct {
	source, folder, name, word, symbol string
	go_                                bool
	roles                              []string // that it names itself; it is put
	gone                               bool     // it was deleted
}

func (k kept) path() string { return k.folder + "/" + k.name }

func (k kept) text() string {
	if k.go_ {
		return fmt.Sprintf("package birds\n\n// %s watches the heron at the weir, as the %s does.\nfunc %s() string { return \"heron\" }\n", k.symbol, k.word, k.symbol)
	}
	return fmt.Sprintf("# The heron and the %s\n\nA heron stands in the weir. The %s waits beside it, and so does the %s.\n", k.word, k.word, k.symbol)
}

// marks are what must not be told of it to whoever may not see it.
func (k kept) marks() []string { return []string{k.folder, k.name, k.word, k.symbol} }

// guarded is a folder of documents, and rules over it.
type guarded struct {
	*site
	docs  []kept
	rules []visible
	file  string
	roots map[string]string    // of sources, "" for one of kind api
	in    map[string][]visible // the rules that stand in sources; no entry: no file
	by    *issuertest.Login    // whose tokens it takes
}

// visible is a rule, as the test understands it.
type visible struct {
	sources, folders, groups []string
}

func (v visible) shows(k kept, groups []string) bool {
	has := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return has(v.sources, k.source) && has(v.folders, k.folder) && slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(v.groups, g) })
}

// asker is somebody who asks, and what rules know of them.
type asker struct {
	name   string
	groups []string
	nc     *nats.Conn // nil: not over NATS
	token  string
}

func pick[T any](r *rand.Rand, from []T) (out []T) {
	for _, v := range from {
		if r.IntN(3) == 0 {
			out = append(out, v)
		}
	}
	return out
}

// rule is how a file says it.
func (v visible) rule() string {
	js, _ := json.Marshal(struct {
		Sources []string `json:"sources,omitempty"`
		Paths   []string `json:"paths,omitempty"`
		Groups  []string `json:"groups"`
	}{v.sources, v.folders, slices.Concat([]string{}, v.groups)})
	return string(js)
}

func (g *guarded) write() {
	g.t.Helper()
	var b strings.Builder
	b.WriteString("members:\n  askers: [ask]\n  writers: [write]\nrules:\n")
	if len(g.rules) == 0 {
		b.WriteString("  []\n")
	}
	for _, v := range g.rules {
		b.WriteString("  - " + v.rule() + "\n")
	}
	next := g.file + ".next"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Rename(next, g.file); err != nil {
		g.t.Fatal(err)
	}
}

// stand has rules stand in a source from now on; nil: none.
func (g *guarded) stand(source string, rules []visible) {
	g.t.Helper()
	delete(g.in, source)
	text := "rules:\n"
	for _, v := range rules {
		text += "  - " + v.rule() + "\n"
	}
	if rules != nil {
		g.in[source] = rules
	}
	owner, path := g.login("admin"), document.AccessFile
	if g.roots[source] == "" {
		var put contract.WriteReply
		var err error
		if rules == nil {
			put, err = client.Delete.Ask(g.t.Context(), owner, contract.DeleteRequest{Source: document.Source(source), Documents: []contract.DeleteDocument{{Path: path}}})
		} else {
			put, err = client.Put.Ask(g.t.Context(), owner, contract.PutRequest{Source: document.Source(source), Documents: []contract.PutDocument{{Path: path, Text: &text}}})
		}
		if err != nil || put.Documents[0].Error != nil {
			g.t.Fatalf("%+v: %v", put, err)
		}
		return
	}
	file := filepath.Join(g.roots[source], string(path))
	err := os.WriteFile(file, []byte(text), 0o600)
	if rules == nil {
		err = os.Remove(file)
	}
	if err == nil || os.IsNotExist(err) {
		_, err = client.Announce.Ask(g.t.Context(), owner, contract.Announce{Paths: []string{file}})
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *guarded) seen(a asker) (shown, hidden []kept) {
	for _, k := range g.docs {
		groups := append([]string{contract.Everyone}, a.groups...)
		own := len(k.roles) == 0 || slices.ContainsFunc(groups, func(group string) bool { return slices.Contains(k.roles, group) })
		if rules, stand := g.in[k.source]; stand {
			own = own && slices.ContainsFunc(rules, func(v visible) bool { return v.shows(k, groups) })
		}
		if !k.gone && own && slices.ContainsFunc(g.rules, func(v visible) bool { return v.shows(k, groups) }) {
			shown = append(shown, k)
		} else {
			hidden = append(hidden, k)
		}
	}
	return shown, hidden
}

// newGuarded runs a freshet over three sources, with no rule.
func newGuarded(t *testing.T, r *rand.Rand) *guarded {
	t.Helper()
	g := &guarded{file: filepath.Join(t.TempDir(), "access.yaml"), by: issuertest.New(t, time.Now())}
	word := func(begin string) string {
		letters := make([]byte, 8)
		for i := range letters {
			letters[i] = "bcdfghjklmnpqrstvwxz"[r.IntN(20)]
		}
		return begin + string(letters)
	}
	root := t.TempDir()
	g.roots, g.in = map[string]string{}, map[string][]visible{}
	var sources []config.Source
	for range 3 {
		source := word("s")
		g.roots[source] = filepath.Join(root, source)
		sources = append(sources, config.Source{Root: g.roots[source], Name: source})
		for range 3 {
			folder := word("d")
			for range 2 {
				k := kept{source: source, folder: folder, name: word("f") + ".md", word: word("w"), symbol: strings.ToUpper(word("y")), go_: r.IntN(2) == 0}
				if k.go_ {
					k.name = strings.TrimSuffix(k.name, "md") + "go"
				}
				at := filepath.Join(root, source, k.path())
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(k.text()), 0o644); err != nil {
					t.Fatal(err)
				}
				g.docs = append(g.docs, k)
			}
		}
	}
	g.site = &site{t: t}
	g.write()
	g.site = start(t, func(c *config.Config) { c.Sources, c.Access.File, c.Gateway.OIDC = sources, g.file, g.by.Config() })
	g.put(word, r)
	g.leave()
	g.take(r.IntN(6), len(g.docs)-1-r.IntN(3))
	return g
}

// take has the owner delete documents, which nobody else is told of from then on.
func (g *guarded) take(which ...int) {
	g.t.Helper()
	owner := g.login("admin")
	for _, i := range which {
		k := &g.docs[i]
		k.gone = true
		var err error
		if root := g.roots[k.source]; root != "" {
			at := filepath.Join(root, k.path())
			if err = os.Remove(at); err == nil {
				_, err = client.Announce.Ask(g.t.Context(), owner, contract.Announce{Paths: []string{at}})
			}
		} else {
			_, err = client.Delete.Ask(g.t.Context(), owner, contract.DeleteRequest{Source: document.Source(k.source), Documents: []contract.DeleteDocument{{Path: document.Path(k.path())}}})
		}
		if err != nil {
			g.t.Fatal(err)
		}
	}
}

// put has the owner put documents, most of which name roles.
func (g *guarded) put(word func(string) string, r *rand.Rand) {
	g.t.Helper()
	owner, source := g.login("admin"), word("s")
	if _, err := client.AddSource.Ask(g.t.Context(), owner, contract.SourceAdd{Kind: contract.SourceAPI, Source: document.Source(source)}); err != nil {
		g.t.Fatal(err)
	}
	g.roots[source] = ""
	put := contract.PutRequest{Source: document.Source(source)}
	for range 2 {
		folder := word("d")
		for range 3 {
			k := kept{source: source, folder: folder, name: word("f") + ".md", word: word("w"), symbol: strings.ToUpper(word("y"))}
			k.roles = pick(r, []string{"askers", "writers", "red", "blue", contract.Everyone})
			if len(put.Documents) == 0 {
				k.roles = []string{"red"} // whatever is drawn, one is hidden
			}
			text, d := k.text(), contract.PutDocument{Path: document.Path(k.path())}
			if d.Text = &text; len(k.roles) > 0 {
				d.Metadata = document.Metadata{document.MetadataRoles: k.roles}
			}
			put.Documents, g.docs = append(put.Documents, d), append(g.docs, k)
		}
	}
	reply, err := client.Put.Ask(g.t.Context(), owner, put)
	if err != nil || slices.ContainsFunc(reply.Documents, func(d contract.WrittenDocument) bool { return d.Error != nil }) {
		g.t.Fatalf("%+v, %v", reply, err)
	}
	if _, err := client.Search.Ask(g.t.Context(), owner, contract.SearchRequest{Query: "heron", Token: reply.Token.String(), DeadlineMS: 10_000}); err != nil {
		g.t.Fatal(err)
	}
}

// leave has the owner keep a question, and give feedback, that name each document.
func (g *guarded) leave() {
	g.t.Helper()
	owner := g.login("admin")
	for _, k := range g.docs {
		question := contract.StandingQuestion{Query: k.word + " and the " + k.symbol, Filter: contract.Filter{Sources: []document.Source{document.Source(k.source)}, Paths: []string{k.path()}}}
		if _, err := client.AddWatch.Ask(g.t.Context(), owner, contract.WatchAdd{Question: &question}); err != nil {
			g.t.Fatal(err)
		}
		found, err := client.Search.Ask(g.t.Context(), owner, contract.SearchRequest{Query: k.word})
		if err != nil {
			g.t.Fatal(err)
		}
		_, err = client.GiveFeedback.Ask(g.t.Context(), owner, contract.Feedback{
			Kind: contract.FeedbackUp, Query: k.word, Token: found.Token, Hits: []contract.FeedbackHit{{Source: document.Source(k.source), Path: document.Path(k.path())}},
		})
		if err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g *guarded) login(user string) *nats.Conn {
	g.t.Helper()
	nc, err := g.secret.Login(bus.Remote{URL: g.nats}, user).Dial(nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(nc.Close)
	return nc
}

// issued is a token of the issuer's for somebody in groups.
func (g *guarded) issued(groups ...string) string {
	g.t.Helper()
	return g.by.Token(issuertest.First, map[string]any{"groups": groups})
}

func (g *guarded) key(in contract.KeyAdd) string {
	g.t.Helper()
	added, err := client.AddKey.Ask(g.t.Context(), g.login("admin"), in)
	if err != nil {
		g.t.Fatal(err)
	}
	return added.Token
}
