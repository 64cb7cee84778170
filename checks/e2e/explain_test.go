package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/checks/hostile"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// explain runs `freshet explain` in a folder and returns its exit code and
// what it printed.
func (r *rig) explain(dir string, args ...string) (int, string) {
	r.t.Helper()
	cmd := freshetCommand(r.t, nil, append([]string{"explain", "--nats", r.url()}, args...)...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() > 1 || errs.Len() > 0 {
		r.t.Fatalf("freshet explain %q: %v\n%s%s", args, err, out.String(), errs.String())
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func (r *rig) explained(dir string, code int, verdict string, parts []string, args ...string) string {
	r.t.Helper()
	got, out := r.explain(dir, args...)
	if got != code || !strings.HasPrefix(out, verdict+"  ") {
		r.t.Errorf("freshet explain %q: exit %d, want %d and %s:\n%s", args, got, code, verdict, out)
	}
	for _, p := range parts {
		if !strings.Contains(out, p) {
			r.t.Errorf("freshet explain %q lacks %q:\n%s", args, p, out)
		}
	}
	return out
}

// unexplained asks for an explanation of an input of a hostile tree, and says
// what is wrong with it.
func (r *rig) unexplained(source document.Source, in hostile.Input) string {
	r.t.Helper()
	path := document.EncodePath(in.Path)
	file := ask[contract.ExplainFile, contract.FileExplanation](r.t, r.bus, contract.SubjectExplainFile, contract.ExplainFile{Source: source, Path: string(path)})
	is := fmt.Sprintf("%s %q (in step: %v): %.300s %s", file.Verdict, file.Reason, file.InStep, file.Summary, file.Waits)
	if !file.InStep {
		return is
	}
	switch in.Outcome {
	case hostile.Indexed, hostile.Textless:
		want := contract.VerdictIndexed
		if in.Outcome == hostile.Textless {
			want = contract.VerdictSkipped
		}
		log := ask[contract.ExplainQuery, contract.Explanation](r.t, r.bus, contract.SubjectExplainQuery, contract.ExplainQuery{Source: source, Path: path})
		if file.Verdict == contract.VerdictLogged && log.Verdict == want && (want == contract.VerdictIndexed || strings.Contains(log.Summary, in.Why)) {
			return ""
		}
		return is + " " + log.Summary
	case hostile.Skipped:
		if file.Verdict == contract.VerdictSkipped && strings.HasPrefix(file.Reason, in.Why) {
			return ""
		}
	default:
		if file.Verdict == contract.VerdictIgnored && (file.Rule != nil || in.Why == "path too long") || file.Verdict == contract.VerdictBehindLink {
			return ""
		}
	}
	return is
}

// Each outcome is explained by the program itself, from the folder that a
// person stands in.
func TestEveryPath_HasAnExplanation(t *testing.T) {
	t.Parallel()
	root := folder(t, "work")
	git(t, root, "init", "--quiet")
	write(t, filepath.Join(root, ".gitignore"), "dist/\n")
	write(t, filepath.Join(root, "dist", "a.js"), "x")
	write(t, filepath.Join(root, "src", "heron.go"), goFile("Heron"))
	write(t, filepath.Join(root, "src", "gone.go"), goFile("Gannet"))
	write(t, filepath.Join(root, "image.png"), "\x89PNG\r\n\x1a\n\x00")
	write(t, filepath.Join(root, "empty.go"), "")
	r := up(t, t.TempDir(), root)
	src := filepath.Join(root, "src")

	r.explained(src, 0, "indexed", []string{"2 passages in both indexes", "lexical held, vector held", "Heron"}, "heron.go")
	r.explained(t.TempDir(), 0, "indexed", []string{"src/heron.go is indexed"}, "work:src/heron.go")
	r.explained(src, 1, "ignored", []string{"`dist/` in .gitignore line 1", "`!/dist/`"}, "../dist/a.js")
	r.explained(root, 1, "skipped", []string{"binary"}, "image.png")
	r.explained(root, 0, "indexed", []string{"has no passage"}, "empty.go")
	r.explained(root, 1, "missing", []string{"not there"}, "no.go")
	r.explained(root, 1, "unwatched", []string{"freshet source add"}, r.data)
	r.explained(root, 0, "folder", []string{"4 documents", "1 ignored", "1 skipped (binary): image.png"}, ".")

	version := r.seen("work", "src/gone.go", func(h contract.FileHead) bool { return h.Op == contract.OpPut }).Seq
	if err := os.Remove(filepath.Join(src, "gone.go")); err != nil {
		t.Fatal(err)
	}
	gone := r.look(filepath.Join(src, "gone.go"))
	r.shows(gone.String(), "Gannet", "")
	out := r.explained(src, 1, "deleted", []string{fmt.Sprintf("deleted as version %d", gone.Seq)}, "gone.go")
	if strings.Contains(out, fmt.Sprint(version)) {
		t.Errorf("the version that was there is still told of:\n%s", out)
	}

	code, js := r.explain(src, "--json", "heron.go", "--query", "Heron")
	var all struct {
		Verdict  contract.Verdict
		Summary  string
		File     contract.FileExplanation
		Document contract.Explanation
	}
	if err := json.Unmarshal([]byte(js), &all); err != nil || code != 0 {
		t.Fatalf("exit %d: %v\n%s", code, err, js)
	}
	if all.Verdict != contract.VerdictFound || all.File.Verdict != contract.VerdictLogged || all.Document.Verdict != contract.VerdictIndexed || all.Document.Search.Rank != 1 {
		t.Errorf("%+v", all)
	}
}

// Whoever follows the advice finds the document.
func TestAdvice_BringsThePassageIn(t *testing.T) {
	t.Parallel()
	root := folder(t, "marsh")
	for i := range 30 {
		write(t, filepath.Join(root, "many", fmt.Sprintf("bird%02d.md", i)), fmt.Sprintf("# Bird %d\n\nA heron, a heron and a heron at pond %d.\n", i, i))
	}
	write(t, filepath.Join(root, "odd.md"), "# Notes\n\nOf weather, gates, ledgers and boats; somebody also mentions one heron between Tuesday and the mooring.\n")
	r := up(t, t.TempDir(), root)
	out := r.explained(root, 1, "lost", []string{"at the stage k", "heron  in the document", "ledgers"}, "odd.md", "--query", "heron")
	k := regexp.MustCompile("-k ([0-9]+)`").FindStringSubmatch(out)
	if k == nil {
		t.Fatalf("no k is advised:\n%s", out)
	}
	r.explained(root, 0, "found", []string{"is hit " + k[1] + " of " + k[1]}, "odd.md", "--query", "heron", "-k", k[1])
	r.explained(root, 0, "found", []string{"is hit 1 of"}, "odd.md", "--query", "heron mooring ledgers")
	r.explained(root, 1, "lost", []string{"at the stage filter", "the language go"}, "odd.md", "--query", "heron lang:go")
	r.explained(root, 1, "lost", []string{"at the stage filter", "none of the search's paths"}, "odd.md", "--query", "heron path:many/")
}
