package export_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/freshet"
	"github.com/freshet-dev/freshet/services/freshet/internal/export"
)

func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	os.Exit(m.Run())
}

// rig is a running freshet.
type rig struct {
	*testing.T
	url    string
	secret bus.Secret
}

func start(t *testing.T, set func(*config.Config)) *rig {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.NATS.Port, cfg.Gateway.Listen = filepath.Join(t.TempDir(), "state"), 0, "127.0.0.1:0"
	set(&cfg)
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan freshet.Running, 1), make(chan error, 1)
	go func() {
		done <- freshet.Up(ctx, freshet.Options{Config: cfg, Ready: func(r freshet.Running) { ready <- r }})
	}()
	select {
	case r := <-ready:
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
		secret, err := bus.ReadSecret(filepath.Join(cfg.Data, "secret"))
		if err != nil {
			t.Fatal(err)
		}
		return &rig{t, bus.HideUser(r.URL), secret}
	case err := <-done:
		cancel()
		t.Fatalf("it ended: %v", err)
	}
	return nil
}

func (r *rig) as(role contract.Role) *nats.Conn {
	r.Helper()
	nc, err := nats.Connect(r.url, nats.UserInfo(string(role), r.secret.Password(string(role))), nats.CustomInboxPrefix(contract.InboxOf(string(role))))
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(nc.Close)
	return nc
}

// export writes one and returns its folder.
func (r *rig) export(as contract.Role, format export.Format, w export.Wanted) (string, export.Summary) {
	r.Helper()
	folder := filepath.Join(r.TempDir(), "out")
	if w.Settle == 0 {
		w.Settle = settle
	}
	sum, err := export.Run(r.Context(), r.as(as), folder, format, w)
	if err != nil {
		r.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), ".freshet-*")); len(left) > 0 {
		r.Errorf("%q is left", left)
	}
	return folder, sum
}

// put adds a source of documents that are put, and a document to it.
func (r *rig) put(source document.Source, path document.Path, text string, m document.Metadata) {
	r.Helper()
	owner := r.as(contract.RoleAdmin)
	if _, err := client.AddSource.Ask(r.Context(), owner, contract.SourceAdd{Kind: contract.SourceAPI, Source: source}); err != nil {
		r.Fatal(err)
	}
	if _, err := client.Put.Ask(r.Context(), owner, contract.PutRequest{Source: source, Documents: []contract.PutDocument{{Path: path, Text: &text, Metadata: m}}}); err != nil {
		r.Fatal(err)
	}
}

// settle is more than a busy machine takes.
const settle = 1 << 37

// rows reads a file of lines.
func rows[T any](t *testing.T, file string) (out []T) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var v T
		if err := in.Decode(&v); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, v)
	}
}

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "birds")
	for name, text := range files {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var birds = map[string]string{
	"heron.go":         "package birds\n\n// Heron waits, \"quoted\", with a comma and a ; too.\nfunc Heron() string {\n\treturn Stalk(`back\\slash`)\n}\n\n// Wade is called.\nfunc Wade(s string) string { return s }\n",
	"a, \"b\"/crlf.md": "# One\r\n\r\nText with \r\n lines, \"quotes\", and \x1f a unit.\r\n",
	"empty.txt":        "",
	"latin.txt":        "un café au lait, deux caf\xe9s\n",
}

type passage struct {
	Source, Path, View string
	contract.Passage
}

func (r *rig) reads(as contract.Role, path document.Path) []byte {
	r.Helper()
	reply, err := client.Read.Ask(r.Context(), r.as(as), contract.ReadRequest{Source: "birds", Path: path})
	if err != nil {
		r.Fatal(err)
	}
	return append([]byte(reply.Text), reply.Bytes...)
}

func TestPassageOfAnExport_IsTheDocuments(t *testing.T) {
	r := start(t, func(c *config.Config) { c.Sources = []config.Source{{Root: tree(t, birds)}} })
	folder, sum := r.export(contract.RoleAdmin, export.JSONL, export.Wanted{})
	documents := rows[contract.DocumentPassages](t, filepath.Join(folder, "documents.jsonl"))
	if len(documents) != len(birds) || sum.Documents != len(birds) || !sum.Complete || sum.Token.IsZero() || !sum.Access {
		t.Fatalf("%d documents, %+v", len(documents), sum)
	}
	texts := map[string][]byte{}
	for _, d := range documents {
		text := r.reads(contract.RoleAsk, d.Path)
		if d.State != contract.PassagesThere || document.HashOf(text) != d.Hash || d.Size != int64(len(text)) {
			t.Errorf("%+v is said of %q", d, text)
		}
		texts[string(d.Path)] = text
	}
	passages := rows[passage](t, filepath.Join(folder, "passages.jsonl"))
	for _, p := range passages {
		if got, want := append([]byte(p.Text), p.Bytes...), texts[p.Path][p.StartByte:p.EndByte]; !bytes.Equal(got, want) {
			t.Errorf("%s has the passage %q, and %q is exported", p.Path, want, got)
		}
	}
	if sum.Passages != len(passages) || len(passages) == 0 {
		t.Errorf("%d passages are counted as %d", len(passages), sum.Passages)
	}
	type named struct{ Path, Name string }
	symbols := rows[named](t, filepath.Join(folder, "symbols.jsonl"))
	if !slices.Contains(symbols, named{"heron.go", "Heron"}) || !slices.Contains(symbols, named{"heron.go", "Wade"}) {
		t.Errorf("symbols are %+v", symbols)
	}
	if references := rows[named](t, filepath.Join(folder, "references.jsonl")); !slices.Contains(references, named{"heron.go", "Stalk"}) {
		t.Errorf("references are %+v", references)
	}
	if _, err := export.Run(t.Context(), r.as(contract.RoleAsk), folder, export.JSONL, export.Wanted{}); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("a folder that is there: %v", err)
	}
	if roles := rows[contract.RoleRights](t, filepath.Join(folder, "roles.jsonl")); len(roles) != len(contract.Roles) {
		t.Errorf("roles are %+v", roles)
	}
}

