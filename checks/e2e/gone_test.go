package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// eventually calls fn until it returns nil; go test's own limit ends it
// otherwise.
func eventually(t *testing.T, fn func() error) {
	t.Helper()
	var last string
	for err := fn(); err != nil; err = fn() {
		if err.Error() != last {
			last = err.Error()
			t.Log("waiting: ", last)
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(last)
		}
	}
}

// What was read of a root that has gone is shown, with a word about that, in
// answers and in the status, until it is back.
func TestRootIsGone_AnswersAndStatusSaySo(t *testing.T) {
	t.Parallel()
	above := folder(t, "above")
	root, other := filepath.Join(above, "notes"), folder(t, "other")
	write(t, filepath.Join(root, "a.go"), goFile("Vanishing"))
	write(t, filepath.Join(other, "b.go"), goFile("Staying"))
	r := up(t, t.TempDir(), root, other)
	said := func(req contract.SearchRequest) bool {
		rep := ask[contract.SearchRequest, contract.SearchReply](t, r.bus, contract.SubjectSearch, req)
		return slices.ContainsFunc(rep.Degraded, func(d string) bool { return strings.HasPrefix(d, "notes: ") && strings.Contains(d, root) })
	}
	all := contract.SearchRequest{Query: "Vanishing", Token: "latest"}
	named, elsewhere := all, all
	named.Filter.Sources = []document.Source{"notes"}
	elsewhere.Filter.Sources = []document.Source{"other"}
	until := func(gone bool) {
		t.Helper()
		eventually(t, func() error {
			st := r.status()
			i := slices.IndexFunc(st.Sources, func(s contract.SourceInfo) bool { return s.Source == "notes" })
			if told := slices.ContainsFunc(st.Degraded, func(d string) bool { return strings.HasPrefix(d, "notes: ") }); (st.Sources[i].Gone != "") != gone || told != gone {
				return fmt.Errorf("status: %+v, degraded %q", st.Sources[i], st.Degraded)
			}
			return nil
		})
		if said(all) != gone || said(named) != gone {
			t.Errorf("an answer about it says so: %v, %v; want %v", said(all), said(named), gone)
		}
		if said(elsewhere) {
			t.Error("an answer about another source says so")
		}
	}
	until(false)
	// No event tells of what happens above the root.
	if err := os.Rename(above, above+"-away"); err != nil {
		t.Fatal(err)
	}
	until(true)
	r.shows("latest", "Vanishing", "notes/a.go")
	// Another folder comes in its place.
	write(t, filepath.Join(root, "c.go"), goFile("Replacing"))
	until(false)
	eventually(t, func() error {
		if rep := ask[contract.SearchRequest, contract.SearchReply](t, r.bus, contract.SubjectSearch, contract.SearchRequest{Query: "Replacing", Token: "latest"}); len(rep.Hits) == 0 || rep.Hits[0].Path != "c.go" {
			return errors.New("what is there now is not found")
		}
		return nil
	})
	r.shows(r.look(root).String(), "Vanishing", "")
	write(t, filepath.Join(root, "c.go"), goFile("Watched"))
	eventually(t, func() error {
		if rep := ask[contract.SearchRequest, contract.SearchReply](t, r.bus, contract.SubjectSearch, contract.SearchRequest{Query: "Watched", Token: "latest"}); len(rep.Hits) == 0 || !strings.Contains(rep.Hits[0].Text, "Watched") {
			return errors.New("the new folder is not watched")
		}
		return nil
	})
}

// The state folder of a running instance is removed: it stops and says so in
// one sentence, and a new one starts in its place.
func TestStateFolderIsRemoved_InstanceEndsAndSaysSo(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "notes"), filepath.Join(t.TempDir(), "data")
	write(t, filepath.Join(root, "a.go"), goFile("Lasting"))
	for _, lose := range []func() error{
		func() error { return os.Remove(filepath.Join(data, "lock")) },
		func() error { return os.RemoveAll(data) },
	} {
		p := start(t, nil, "--data", data, "--nats-port", freePort(t), root)
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := p.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("freshet up ended with %v", err)
		}
		said := strings.TrimSpace(p.cmd.Stderr.(fmt.Stringer).String())
		last := said[strings.LastIndexByte(said, '\n')+1:]
		if !strings.Contains(last, data) || !strings.Contains(last, "was removed or replaced") || strings.Count(said, "was removed or replaced") != 1 {
			t.Errorf("freshet up wrote %q", said)
		}
	}
	r := up(t, data, root)
	r.shows(r.ready.Token.String(), "Lasting", "notes/a.go")
}
