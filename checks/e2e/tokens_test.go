package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) addAPI(name document.Source) {
	r.t.Helper()
	ask[contract.SourceAdd, contract.SourceList](r.t, r.bus, contract.SubjectSourcesAdd, contract.SourceAdd{Kind: contract.SourceAPI, Source: name})
}

// put writes documents, given as path and content in turn, and returns the
// token of the reply.
func (r *rig) put(source document.Source, pairs ...string) string {
	r.t.Helper()
	req := contract.PutRequest{Source: source}
	for i := 0; i < len(pairs); i += 2 {
		req.Documents = append(req.Documents, contract.PutDocument{Path: document.Path(pairs[i]), Text: &pairs[i+1]})
	}
	reply := ask[contract.PutRequest, contract.WriteReply](r.t, r.bus, contract.SubjectPut, req)
	for _, d := range reply.Documents {
		if d.Error != nil || d.Op != contract.OpPut {
			r.t.Errorf("%s: %+v", d.Path, d)
		}
	}
	return reply.Token.String()
}

func (r *rig) erase(source document.Source, path document.Path) string {
	r.t.Helper()
	req := contract.DeleteRequest{Source: source, Documents: []contract.DeleteDocument{{Path: path}}}
	return ask[contract.DeleteRequest, contract.WriteReply](r.t, r.bus, contract.SubjectDelete, req).Token.String()
}

// showsInBoth checks that each engine alone finds a word at one place, or that
// neither does for "".
func (r *rig) showsInBoth(token, word, place string) {
	r.t.Helper()
	for _, off := range [][]string{{"vector", "pending"}, {"lexical", "pending"}} {
		want := ""
		if place != "" {
			want = place
		}
		rep := r.search(contract.SearchRequest{Query: word, Token: token, Off: off})
		if got := strings.Join(found(rep, word), " "); got != want {
			r.t.Errorf("without %v, %q with token %s is found in %q, want %q", off, word, token, got, want)
		}
	}
}

func TestTokenOfAPut_Holds(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	r := up(t, data)
	r.addAPI("tickets")
	previous := ""
	for i := range 30 {
		word := fmt.Sprintf("Bittern%dBooms", i)
		path := fmt.Sprintf("birds/%d.go", i%3)
		r.showsInBoth(r.put("tickets", path, goFile(word)), word, "tickets/"+path)
		if i >= 3 {
			r.showsInBoth("latest", fmt.Sprintf("Bittern%dBooms", i-3), "")
		}
		if i%5 == 4 {
			r.showsInBoth(r.erase("tickets", document.Path(path)), word, "")
			r.put("tickets", path, goFile(word))
		}
		previous = word
	}
	r.showsInBoth("latest", previous, "tickets/birds/2.go")
	var batch []string
	for i := range 200 {
		batch = append(batch, fmt.Sprintf("batch/%d.go", i), goFile(fmt.Sprintf("Dunlin%dWades", i)))
	}
	token := r.put("tickets", batch...)
	for _, i := range []int{0, 99, 199} {
		r.showsInBoth(token, fmt.Sprintf("Dunlin%dWades", i), fmt.Sprintf("tickets/batch/%d.go", i))
	}
	r.stop()
	storesEqualLog(t, data)
}

// told waits for the change that fits on a subscription.
func told(t *testing.T, sub *nats.Subscription, fits func(contract.Change) bool) contract.Change {
	t.Helper()
	for {
		m, err := sub.NextMsgWithContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var c contract.Change
		if err := json.Unmarshal(m.Data, &c); err != nil {
			t.Fatal(err)
		}
		if fits(c) {
			return c
		}
	}
}

func change(path document.Path, op contract.Op) func(contract.Change) bool {
	return func(c contract.Change) bool { return c.Path == path && c.Op == op }
}

