package render_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

var places = render.Places{Folder: "/home/ada/api/pkg", Sources: []contract.SourceInfo{
	{Source: "api", Root: "/home/ada/api", Kind: contract.SourceWorktree},
	{Source: "mirror", Root: "/srv/git/m.git", Kind: contract.SourceBare},
}}

func TestPath_LeadsToItsFile(t *testing.T) {
	for _, c := range []struct {
		source document.Source
		path   document.Path
		want   string
	}{
		{"api", "pkg/a.go", "a.go"},
		{"api", "pkg/deep/a.go", "deep/a.go"},
		{"api", "main.go", "/home/ada/api/main.go"},
		{"api", "pkgother/a.go", "/home/ada/api/pkgother/a.go"},
		{"api", "pkg/..a.go", "..a.go"},
		{"api", "pkg/100%25.md", "100%.md"},
		{"api", "pkg/a%1B%0A.md", "a\uFFFD\uFFFD.md"},
		{"mirror", "x/a.go", "mirror:x/a.go"},
		{"gone", "x/a.go", "gone:x/a.go"},
	} {
		if got := places.Path(c.source, c.path); got != filepath.FromSlash(c.want) {
			t.Errorf("%s of %s is shown as %q, want %q", c.path, c.source, got, c.want)
		}
	}
}

func reply() contract.SearchReply {
	return contract.SearchReply{
		Hits: []contract.Hit{
			{Source: "api", Path: "pkg/a.go", StartLine: 3, EndLine: 9, Line: 5, Score: 1.23456, Symbol: "Server.Serve",
				Text:     "\n\tfunc (s *Server) Serve() {\n\t\tfor {\x1b[31m}\n\n\t\tone\n\t\ttwo\n\t\tthree\n",
				Channels: map[string]contract.Channel{"vector": {Rank: 2, Score: 0.5}, "lexical": {Rank: 1, Score: 9}},
				Signals:  map[string]float64{"definition": 1.4}},
			{Source: "mirror", Path: "README.md", StartLine: 1, EndLine: 1, Headings: []string{"Guide", "Set-up"}, Pending: true, Text: strings.Repeat("é", 300)},
		},
		Pending:  []contract.PendingPath{{Source: "api", Path: "pkg/b.go"}},
		Failed:   []contract.FailedPath{{Source: "api", Path: "pkg/c.go", Stage: contract.StageChunker, Reason: "died"}},
		Degraded: []string{"vector: down"},
		Trace:    []contract.TraceStage{{Stage: "fuse", MS: 0.5, In: 9, Out: 4, Note: "RRF"}},
		Token:    document.Token{Epoch: 1, Seq: 7}, TookMS: 3, Class: "symbol",
	}
}

func TestHits_LookAsDescribed(t *testing.T) {
	var b bytes.Buffer
	if err := render.Hits(&b, terminal.Style{}, places, reply()); err != nil {
		t.Fatal(err)
	}
	want := "a.go:5  1.235  Server.Serve\n" +
		"    func (s *Server) Serve() {\n" +
		"      for {\uFFFD[31m}\n" +
		"      one\n" +
		"      two\n" +
		"      three\n" +
		"    lexical #1 (9.000)  vector #2 (0.500)  definition 1.4\n" +
		"mirror:README.md:1  0.000  Guide > Set-up  (being indexed)\n" +
		"    " + strings.Repeat("é", 109) + "…\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := render.Hits(&b, terminal.Coloured(), places, reply()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\x1b[1;36mServer.Serve\x1b[0m") {
		t.Errorf("no colours: %q", b.String())
	}
}