// importer reads what was written as Neo4j's importer does: headers say which column is
// an id of which kind, and every end of a relationship has to be there.
type importer struct {
	*testing.T
	nodes map[string]map[string][]string // of a kind, by id
	ends  [][2]string                    // kind and id that a relationship names
	rows  map[string][][]string          // by file
}

func (i *importer) read(file string, nodes bool) {
	i.Helper()
	f, err := os.Open(file)
	if err != nil {
		i.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f) // no lazy quotes, and as many fields in each row as in the first
	all, err := in.ReadAll()
	if err != nil {
		i.Fatalf("%s: %v", file, err)
	}
	label := map[bool]string{true: ":LABEL", false: ":TYPE"}[nodes]
	if !slices.Contains(all[0], label) {
		i.Errorf("%s has no column %s: %q", file, label, all[0])
	}
	for _, row := range all[1:] {
		for c, head := range all[0] {
			_, kind, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
			switch {
			case strings.Contains(head, ":ID("):
				if i.nodes[kind] == nil {
					i.nodes[kind] = map[string][]string{}
				}
				if i.nodes[kind][row[c]] != nil || row[c] == "" {
					i.Errorf("%s: the id %q is there twice, or none", file, row[c])
				}
				i.nodes[kind][row[c]] = row
			case strings.HasPrefix(head, ":START_ID("), strings.HasPrefix(head, ":END_ID("):
				i.ends = append(i.ends, [2]string{kind, row[c]})
			case head == label && row[c] == "":
				i.Errorf("%s: a row has no %s", file, label)
			}
		}
	}
	i.rows[filepath.Base(file)] = all[1:]
}

func imported(t *testing.T, folder string) *importer {
	t.Helper()
	call, err := os.ReadFile(filepath.Join(folder, "import.sh"))
	if err != nil {
		t.Fatal(err)
	}
	// The importer takes whatever follows a list of files for one more of them, the name
	// of the database too.
	if words := strings.Fields(string(call)); !strings.HasPrefix(words[len(words)-1], "--") || !strings.Contains(string(call), ` import full "$@" `) {
		t.Errorf("import.sh does not name the database first: %s", call)
	}
	i := &importer{T: t, nodes: map[string]map[string][]string{}, rows: map[string][][]string{}}
	for _, word := range strings.Fields(string(call)) {
		if name, is := strings.CutPrefix(word, "--nodes="); is {
			i.read(filepath.Join(folder, name), true)
		}
		if name, is := strings.CutPrefix(word, "--relationships="); is {
			i.read(filepath.Join(folder, name), false)
		}
	}
	for _, end := range i.ends {
		if i.nodes[end[0]][end[1]] == nil {
			t.Errorf("a relationship names the %s %q, which there is not", end[0], end[1])
		}
	}
	tables, _ := filepath.Glob(filepath.Join(folder, "*.csv"))
	if len(tables) != len(i.rows) {
		t.Errorf("%d tables are written, and %d imported", len(tables), len(i.rows))
	}
	return i
}

