package bus

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// forget removes the source of the tests.
func (p *purging) forget() Forgotten {
	p.t.Helper()
	f, err := forgetSource(p.t.Context(), p.b, "s", 50*time.Millisecond)
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

func TestRemovedSource_LeavesTheLogAndEveryHeadTable(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	d := p.gone("a.go")
	p.gone("b.go")
	p.outputs("unknown.go", contract.Cover{Version: d.Version}) // to FILES
	shown := p.version("shown.go", "by a generation that nobody builds any more")
	p.outputs("shown.go", shown)
	p.version("shown.go", "")
	foreign := contract.OutputHead{Generation: purgedGeneration, Source: "s", Doc: document.DocOf("foreign.go")}
	p.write(contract.StreamChunks, foreign.Subject(contract.StreamChunks), nil)
	if f := p.forget(); f.Unshown != 5 {
		t.Errorf("%d outputs show something until the end, want 4 and one that cannot be read", f.Unshown)
	}
	for _, stream := range contract.Streams {
		if n := p.messages(stream); n != 0 {
			t.Errorf("%d messages are left in %s", n, stream)
		}
	}
	p.settled(0)
}

// A worker that comes after the removal finds no output and writes one.
func TestLateOutputOfARemovedSource_IsTakenBack(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	first := p.version("a.go", "text")
	p.outputs("a.go", first)
	p.outputs("a.go", p.version("a.go", ""))
	p.forget()
	h := contract.OutputHead{Generation: purgedGeneration, Source: "s", Doc: document.DocOf("a.go"), Path: "a.go", Count: 1, Covers: contract.Covering(document.Worktree, first)}
	subject := h.Subject(contract.StreamChunks)
	late, err := PurgesOf(p.other).Late(t.Context(), []Made{{contract.StreamChunks, subject, p.write(contract.StreamChunks, subject, h.Header()), h.Source, h.Doc, h.Covers}})
	if err != nil || !late[0] {
		t.Errorf("the output of the removed source is late: %t, %v", late[0], err)
	}
	if n := p.messages(contract.StreamChunks); n != 0 {
		t.Errorf("%d messages are left in CHUNKS", n)
	}
}

// A removal that the process did not live to finish is finished by the purger.
func TestRemovalThatWasCutOff_IsFinishedByThePurger(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	d := p.gone("a.go")
	if _, err := PurgesOf(p.b).announce(t.Context(), []Deleted{d}, []document.Generation{purgedGeneration}); err != nil {
		t.Fatal(err)
	}
	p.forget()
	p.settled(0)
}

// Such as one whose removal was cut off when its outputs were purged already. The
// streams begin with messages of others, of which the first have been replaced.
func TestRemovalOfASourceWithoutOutputs_Ends(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	for _, text := range []string{"one", "two"} {
		p.outputs("a.go", p.version("a.go", text))
	}
	f, err := ForgetSource(t.Context(), p.b, "nothing")
	if err != nil || f != (Forgotten{}) {
		t.Errorf("%+v, %v", f, err)
	}
	if n := p.messages(contract.StreamChunks); n != 1 {
		t.Errorf("%d messages are left in CHUNKS", n)
	}
}