func TestNotes_TellTrouble(t *testing.T) {
	var b bytes.Buffer
	if err := render.Notes(&b, terminal.Style{}, places, reply(), true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"degraded: vector: down", "being indexed: b.go", "failed: c.go (chunker: died)", "fuse", "RRF", "token 1.7", "symbol"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	many := contract.SearchReply{Pending: make([]contract.PendingPath, 9)}
	b.Reset()
	if err := render.Notes(&b, terminal.Style{}, places, many, false); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 6 || !strings.Contains(b.String(), "and 4 more") {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
}

func status() contract.StatusReply {
	return contract.StatusReply{
		Version: "0.1.0", Token: document.Token{Epoch: 1, Seq: 7}, Documents: 12345, Chunks: 1,
		Pending: map[contract.Stage]int{contract.StageVector: 3}, Skipped: map[string]int{"binary": 2},
		Failed:   []contract.FailedPath{{Source: "api", Path: "c.go", Stage: contract.StageChunker, Reason: "died"}},
		Degraded: []string{"disk nearly full", "api: 312 folders are polled"},
		Sources: []contract.SourceInfo{
			{Source: "api", Root: "/home/ada/api", Kind: "worktree", View: "worktree", Branch: "main", Watched: true, Scanning: true, Documents: 12345, Bytes: 5 << 20, Degraded: []string{"312 folders are polled"}},
			{Source: "old", Root: "/tmp/old", Kind: "folder", View: "worktree", Documents: 1},
		},
		Streams: map[string]contract.StreamInfo{"FILES": {Messages: 12346, Bytes: 1 << 30}},
	}
}

func TestStatus_TellsTroubleOnce(t *testing.T) {
	var b bytes.Buffer
	if err := render.Status(&b, terminal.Style{}, status()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"indexing  12,345 documents, 1 passage  token 1.7", "waiting for indexer-vector: 3 documents", "degraded: disk nearly full",
		"failed: api:c.go (chunker: died)", "skipped  binary: 2", "worktree (main)", "watched, being compared", "not watched",
		"api: 312 folders are polled", "FILES     12,346 messages, 1.0 GiB",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if strings.Count(b.String(), "312 folders") != 1 {
		t.Errorf("trouble is told twice:\n%s", b.String())
	}
}

func TestProgress_LeavesNoLineBehind(t *testing.T) {
	var b bytes.Buffer
	start := time.Unix(100, 0)
	p := render.NewProgress(&b, start)
	p.Clear()
	if b.Len() > 0 {
		t.Errorf("nothing was shown, yet %q is cleared", b.String())
	}
	p.Show(status(), start.Add(3*time.Second))
	if want := "\r\x1b[Kreading  3 s  12,345 documents found  5.0 MiB  1 passage"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	p.Clear()
	if !strings.HasSuffix(b.String(), "\r\x1b[K") {
		t.Errorf("got %q", b.String())
	}
}

func TestProgress_TellsShareRateAndRest(t *testing.T) {
	var b bytes.Buffer
	start := time.Unix(100, 0)
	p := render.NewProgress(&b, start)
	st := status()
	st.Sources[0].Scanning = false
	// Who waits for both engines is one document.
	for at, waiting := range []int{10_000, 9_900, 9_800} {
		st.Pending = map[contract.Stage]int{contract.StageChunker: waiting - 5_000, contract.StageLexical: 5_000, contract.StageEmbed: 3_000, contract.StageVector: 2_000}
		b.Reset()
		p.Show(st, start.Add(time.Duration(at)*time.Second))
	}
	if want := "\r\x1b[Kindexing  2 s  20 %  2,545 of 12,345 documents  100 a second  98 s left"; b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

// A line that is as wide as the terminal wraps, and is never replaced again.
func TestProgress_FitsIntoTheTerminal(t *testing.T) {
	there, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	defer screen.Close()
	got := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(there)
		got <- string(text)
	}()
	start := time.Unix(100, 0)
	p := render.NewProgress(screen, start)
	for _, columns := range []uint16{200, 60, 40, 20, 5} {
		if err := pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
			t.Fatal(err)
		}
		p.Show(status(), start.Add(3*time.Second))
		p.Text(strings.Repeat("x", 300))
	}
	screen.Close()
	lines := strings.Split(<-got, "\r\x1b[K")[1:]
	for i, columns := range []int{200, 60, 40, 20, 5} {
		for _, line := range lines[2*i : 2*i+2] {
			if n := len([]rune(line)); n >= columns || n == 0 {
				t.Errorf("in %d columns: %d characters: %q", columns, n, line)
			}
		}
	}
}

func TestFile_IsNotTakenForATerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if terminal.IsTerminal(null) || terminal.StyleFor(null) != (terminal.Style{}) {
		t.Error("the null device is taken for a terminal")
	}
}

func TestExplanation_DoesNotSteerTheTerminal(t *testing.T) {
	a := render.About{
		File: &contract.FileExplanation{
			Verdict: contract.VerdictIgnored, Summary: "a\x1b[31m is left out", Next: []string{"do\x1b[0m"}, Path: "/x/\x1b", Type: "file", Waits: "w\x07",
			Source: &contract.SourceInfo{Source: "s", Root: "/x\x1b", Kind: contract.SourceFolder},
			Rule:   &contract.IgnoreRule{Pattern: "*\x1b", File: "/x/\x1b", Line: 1, Class: "gitignore", Matched: "\x1b"},
			Folder: []contract.PathGroup{{Verdict: contract.VerdictSkipped, Reason: "r\x1b", Count: 9, Paths: []document.Path{"p\x1b"}}},
		},
		Log: &contract.Explanation{
			Verdict: contract.VerdictPending, Summary: "s\x1b", Degraded: []string{"d\x1b"},
			Stages:     []contract.StageState{{Stage: contract.StageChunker, View: "v\x1b", State: contract.StageWaiting, Note: "n\x1b"}},
			Failed:     []contract.DeadLetter{{Stage: contract.StageChunker, Reason: "r\x1b"}},
			Restricted: true, Seen: []contract.GroupSight{{View: "v\x1b", Group: "g\x1b", Sees: true, Rules: []int{0, 2}}, {View: "v", Group: "h\x1b", Rules: []int{1}, Hidden: contract.HiddenByRoles}},
			Chunks: []contract.ChunkState{{Symbol: "y\x1b", StartLine: 1, EndLine: 2}},
			Search: &contract.SearchExplanation{Verdict: contract.VerdictLost, Stage: "recall", Summary: "q\x1b", Next: []string{"n\x1b"},
				Terms:    []contract.TermState{{Term: "t\x1b", Word: "w\x1b"}},
				Passages: []contract.PassageState{{Symbol: "p\x1b", Lost: "recall", Why: "y\x1b"}}},
		},
		Trouble: []string{"t\x1b"},
	}.Judged()
	var out bytes.Buffer
	if err := render.Explanation(&out, terminal.Style{}, a); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\x07") {
		t.Errorf("%q", out.String())
	}
	if !strings.HasPrefix(out.String(), "lost  q") || !strings.Contains(out.String(), "9 skipped (r") || !strings.Contains(out.String(), "lost at recall") || !strings.Contains(out.String(), "  by rules[0], rules[2], view v") || !strings.Contains(out.String(), "rules[1] would show it") {
		t.Errorf("%s", out.String())
	}
}

func TestStatus_SaysWhatWasWithheld(t *testing.T) {
	var out bytes.Buffer
	st := contract.StatusReply{Reports: []contract.Report{
		{Service: "embedder", Counters: map[string]uint64{"secrets_redacted": 2, "secrets_refused": 1}},
		{Service: "query", Counters: map[string]uint64{"secrets_redacted": 1}},
	}}
	if err := render.Status(&out, terminal.Style{}, st); err != nil {
		t.Fatal(err)
	}
	if want := "withheld  secrets in 3 texts, 1 document with secrets, since the start\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q lacks %q", out.String(), want)
	}
	out.Reset()
	if err := render.Status(&out, terminal.Style{}, contract.StatusReply{}); err != nil || strings.Contains(out.String(), "withheld") {
		t.Errorf("%v, %q", err, out.String())
	}
}
