package chunker

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// function is a Go function of more than half a chunk, so that it stays one
// of its own.
func function(name, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s does %s.\nfunc %s() {\n", name, body, name)
	for i := range 20 {
		fmt.Fprintf(&b, "\tcall%d(%q, %q)\n", i, body, strings.Repeat("x", 30))
	}
	return b.String() + "}\n\n"
}

func goFile(functions ...string) string {
	return "package demo\n\nimport \"fmt\"\n\n" + strings.Join(functions, "")
}

func TestPut_BecomesChunksWithSymbolsAndLines(t *testing.T) {
	r := newRig(t, nil)
	content := goFile(function("One", "first"), function("Two", "second"))
	v := r.put("pkg/demo.go", "", content, 0)
	state, head := r.covered("pkg/demo.go", "", v)
	if len(state.Contents) != 1 || head.Count != 3 {
		t.Fatalf("%d contents with %d chunks, want 1 with 3 (imports and two functions)", len(state.Contents), head.Count)
	}
	c := state.Contents[0]
	if c.Language != "go" || !bytes.Equal(c.Text, []byte(content)) || c.Hash != document.HashOf([]byte(content)) {
		t.Fatalf("content is %s of %d bytes", c.Language, len(c.Text))
	}
	one := c.Chunks[1]
	if one.Symbol != "One" || one.Kind != document.KindFunction || one.StartLine != 5 || one.Born != v || one.Signature != "func One()" || one.Fallback != "" {
		t.Errorf("second chunk is %+v", one)
	}
	if text := string(c.Text[one.StartByte:one.EndByte]); !strings.HasPrefix(text, "// One does") || !strings.HasSuffix(text, "}") {
		t.Errorf("its text is %q", text)
	}
	if want := document.NewChunkID(testSource, "pkg/demo.go", one.Digest, 0, v); one.ID != want {
		t.Errorf("its id is %s, want %s", one.ID, want)
	}
}

func TestEdit_KeepsTheIdsOfUnchangedChunks(t *testing.T) {
	r := newRig(t, nil)
	v1 := r.put("a.go", "", goFile(function("One", "first"), function("Two", "second"), function("Three", "third")), 0)
	before, _ := r.covered("a.go", "", v1)
	v2 := r.put("a.go", "", goFile(function("One", "first"), function("Added", "more"), function("Two", "changed"), function("Three", "third")), v1)
	after, _ := r.covered("a.go", "", v2)
	old, now := ids(before.Contents[0]), ids(after.Contents[0])
	for _, same := range []string{"One", "Three", ""} {
		if old[same] != now[same] {
			t.Errorf("%q has another id after an edit elsewhere", same)
		}
	}
	if old["Two"] == now["Two"] {
		t.Error("the changed function kept its id")
	}
	for _, c := range after.Contents[0].Chunks {
		want := v1
		if c.Symbol == "Two" || c.Symbol == "Added" {
			want = v2
		}
		if c.Born != want {
			t.Errorf("%q was born in %d, want %d", c.Symbol, c.Born, want)
		}
	}
}

func TestRevert_MakesNewIds(t *testing.T) {
	r := newRig(t, nil)
	a, b := goFile(function("One", "first")), goFile(function("One", "second"))
	v1 := r.put("a.go", "", a, 0)
	first, _ := r.covered("a.go", "", v1)
	v2 := r.put("a.go", "", b, v1)
	r.covered("a.go", "", v2)
	v3 := r.put("a.go", "", a, v2)
	third, _ := r.covered("a.go", "", v3)
	if ids(first.Contents[0])["One"] == ids(third.Contents[0])["One"] {
		t.Error("an id that was gone came back")
	}
}

func TestDeleteAndSkip_ShowNothingAndAreCovered(t *testing.T) {
	r := newRig(t, nil)
	for path, op := range map[document.Path]contract.Op{"gone.go": contract.OpDelete, "big.go": contract.OpSkipped} {
		v1 := r.put(path, "", goFile(function("One", "first")), 0)
		r.covered(path, "", v1)
		v2 := r.write(contract.FileHead{Path: path, Op: op, Collection: document.CollectionCode, Reason: "too large"}, "", v1)
		state, head := r.covered(path, "", v2)
		if len(state.Contents) != 0 || head.Count != 0 || head.Covers.At(document.Worktree).Hash != "" {
			t.Errorf("after %s %d contents with %d chunks are shown", op, len(state.Contents), head.Count)
		}
	}
	v := r.write(contract.FileHead{Path: "never.bin", Op: contract.OpSkipped, Collection: document.CollectionCode, Reason: "binary"}, "", 0)
	if _, head := r.covered("never.bin", "", v); head.Count != 0 {
		t.Errorf("a skipped document has %d chunks", head.Count)
	}
}

func TestDeleteWithoutCollection_FindsTheGeneration(t *testing.T) {
	r := newRig(t, nil)
	v1 := r.write(contract.FileHead{Path: "a.md", Op: contract.OpPut, Collection: document.CollectionDocs}, "# Title\n\nText.\n", 0)
	r.coveredIn(document.CollectionDocs, "a.md", "", v1)
	v2 := r.write(contract.FileHead{Path: "a.md", Op: contract.OpDelete}, "", v1)
	if state, _ := r.coveredIn(document.CollectionDocs, "a.md", "", v2); len(state.Contents) != 0 {
		t.Error("the deleted document is still shown")
	}
}

func TestTwoViews_ShareOneContent(t *testing.T) {
	r := newRig(t, nil)
	content := goFile(function("One", "first"))
	v1 := r.put("a.go", "main", content, 0)
	r.covered("a.go", "main", v1)
	v2 := r.put("a.go", "feature/x", content, 0)
	state, _ := r.covered("a.go", "feature/x", v2)
	if len(state.Contents) != 1 || state.Covers.Len() != 2 || state.Contents[0].Chunks[0].Born != v1 {
		t.Fatalf("%d contents for %d views", len(state.Contents), state.Covers.Len())
	}
	v3 := r.put("a.go", "feature/x", goFile(function("One", "first"), function("Two", "second")), v2)
	state, head := r.covered("a.go", "feature/x", v3)
	if len(state.Contents) != 2 || head.Count != 3 {
		t.Fatalf("%d contents with %d distinct chunks, want 2 with 3", len(state.Contents), head.Count)
	}
	if ids(state.Contents[0])["One"] != ids(state.Contents[1])["One"] {
		t.Error("a chunk that both views show has two ids")
	}
	v4 := r.write(contract.FileHead{Path: "a.go", View: "main", Op: contract.OpDelete, Collection: document.CollectionCode}, "", v1)
	if state, _ = r.covered("a.go", "main", v4); len(state.Contents) != 1 || state.Contents[0].Hash != state.Covers.At("feature/x").Hash {
		t.Errorf("after the deletion in one view %d contents are left", len(state.Contents))
	}
}

func TestOlderVersionThatArrivesLate_ChangesNothing(t *testing.T) {
	r := newRig(t, nil)
	old := contract.FileHead{Path: "a.go", Op: contract.OpPut, Collection: document.CollectionCode}
	v1 := r.write(old, goFile(function("One", "first")), 0)
	r.covered("a.go", "", v1)
	subject := contract.FileSubject(testSource, document.DocOf("a.go"), document.Worktree)
	late, err := r.bus.GetLast(t.Context(), contract.StreamFiles, subject)
	if err != nil {
		t.Fatal(err)
	}
	v2 := r.put("a.go", "", goFile(function("Two", "second")), v1)
	_, before := r.covered("a.go", "", v2)
	if errs := r.svc.handle(t.Context(), []*bus.Msg{late[subject]}); errs[0] != nil {
		t.Fatal(errs[0])
	}
	state, after := r.covered("a.go", "", v2)
	if after.Seq != before.Seq || ids(state.Contents[0])["Two"] == (document.ChunkID{}) {
		t.Error("the older version was written over the newer one")
	}
}

func TestChangeOfCollection_WithdrawsTheFormerChunks(t *testing.T) {
	r := newRig(t, nil)
	content := "# Title\n\nText.\n"
	v1 := r.write(contract.FileHead{Path: "a.md", Op: contract.OpPut, Collection: document.CollectionCode}, content, 0)
	_, head := r.covered("a.md", "", v1)
	if err := r.bus.Outputs(contract.StreamChunks).Wait(t.Context(), head.Seq); err != nil {
		t.Fatal(err)
	}
	v2 := r.write(contract.FileHead{Path: "a.md", Op: contract.OpPut, Collection: document.CollectionDocs}, content, v1)
	if state, _ := r.coveredIn(document.CollectionDocs, "a.md", "", v2); len(state.Contents) != 1 {
		t.Error("the new collection does not show it")
	}
	if state, _ := r.covered("a.md", "", v2); len(state.Contents) != 0 {
		t.Error("the former collection still shows it")
	}
}

func TestLiveChange_IsSentAhead(t *testing.T) {
	r := newRig(t, nil)
	embed, lexical := r.nudges(contract.StageEmbed), r.nudges(contract.StageLexical)
	v := r.write(contract.FileHead{Path: "a.go", Op: contract.OpPut, Collection: document.CollectionCode, Live: true}, goFile(), 0)
	_, head := r.covered("a.go", "", v)
	if !head.Live {
		t.Error("the output does not say that the change was seen live")
	}
	want := head.Subject(contract.StreamChunks)
	for _, ch := range []<-chan string{embed, lexical} {
		if got := <-ch; got != want {
			t.Errorf("nudged with %s, want %s", got, want)
		}
	}
}

func TestMarker_IsNoDocument(t *testing.T) {
	r := newRig(t, nil)
	marker := contract.FileHead{Source: testSource, Doc: document.MarkerDoc, View: document.Worktree, Op: contract.OpMarker, Count: 1}
	if ack := r.bus.Publish(t.Context(), bus.Out{Subject: contract.FileSubject(testSource, document.MarkerDoc, document.Worktree), Header: marker.Header()})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	v := r.put("a.go", "", goFile(), 0)
	r.covered("a.go", "", v)
	if n := r.bus.Outputs(contract.StreamChunks).Len(); n > 1 {
		t.Errorf("%d outputs for one document and a marker", n)
	}
}

func TestManyDocumentsOfManyLanguages_AllBecomeChunks(t *testing.T) {
	r := newRig(t, nil)
	contents := map[document.Path]string{
		"a.go": goFile(function("One", "first")), "b.py": "import os\n\ndef f():\n    return os.name\n", "c.ts": "export class A {\n  b() {}\n}\n",
		"d.md": "# Title\n\nText.\n", "e.rb": "def f\n  1\nend\n", "f.txt": "Some prose.\n", "g.yaml": "a: 1\n", "h.rs": "fn main() {}\n",
		"i.java": "class A { void b() {} }\n", "j.c": "int main(void) { return 0; }\n", "k.cpp": "class A {};\n", "empty.go": "",
	}
	versions := map[document.Path]document.Version{}
	for path, content := range contents {
		versions[path] = r.put(path, "", content, 0)
	}
	for path, v := range versions {
		state, head := r.covered(path, "", v)
		if head.Count == 0 && contents[path] != "" {
			t.Errorf("%s has no chunks", path)
		}
		for _, c := range state.Contents[0].Chunks {
			if c.Fallback != "" {
				t.Errorf("%s was split by the fallback: %s", path, c.Fallback)
			}
		}
	}
}

func TestRestart_DoesNothingAgain(t *testing.T) {
	b := bustest.New(t)
	t.Run("first", func(t *testing.T) {
		r := newRigOn(t, b, nil)
		r.covered("a.go", "", r.put("a.go", "", goFile(function("One", "first")), 0))
	})
	before, err := b.LastSeq(t.Context(), contract.StreamChunks)
	if err != nil {
		t.Fatal(err)
	}
	r := newRigOn(t, b, nil)
	v := r.put("b.go", "", goFile(), 0)
	r.covered("b.go", "", v)
	after, err := b.LastSeq(t.Context(), contract.StreamChunks)
	if err != nil {
		t.Fatal(err)
	}
	r.counted(func() uint64 { return r.svc.counters.documents.Load() }, 1)
	if after != before+1 {
		t.Errorf("%d messages after a restart, want one", after-before)
	}
}

func TestParserChildrenKilledWhileTheyWork_LoseNothing(t *testing.T) {
	r := newRig(t, nil)
	versions := map[document.Path]document.Version{}
	for i := range 120 {
		path := document.Path(fmt.Sprintf("f%03d.go", i))
		versions[path] = r.put(path, "", goFile(function("One", strings.Repeat("long ", i)), function("Two", "second")), 0)
		if i%10 == 5 {
			for _, pid := range r.svc.ParserPIDs() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	for path, v := range versions {
		if state, head := r.covered(path, "", v); head.Count < 2 || len(state.Contents) != 1 {
			t.Errorf("%s has %d chunks", path, head.Count)
		}
	}
	if r.svc.cutter.Parsers().Restarts() == 0 {
		t.Error("no child was restarted: the test killed none while it worked")
	}
}

func TestParserThatNeverStarts_StillLeavesChunks(t *testing.T) {
	r := newRig(t, func(c *Config) { c.ParserCommand = []string{"/nonexistent/parser"} })
	v := r.put("a.go", "", goFile(function("One", "first")), 0)
	state, _ := r.covered("a.go", "", v)
	if len(state.Contents[0].Chunks) < 2 || state.Contents[0].Chunks[1].Fallback == "" || state.Contents[0].Chunks[1].Symbol != "One" {
		t.Errorf("chunks are %+v", state.Contents[0].Chunks)
	}
	r.counted(func() uint64 { return r.svc.report().Counters["fallbacks"] }, 1)
	if report := r.svc.report(); len(report.Degraded) == 0 {
		t.Errorf("the report says nothing of it: %+v", report)
	}
}
