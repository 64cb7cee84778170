package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestExcludeOfTheCommandLine_IsObeyed(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{"a.go": "package a\n", "vendor/b.go": "package b\n", "c.log": "c\n"})
	data := filepath.Join(t.TempDir(), "s")
	i := start(t, data, folder, "--exclude", "/vendor/", "--exclude", "*.log")
	indexed := func() string {
		cmd := program(t, "files", "-1", "--data", data)
		cmd.Dir = folder
		return strings.ReplaceAll(finish(t, cmd).stdout, "\n", " ")
	}
	if got := indexed(); got != "a.go " {
		t.Errorf("indexed are %s", got)
	}
	if out := must(t, "source", "add", folder, "--exclude", "*.log", "--data", data); !strings.Contains(out, "leaves out *.log") {
		t.Errorf("the list is %s", out)
	}
	if got := indexed(); got != "a.go vendor/b.go " {
		t.Errorf("indexed are %s", got)
	}
	must(t, "source", "add", folder, "--exclude", "", "--data", data)
	if got := indexed(); got != "a.go c.log vendor/b.go " {
		t.Errorf("indexed are %s", got)
	}
	if out := must(t, "plan", folder, "--exclude", "*.go"); !strings.Contains(out, "exclude: *.go") {
		t.Errorf("the plan is %s", out)
	}
	refuse(t, program(t, "source", "add", folder, "--exclude", "!a", "--data", data), "--exclude", `"!a"`)
	refuse(t, program(t, "source", "add", "--api", "x", "--exclude", "a", "--data", data), "--exclude")
	i.stop()
	refuse(t, program(t, "up", folder, "--exclude", "a\nb", "--data", data), "--exclude")
	i = start(t, data, folder, "--exclude", "c.*")
	if got := indexed(); got != "a.go vendor/b.go " {
		t.Errorf("indexed after a start with others are %s", got)
	}
	i.stop()
}
