package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// What was not compared is not equal: by the exit code, by the words, by the
// reply and by the status, each source with its cause and the next step. The
// others are compared all the same.
func TestSourceWasNotCompared_VerifyIsIncomplete(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	kept, vanished, headless := folder(t, "kept"), folder(t, "vanished"), folder(t, "headless")
	bare := filepath.Join(folder(t, "served"), "birds.git")
	write(t, filepath.Join(kept, "a.go"), goFile("Albatross"))
	write(t, filepath.Join(vanished, "b.go"), goFile("Buzzard"))
	write(t, filepath.Join(headless, "c.go"), goFile("Cormorant"))
	write(t, filepath.Join(headless, "d.go"), goFile("Dunlin"))
	git(t, headless, "init", "--quiet", "--initial-branch=main")
	git(t, headless, "add", ".")
	git(t, headless, "commit", "--quiet", "--message=first")
	git(t, headless, "clone", "--quiet", "--bare", "--no-hardlinks", ".", bare)
	id := strings.TrimSpace(git(t, headless, "rev-parse", "HEAD:d.go"))
	if err := os.Remove(filepath.Join(bare, "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}

	p := start(t, nil, "--data", data, "--nats-port", "0", kept, vanished, headless, bare)
	r := attach(t, p.url, data)
	r.addAPI("tickets")
	r.put("tickets", "e.go", goFile("Egret"))
	r.shows("latest", "Egret", "tickets/e.go")
	run := func(code int, args ...string) (stdout, stderr string) {
		t.Helper()
		cmd := freshetCommand(t, nil, append(args, "--data", data)...)
		var out, complaints strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &complaints
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
			t.Fatalf("%v: %v, want exit code %d\n%s%s", args, err, code, &out, &complaints)
		}
		return out.String(), complaints.String()
	}
	// One bad object costs its document and not the token, which covers the rest.
	out, complaints := run(0, "token", bare)
	if token, err := document.ParseToken(strings.TrimSpace(out)); err != nil || token.IsZero() || !strings.Contains(complaints, "birds:d.go") {
		t.Errorf("token %q: %v\n%s", out, err, complaints)
	}
	if got := found(r.find("Cormorant", strings.TrimSpace(out)), "Cormorant"); len(got) != 2 {
		t.Errorf("the other document of the repository is found in %v", got)
	}
	// Nothing is amiss but that.
	out, _ = run(3, "verify")
	if !strings.Contains(out, "birds:d.go") || !strings.Contains(out, "incomplete") || strings.Count(out, "is not compared") != 1 || !strings.Contains(out, "tickets is not compared: it is given by request") {
		t.Errorf("%s", out)
	}

	for _, dir := range []string{vanished, filepath.Join(headless, ".git")} {
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
	}
	out, _ = run(3, "verify", "--repair")
	for _, want := range []string{
		"vanished is not compared", "headless is not compared", "birds:d.go", "freshet source remove vanished", "freshet source remove headless", "incomplete",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("verify does not say %q:\n%s", want, out)
		}
	}
	if out, _ := run(0, "status"); !strings.Contains(out, "incomplete") || !strings.Contains(out, "vanished is not compared") {
		t.Errorf("status:\n%s", out)
	}
	run(0, "verify", "--source", "kept")
	run(0, "verify", "--source", "tickets")
	out, _ = run(3, "verify", "--json")
	var part contract.VerifyPart
	if err := json.Unmarshal([]byte(out), &part); err != nil || part.Summary == nil {
		t.Fatalf("%v: %s", err, out)
	}
	gaps := map[document.Source]contract.VerifyGap{}
	for _, s := range part.Summary.Sources {
		gaps[s.Source] = s.Gap
		if s.Source == "birds" && (s.NotCompared != "" || s.Unread == nil || s.Unread.Count != 1) {
			t.Errorf("birds: %+v", s)
		}
	}
	for source, gap := range map[document.Source]contract.VerifyGap{
		"kept": "", "birds": "", "vanished": contract.GapUnreadable, "headless": contract.GapUnreadable, "tickets": contract.GapGiven,
	} {
		if got, ok := gaps[source]; got != gap || !ok {
			t.Errorf("%s has the gap %q, want %q", source, got, gap)
		}
	}
	if s := part.Summary; s.Equal || s.Outcome != contract.OutcomeIncomplete || s.Differences > 0 {
		t.Errorf("%+v", s)
	}
	// What went comes back, and all is equal but the object.
	for _, dir := range []string{vanished, filepath.Join(headless, ".git")} {
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
	}
	r.shows("latest", "Buzzard", "vanished/b.go")
	run(0, "verify", "--source", "vanished")
	run(0, "verify", "--source", "headless")
	r.bus.Close()
	p.stop()
}
