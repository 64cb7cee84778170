package render_test

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/creack/pty"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// escapes are colours and links, which take no room.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m|\x1b\\]8;;[^\x1b]*\x1b\\\\")

// shown is what write writes to a terminal of so many columns, line by line.
func shown(t *testing.T, columns uint16, write func(io.Writer, terminal.Style) error) []string {
	t.Helper()
	there, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	defer screen.Close()
	if err := pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(there)
		got <- string(text)
	}()
	if err := write(screen, terminal.StyleFor(screen)); err != nil {
		t.Fatal(err)
	}
	screen.Close()
	return strings.Split(strings.TrimSuffix(<-got, "\r\n"), "\r\n")
}

func TestNarrowTerminal_TablesAndExcerptsFit(t *testing.T) {
	t.Setenv("TERM", "kitty") // it knows colours and links
	os.Unsetenv("NO_COLOR")
	long := strings.Repeat("the heron waits for größere frogs ", 9)
	list := letters()
	for i := range list {
		list[i].Reason = long
	}
	sources := []contract.SourceInfo{
		{Source: "api", Root: "/home/ada/" + strings.Repeat("deep/", 30) + "project", Kind: "worktree", View: "worktree", Branch: "main", Watched: true, Documents: 12345},
		{Source: "old", Root: "/tmp/old", Kind: "folder", View: "worktree", Documents: 1},
	}
	hits := contract.SearchReply{Hits: []contract.Hit{{Source: "api", Path: "pkg/a.go", StartLine: 1, EndLine: 2, Score: 1, Text: long + "\n" + long}}}
	for name, write := range map[string]func(io.Writer, terminal.Style) error{
		"dead letters": func(w io.Writer, s terminal.Style) error { return render.Letters(w, s, places, list, noon) },
		"feedback": func(w io.Writer, s terminal.Style) error {
			return render.Feedback(w, s, places, []contract.FeedbackEvent{{Time: noon, Feedback: contract.Feedback{Kind: contract.FeedbackUp, Query: long,
				Hits: []contract.FeedbackHit{{Source: "api", Path: "pkg/a.go", StartLine: 1, EndLine: 2, Rank: 1}}}}}, noon)
		},
		"sources": func(w io.Writer, s terminal.Style) error { return render.Sources(w, s, sources) },
		"hits":    func(w io.Writer, s terminal.Style) error { return render.Hits(w, s, places, hits) },
	} {
		for _, columns := range []uint16{200, 100, 80, 40} {
			lines := shown(t, columns, write)
			for _, line := range lines {
				if n := utf8.RuneCountInString(escapes.ReplaceAllString(line, "")); n > int(columns) {
					t.Errorf("%s in %d columns: %d characters: %q", name, columns, n, line)
				}
				if strings.Count(line, "\x1b[0m") != strings.Count(line, "\x1b[")/2 || strings.Count(line, "\x1b]8;;\x1b\\") != strings.Count(line, "\x1b]8;;")/2 {
					t.Errorf("%s in %d columns: a colour or a link does not end: %q", name, columns, line)
				}
			}
			if text := strings.Join(lines, "\n"); name == "sources" && columns >= 80 && (!strings.Contains(text, "deep/project") || !strings.Contains(text, "12,345 documents  watched")) {
				t.Errorf("in %d columns the end of the root, or what stands behind it, is missing:\n%s", columns, text)
			}
		}
	}
}