func TestImporter_CanTakeAnExport(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "access.yaml")
	if err := os.WriteFile(rules, []byte("members:\n  waders: [ask]\nrules:\n  - {groups: [waders], sources: [birds], paths: [\"**/*.md\", \"a;b/\"]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, func(c *config.Config) { c.Sources, c.Access.File = []config.Source{{Root: tree(t, birds)}}, rules })
	if _, err := client.AddKey.Ask(t.Context(), r.as(contract.RoleAdmin), contract.KeyAdd{Name: "laptop", Groups: []string{"waders", "others"}}); err != nil {
		t.Fatal(err)
	}
	r.put("notes", "bitterns.md", "They boom.\n", document.Metadata{"team": {"waders", "reeds"}, "kind": {"core"}})
	folder, sum := r.export(contract.RoleAdmin, export.Neo4j, export.Wanted{})
	i := imported(t, folder)
	if len(i.nodes["document"]) != len(birds)+1 || len(i.nodes["passage"]) != sum.Passages || len(i.nodes["symbol"]) != sum.Symbols || len(i.rows["refers_to.csv"]) != sum.References {
		t.Errorf("%d documents, %d passages, %d symbols, %d references are imported of %+v", len(i.nodes["document"]), len(i.nodes["passage"]), len(i.nodes["symbol"]), len(i.rows["refers_to.csv"]), sum)
	}
	if said := i.nodes["document"]["notes:worktree:bitterns.md"]; said == nil || !slices.Contains(said, "kind=core\x1fteam=reeds\x1fteam=waders") {
		t.Errorf("what was put with metadata is %q", said)
	}
	quoted := false
	for _, p := range i.nodes["passage"] {
		quoted = quoted || strings.Contains(p[3], `"quoted", with a comma and a ; too.`) && strings.Contains(p[3], "back\\slash")
	}
	if !quoted {
		t.Errorf("passages are %q", i.nodes["passage"])
	}
	if len(i.nodes["role"]) != len(contract.Roles) || i.nodes["principal"]["key:laptop"] == nil || i.nodes["group"]["others"] == nil || len(i.nodes["rule"]) != 1 {
		t.Errorf("who sees what is imported as %v", i.nodes)
	}
	if paths := strings.Split(i.nodes["rule"]["0"][2], "\x1f"); !slices.Equal(paths, []string{"**/*.md", "a;b/"}) {
		t.Errorf("the rule has the paths %q", paths)
	}
	// Who sees a part exports that part, and no rules.
	folder, sum = r.export(contract.RoleAsk, export.Neo4j, export.Wanted{})
	if i = imported(t, folder); len(i.nodes["document"]) != 1 || sum.Documents != 1 || sum.Access || i.nodes["rule"] != nil || i.nodes["principal"] != nil {
		t.Errorf("to whoever sees a part %v is exported, %+v", i.nodes, sum)
	}
}

// Documents are written in turn, each with the number of the round, so that in any state
// of the log the numbers fall once at most.
func TestDocumentsChangeMeanwhile_ExportIsOneState(t *testing.T) {
	r := start(t, func(c *config.Config) { c.Sources = []config.Source{{Root: tree(t, birds)}} })
	writer := r.as(contract.RoleAdmin)
	if _, err := client.AddSource.Ask(t.Context(), writer, contract.SourceAdd{Kind: contract.SourceAPI, Source: "rounds"}); err != nil {
		t.Fatal(err)
	}
	const documents = 300
	name := func(n int) document.Path { return document.Path(fmt.Sprintf("d%03d.md", n)) }
	put := func(n, round int) error {
		_, err := client.Put.Ask(t.Context(), writer, contract.PutRequest{Source: "rounds", Documents: []contract.PutDocument{
			{Path: name(n), Content: []byte(strings.Repeat(fmt.Sprintf("# Round %06d\n\nIt is the round %06d now.\n\n", round, round), 40))},
		}})
		return err
	}
	for n := range documents {
		if err := put(n, 1); err != nil {
			t.Fatal(err)
		}
	}
	var stop atomic.Bool
	written := make(chan error, 1)
	go func() {
		for round := 2; ; round++ {
			for n := range documents {
				if stop.Load() {
					written <- nil
					return
				}
				if err := put(n, round); err != nil {
					written <- err
					return
				}
			}
		}
	}()
	for range 3 {
		folder, sum := r.export(contract.RoleAsk, export.JSONL, export.Wanted{Filter: contract.Filter{Sources: []document.Source{"rounds"}}})
		listed := rows[contract.DocumentPassages](t, filepath.Join(folder, "documents.jsonl"))
		if len(listed) != documents || !sum.Complete {
			t.Fatalf("%d of %d documents are exported: %+v", len(listed), documents, sum)
		}
		rounds := map[string]string{}
		for _, p := range rows[passage](t, filepath.Join(folder, "passages.jsonl")) {
			_, rest, _ := strings.Cut(p.Text, "ound ")
			if old := rounds[p.Path]; old != "" && old != rest[:6] {
				t.Errorf("%s is exported of the rounds %s and %s", p.Path, old, rest[:6])
			}
			rounds[p.Path] = rest[:6]
		}
		falls := 0
		for n := 1; n < documents; n++ {
			before, now := rounds[string(name(n-1))], rounds[string(name(n))]
			if now == "" || now > before {
				t.Errorf("%s is of the round %q, and the one before it of %q", name(n), now, before)
			}
			if now < before {
				falls++
			}
		}
		if falls > 1 {
			t.Errorf("no state of the log has the rounds %v", rounds)
		}
	}
	stop.Store(true)
	if err := <-written; err != nil {
		t.Error(err)
	}
}
