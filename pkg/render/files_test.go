package render_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func TestListedFile_ShowsItsStateAndDoesNotSteerTheTerminal(t *testing.T) {
	entries := []contract.FileEntry{
		{Source: "s", Path: "a.go", Version: 7, Size: 2048, Language: "go", Passages: 3, State: contract.FileSearchable},
		{Source: "s", Path: "b%1B[2J.md", Version: 8, State: contract.FilePending},
		{Source: "s", Path: "c.py", Version: 9, State: contract.FileDead, Stage: contract.StageEmbed, Reason: strings.Repeat("broken ", 40)},
	}
	places := render.Places{Folder: "/here", Sources: []contract.SourceInfo{{Source: "s", Root: "/here/s", Kind: contract.SourceFolder}}}
	list := func(f render.Files) string {
		var b strings.Builder
		f.W, f.Places, f.End = &b, places, "\n"
		if f.People {
			if err := f.Head(); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Some(entries); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	people := list(render.Files{People: true})
	lines := strings.Split(people, "\n")
	if strings.Index(lines[0], "path") != strings.Index(lines[1], "s/a.go") || !strings.Contains(lines[1], "2.0 KiB  go") {
		t.Errorf("the columns are\n%s", people)
	}
	if !strings.HasSuffix(lines[2], "(being indexed)") || strings.Contains(people, "\x1b") || !strings.Contains(lines[3], "(failed: embedder: broken") || len(lines[3]) > 200 {
		t.Errorf("people read\n%q", people)
	}
	if got := list(render.Files{Plain: true}); got != "s/a.go\ns/b\x1b[2J.md\ns/c.py\n" {
		t.Errorf("programs read %q", got)
	}
	if got := list(render.Files{Plain: true, People: true}); strings.Contains(got, "\x1b") {
		t.Errorf("people read the names %q", got)
	}

	var notes strings.Builder
	sum := contract.FilesSummary{Documents: 1204, Bytes: 3 << 20, Passages: 1, Pending: 2, Dead: 1, More: 5, Skipped: map[string]int{"binary": 2, "minified": 30}, Degraded: []string{"watcher: slow"}}
	if err := render.FilesNotes(&notes, terminal.Style{}, contract.FilesRequest{}, sum); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"degraded: watcher: slow\n", "and 5 more: raise --limit", "1,204 documents, 3.0 MiB, 1 passage; 2 being indexed; 1 failed; left out (--skipped): minified 30, binary 2\n", "`freshet dlq`"} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("%q is not told in\n%s", want, notes.String())
		}
	}
}
