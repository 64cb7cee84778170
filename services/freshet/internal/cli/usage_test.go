package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestUsage_OutlivesARestart(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{"heron.md": "# Weir\n\nHerons stand at the weir.\n"})
	data := filepath.Join(t.TempDir(), "s")
	i := start(t, data, folder)
	ask := func(args ...string) string {
		cmd := program(t, append(args, "--data", data)...)
		cmd.Dir = folder
		r := finish(t, cmd)
		if r.code != 0 {
			t.Fatalf("%s: exit %d, %s", args, r.code, r.stderr)
		}
		return r.stdout
	}
	if out := ask("status", "--usage"); out != "nothing was asked yet\n" {
		t.Errorf("before any question: %s", out)
	}
	ask("read", "heron.md:3")
	ask("search", "herons", "--token", "latest")
	before := ask("status", "--usage")
	if !strings.Contains(strings.Join(strings.Fields(before), " "), "command line 2 ") {
		t.Errorf("two questions are %s", before)
	}
	i.stop()
	i = start(t, data, folder)
	if after := ask("status", "--usage"); after != before {
		t.Errorf("after a restart %s, before it %s", after, before)
	}
	st := strict[contract.StatusReply](t, "status-reply", ask("status", "--json"))
	if len(st.Usage) != 1 || st.Usage[0].Way != contract.WayCommand || st.Usage[0].Questions != 2 || st.Usage[0].Given == 0 || st.Usage[0].Whole != 2*34 {
		t.Errorf("%+v", st.Usage)
	}
	i.stop()
}
