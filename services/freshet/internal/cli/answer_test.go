package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A model that says a truth, a lie and nothing that a terminal should obey.
func TestAskedModelMakesSomethingUp_ItIsMarkedOnTheTerminal(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, text := range []string{`FeedHerons throws`, ` fish [1]. It throws 12 of them [1].`, `\u001b[2J\n`} {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\n", text)
		}
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	folder := tree(t, map[string]string{"heron.go": "package birds\n\n// FeedHerons throws fish into a pond.\nfunc FeedHerons(pond string) {\n\tthrow(fish, pond)\n}\n"})
	file := filepath.Join(t.TempDir(), "freshet.yaml")
	if err := os.WriteFile(file, []byte("query:\n  answer:\n    kind: openai\n    url: "+model.URL+"\n    model: gpt-4o\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	i := start(t, filepath.Join(t.TempDir(), "s"), folder, "--config", file)
	ask := func(args ...string) result {
		cmd := program(t, append([]string{"ask", "--data", i.data, "--token", "latest", "--deadline", "30s"}, args...)...)
		cmd.Dir = folder
		return finish(t, cmd)
	}
	r := ask("what does FeedHerons throw?")
	if r.code != 0 || strings.Contains(r.stdout, "\x1b") || !strings.HasPrefix(r.stdout, "FeedHerons throws fish [1]. It throws 12 of them [1].") ||
		!strings.Contains(r.stdout, "[2J (?)\n\n[1] heron.go:") || !strings.Contains(r.stderr, "counted here") {
		t.Errorf("exit %d\n%q\n%s", r.code, r.stdout, r.stderr)
	}
	r = ask("what does FeedHerons throw?", "--json")
	if lines := strings.Split(strings.TrimSpace(r.stdout), "\n"); r.code != 0 || !strings.HasPrefix(lines[0], `{"sources":`) || !strings.Contains(lines[len(lines)-1], `"outcome":"answered"`) {
		t.Errorf("exit %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	if r = ask("grandmother's recipe for plum cake"); r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "no model was asked") {
		t.Errorf("nothing relevant: exit %d, %q, %s", r.code, r.stdout, r.stderr)
	}
	i.stop()
}