func TestTokenOfAChange_Holds(t *testing.T) {
	t.Parallel()
	root := folder(t, "notes")
	repository, clone := bare(t, map[string]string{"keep.go": goFile("KestrelKeeps")})
	r := up(t, t.TempDir(), root, repository)
	origin := r.source(repository).Source
	r.addAPI("tickets")
	sub, err := r.bus.Conn().SubscribeSync("freshet.changes.*.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.bus.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	file, moved := filepath.Join(root, "a.go"), filepath.Join(root, "b.go")

	write(t, file, goFile("LapwingCreated"))
	r.shows(told(t, sub, change("a.go", contract.OpPut)).Token.String(), "LapwingCreated", "notes/a.go")
	write(t, file, goFile("MagpieEdited"))
	r.shows(told(t, sub, change("a.go", contract.OpPut)).Token.String(), "MagpieEdited", "notes/a.go")
	if err := os.Rename(file, moved); err != nil {
		t.Fatal(err)
	}
	told(t, sub, change("b.go", contract.OpPut))
	r.shows(told(t, sub, change("a.go", contract.OpDelete)).Token.String(), "MagpieEdited", "notes/b.go")
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	r.shows(told(t, sub, change("b.go", contract.OpDelete)).Token.String(), "MagpieEdited", "")

	write(t, filepath.Join(clone, "new.go"), goFile("NuthatchPushed"))
	git(t, clone, "rm", "-q", "keep.go")
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", "pushed")
	git(t, clone, "push", "-q", "origin", "main")
	commit := strings.TrimSpace(git(t, clone, "rev-parse", "HEAD"))
	marker := told(t, sub, func(c contract.Change) bool { return c.Op == contract.OpMarker && c.Commit == commit })
	r.shows(marker.Token.String(), "NuthatchPushed", string(origin)+"/new.go")
	r.shows(marker.Token.String(), "KestrelKeeps", "")

	r.put("tickets", "4711.go", goFile("OspreyPut"))
	r.shows(told(t, sub, change("4711.go", contract.OpPut)).Token.String(), "OspreyPut", "tickets/4711.go")
	r.erase("tickets", "4711.go")
	r.shows(told(t, sub, change("4711.go", contract.OpDelete)).Token.String(), "OspreyPut", "")
}

func TestCommit_IsFoundRightAfterIt(t *testing.T) {
	t.Parallel()
	repository, clone := bare(t, map[string]string{"keep.go": goFile("KestrelKeeps")})
	tree := folder(t, "tree")
	git(t, tree, "init", "-q", "-b", "main")
	write(t, filepath.Join(tree, "keep.go"), goFile("KestrelKeeps"))
	git(t, tree, "add", "-A")
	git(t, tree, "commit", "-q", "-m", "first")
	data := t.TempDir()
	r := up(t, data, repository, tree)
	origin := r.source(repository).Source
	holds := func(source document.Source, commit, word, path string) {
		t.Helper()
		rep := r.search(contract.SearchRequest{Query: word, Commit: commit, Filter: contract.Filter{Sources: []document.Source{source}}})
		if got := found(rep, word); len(got) != 1 || got[0] != string(source)+"/"+path || len(rep.Degraded) > 0 || len(rep.Pending) > 0 {
			t.Errorf("%s at %s: %q is found in %v: %v, %v", source, commit, word, got, rep.Degraded, rep.Pending)
		}
	}
	for i := range 6 {
		for source, dir := range map[document.Source]string{origin: clone, "tree": tree} {
			words, commits := [2]string{}, [2]string{}
			for n := range 2 {
				words[n] = fmt.Sprintf("Partridge%dNumber%d", i, n)
				write(t, filepath.Join(dir, words[n]+".go"), goFile(words[n]))
				git(t, dir, "add", "-A")
				git(t, dir, "commit", "-q", "-m", words[n])
				commits[n] = strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
			}
			if source == origin {
				git(t, dir, "push", "-q", "origin", "main")
			}
			// The commit before the last one never was at the top.
			holds(source, commits[i%2], words[i%2], words[i%2]+".go")
			holds(source, commits[1][:10], words[1], words[1]+".go")
		}
	}
	r.stop()
	storesEqualLog(t, data)
}

// Nothing but the log holds what was put, so a killed program must not lose it.
func TestKilledProgram_KeepsWhatWasPut(t *testing.T) {
	data, port := t.TempDir(), freePort(t)
	url := "nats://127.0.0.1:" + port
	args := []string{"--data", data, "--nats-port", port}
	p := start(t, nil, args...)
	r := attach(t, p.url, data)
	r.addAPI("tickets")
	for i := range 20 {
		r.put("tickets", fmt.Sprintf("%d.go", i), goFile(fmt.Sprintf("Quail%dCalls", i)))
	}
	r.erase("tickets", "3.go")
	r.bus.Close()
	p.kill()
	p = start(t, nil, args...)
	r = attach(t, url, data)
	for i := range 20 {
		place := fmt.Sprintf("tickets/%d.go", i)
		if i == 3 {
			place = ""
		}
		r.shows("latest", fmt.Sprintf("Quail%dCalls", i), place)
	}
	r.shows(r.put("tickets", "3.go", goFile("RavenReturns")), "RavenReturns", "tickets/3.go")
	r.bus.Close()
	p.stop()
	storesEqualLog(t, data)
}

// writeOne puts one document with everything that a request can say of it.
func (r *rig) writeOne(view document.View, d contract.PutDocument) string {
	r.t.Helper()
	req := contract.PutRequest{Source: "tickets", View: view, Documents: []contract.PutDocument{d}}
	reply := ask[contract.PutRequest, contract.WriteReply](r.t, r.bus, contract.SubjectPut, req)
	if got := reply.Documents[0]; got.Op != contract.OpPut || got.Error != nil {
		r.t.Fatalf("%+v", got)
	}
	return reply.Token.String()
}

func TestViewsOfAnAPISource_AreKeptApart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	r := up(t, data)
	r.addAPI("tickets")
	doc := func(word string) contract.PutDocument {
		content := goFile(word)
		return contract.PutDocument{Path: "a.go", Text: &content}
	}
	in := func(token, word string, views ...document.View) []string {
		t.Helper()
		rep := r.search(contract.SearchRequest{Query: word, Token: token, Filter: contract.Filter{Views: views}})
		out := []string{}
		for _, h := range rep.Hits {
			if strings.Contains(h.Text, word) {
				out = append(out, string(h.View))
			}
		}
		return out
	}
	r.writeOne("", doc("AvocetToday"))
	token := r.writeOne("release/2", doc("BitternReleased"))
	for _, c := range []struct {
		word  string
		views []document.View
		want  string
	}{
		{"AvocetToday", nil, "[worktree]"}, {"BitternReleased", nil, "[release/2]"},
		{"AvocetToday", []document.View{"release/2"}, "[]"}, {"BitternReleased", []document.View{"release/2"}, "[release/2]"},
		{"BitternReleased", []document.View{document.Worktree}, "[]"},
	} {
		if got := fmt.Sprint(in(token, c.word, c.views...)); got != c.want {
			t.Errorf("%s in %v is found in %s, want %s", c.word, c.views, got, c.want)
		}
	}
	token = r.writeOne("release/2", doc("CurlewReleased"))
	if got := in(token, "BitternReleased"); len(got) > 0 {
		t.Errorf("the release that was replaced is found in %v", got)
	}
	token = r.erase("tickets", "a.go")
	if got := in(token, "AvocetToday"); len(got) > 0 {
		t.Errorf("deleted, and found in %v", got)
	}
	if got := fmt.Sprint(in(token, "CurlewReleased")); got != "[release/2]" {
		t.Errorf("the other view is found in %s", got)
	}
	r.stop()
	storesEqualLog(t, data)
}

func TestDocumentThatChangedItsCollection_IsFoundOnce(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	r := up(t, data)
	r.addAPI("tickets")
	content := "# Dotterel\n\nThe DotterelRuns over the field.\n"
	for i := range 4 {
		d := contract.PutDocument{Path: "a.md", Text: &content, Collection: document.Collections[i%2]}
		token := r.writeOne("", d)
		r.showsInBoth(token, "DotterelRuns", "tickets/a.md")
		other := r.search(contract.SearchRequest{Query: "DotterelRuns", Token: token, Collections: []document.Collection{document.Collections[1-i%2]}})
		if got := found(other, "DotterelRuns"); len(got) > 0 {
			t.Errorf("round %d: in the other collection it is found in %v", i, got)
		}
	}
	r.stop()
	storesEqualLog(t, data)
}
