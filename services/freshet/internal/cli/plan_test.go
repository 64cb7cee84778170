package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

func TestPlan_NeedsNoInstance(t *testing.T) {
	t.Parallel()
	folder := tree(t, small)
	put(t, filepath.Join(folder, ".env"), "KEY=1\n")
	put(t, filepath.Join(folder, "node_modules", "m.js"), "m\n")
	data := filepath.Join(t.TempDir(), "s")
	out := must(t, "plan", folder, "--data", data)
	for _, want := range []string{
		folder, "together", "bundled model, no charge", "Everything was cut and counted",
		"1 file  6 B  secret: .env*  .env (6 B)", "1 file  2 B  built-in: node_modules/  node_modules/ (2 B)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("colours in a pipe:\n%s", out)
	}
	var report forecast.Report
	dec := json.NewDecoder(strings.NewReader(must(t, "plan", folder, "--json", "--exact", "--data", data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&report); err != nil || report.Root != folder || report.Total.Documents != 2 || !report.Sample.Exact {
		t.Errorf("%v: %+v", err, report)
	}
	empty := must(t, "plan", tree(t, nil), "--data", data)
	if !strings.Contains(empty, "together          0") {
		t.Errorf("of an empty folder:\n%s", empty)
	}
	if _, err := os.Lstat(data); err == nil {
		t.Errorf("a plan made %s", data)
	}
	refuse(t, program(t, "plan", filepath.Join(folder, "nowhere")), "nowhere", "check the path")
	refuse(t, program(t, "plan", folder, "--branch", "main"), "no bare repository")
	refuse(t, program(t, "plan"), "freshet plan PATH")
}

func TestLargeSource_IsTakenInOnlyWhenAccepted(t *testing.T) {
	t.Setenv("FRESHET_LIMITS_FILES", "1")
	folder, data := tree(t, small), filepath.Join(t.TempDir(), "s")
	refuse(t, program(t, "index", folder, "--data", data), folder, "2 files", "freshet plan "+folder, "--accept")
	i := start(t, data)
	if out := must(t, "source", "list", "--data", data); out != "" {
		t.Errorf("what was refused is listed:\n%s", out)
	}
	refuse(t, program(t, "source", "add", folder, "--data", data), folder, "2 files", "freshet source add --accept "+folder)
	refuse(t, program(t, "index", folder, "--data", data), folder, "--accept")
	if out := must(t, "source", "add", folder, "--accept", "--data", data); !strings.Contains(out, "2 documents") {
		t.Errorf("accepted:\n%s", out)
	}
	i.stop()

	// One that is named with up is held, and told of; the rest works.
	other := tree(t, small)
	i = start(t, data, folder, other)
	list := strict[contract.SourceList](t, "source-list", must(t, "source", "list", "--json", "--data", data))
	for _, s := range list.Sources {
		if (s.Held != "") != (s.Root == other) {
			t.Errorf("%+v", s)
		}
	}
	for _, out := range []string{must(t, "source", "list", "--data", data), must(t, "status", "--data", data)} {
		if !strings.Contains(out, "0 documents  held") || !strings.Contains(out, "--accept "+other) {
			t.Errorf("the list hides it:\n%s", out)
		}
	}
	if out := must(t, "search", "heron", "--data", data); !strings.Contains(out, folder) {
		t.Errorf("the answer is\n%s", out)
	}
	strict[contract.StatusReply](t, "status-reply", must(t, "status", "--json", "--data", data))
	if out := must(t, "index", other, "--accept", "--data", data); !strings.Contains(out, "2 documents") {
		t.Errorf("accepted:\n%s", out)
	}
	i.stop()
	if said := i.errors(); !strings.Contains(said, other+"`, or raise limits in the configuration") || strings.Contains(said, folder) {
		t.Errorf("said:\n%s", said)
	}
}

// converse runs a command on a terminal, and answers its question.
func converse(t *testing.T, answer string, args ...string) (said string, code int) {
	t.Helper()
	cmd := program(t, args...)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var all bytes.Buffer
	for one := make([]byte, 1); !strings.HasSuffix(all.String(), "[y/N] "); all.Write(one) {
		if _, err := terminal.Read(one); err != nil {
			t.Fatalf("it did not ask, but said:\n%s", all.String())
		}
	}
	if _, err := fmt.Fprintln(terminal, answer); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(&all, terminal) // ends with the command, as an error
	_ = cmd.Wait()                 // its code is returned
	return all.String(), cmd.ProcessState.ExitCode()
}

func TestLargeSourceOnATerminal_ThePersonIsAsked(t *testing.T) {
	t.Setenv("FRESHET_LIMITS_FILES", "1")
	i := start(t, filepath.Join(t.TempDir(), "s"))
	folder := tree(t, small)
	if said, code := converse(t, "", "source", "add", folder, "--data", i.data); code != 2 || !strings.Contains(said, folder+" is held") {
		t.Errorf("exit %d:\n%s", code, said)
	}
	if said, code := converse(t, "y", "source", "add", folder, "--data", i.data); code != 0 || !strings.Contains(said, "2 documents") {
		t.Errorf("exit %d:\n%s", code, said)
	}
	if said, code := converse(t, "n", "index", tree(t, small), "--data", filepath.Join(t.TempDir(), "s")); code != 2 || strings.Contains(said, "indexed /") {
		t.Errorf("exit %d:\n%s", code, said)
	}
	if said, code := converse(t, "Y", "index", tree(t, small), "--data", filepath.Join(t.TempDir(), "s")); code != 0 || !strings.Contains(said, "2 documents") {
		t.Errorf("exit %d:\n%s", code, said)
	}
	i.stop()
}
