package judge

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func id(n byte) document.ChunkID { return document.ChunkID{n, 15: n} }

func ids(ns ...byte) []document.ChunkID {
	var out []document.ChunkID
	for _, n := range ns {
		out = append(out, id(n))
	}
	return out
}

// sound is a document of three passages, of which the third has no vector, in
// which nothing contradicts.
func sound() *State {
	const view, hash = document.View("worktree"), document.Hash("aaaaaaaaaa")
	covers := contract.Covering(view, contract.Cover{Version: 7, Hash: hash})
	out := func(seq uint64, shown, bare []document.ChunkID) *Output {
		return &Output{OutputHead: contract.OutputHead{Seq: seq, Covers: covers, Count: len(shown) + len(bare)}, IDs: shown, Bare: bare, Holds: true}
	}
	held := func(shown []document.ChunkID) Held { return Held{Sum: SumOf(shown), IDs: shown, Full: true} }
	return &State{
		Collection: "code",
		Files:      map[document.View]contract.FileHead{view: {Version: 7, Op: contract.OpPut, Hash: hash, Collection: "code"}},
		Chunks:     out(3, ids(1, 2, 3), nil),
		Vectors:    out(4, ids(2, 1), ids(3)),
		Indexed: map[document.Sink]*Output{
			document.Lexical: out(5, ids(3, 2, 1), nil),
			document.Vector:  out(6, ids(1, 2), ids(3)),
		},
		Held: map[document.Sink]Held{document.Lexical: held(ids(2, 3, 1)), document.Vector: held(ids(2, 1))},
		Dead: map[contract.Stage]contract.Covers{},
		Waits: func(contract.Stage, uint64) bool {
			return false
		},
	}
}

func TestContradiction_IsFound(t *testing.T) {
	type verdict struct {
		stage   contract.VerifyStage
		sink    document.Sink
		what    contract.VerifyFault
		pending bool
		failed  bool
	}
	covered := func(s *State, v document.Version, h document.Hash) contract.Covers {
		return contract.Covering("worktree", contract.Cover{Version: v, Hash: h})
	}
	newer := func(s *State) {
		h := s.Files["worktree"]
		h.Version, h.Hash = 9, "bbbbbbbbbb"
		s.Files["worktree"] = h
	}
	for name, c := range map[string]struct {
		change func(*State)
		want   verdict
	}{
		"nothing":                {func(*State) {}, verdict{}},
		"no head in FILES":       {func(s *State) { clear(s.Files) }, verdict{stage: contract.VerifyFiles, what: contract.FaultMissing}},
		"no passages":            {func(s *State) { s.Chunks = nil }, verdict{stage: contract.VerifyChunks, what: contract.FaultMissing}},
		"passages of an old one": {newer, verdict{stage: contract.VerifyChunks, what: contract.FaultDifferent}},
		"passages of a lost one": {func(s *State) { s.Chunks.Covers = covered(s, 8, "cc") }, verdict{stage: contract.VerifyChunks, what: contract.FaultDifferent}},
		"passages of another":    {func(s *State) { s.Chunks.Covers = covered(s, 7, "cc") }, verdict{stage: contract.VerifyChunks, what: contract.FaultDifferent}},
		"passages on their way": {func(s *State) {
			newer(s)
			s.Waits = func(st contract.Stage, seq uint64) bool { return st == contract.StageChunker && seq == 9 }
		}, verdict{pending: true}},
		"passages given up": {func(s *State) {
			newer(s)
			s.Dead[contract.StageChunker] = covered(s, 9, "bbbbbbbbbb")
		}, verdict{failed: true}},
		"passages of a deleted one": {func(s *State) {
			s.Files["worktree"] = contract.FileHead{Version: 9, Op: contract.OpDelete, Collection: "code"}
		},
			verdict{stage: contract.VerifyChunks, what: contract.FaultDifferent}},
		"passages of another collection": {func(s *State) {
			h := s.Files["worktree"]
			h.Version, h.Collection = 9, "docs"
			s.Files["worktree"] = h
		}, verdict{stage: contract.VerifyChunks, what: contract.FaultDifferent}},
		"no vectors":                {func(s *State) { s.Vectors = nil }, verdict{stage: contract.VerifyVectors, what: contract.FaultMissing}},
		"vectors of other passages": {func(s *State) { s.Vectors.IDs = ids(1, 4) }, verdict{stage: contract.VerifyVectors, what: contract.FaultDifferent}},
		"vectors given up": {func(s *State) {
			s.Vectors = nil
			delete(s.Indexed, document.Vector)
			s.Held[document.Vector] = Held{Full: true}
			s.Dead[contract.StageEmbed] = s.Chunks.Covers
		}, verdict{failed: true}},
		"no listing":      {func(s *State) { delete(s.Indexed, document.Lexical) }, verdict{stage: contract.VerifyIndexed, sink: document.Lexical, what: contract.FaultMissing}},
		"a bare listed":   {func(s *State) { s.Indexed[document.Vector].IDs = ids(1, 2, 3); s.Indexed[document.Vector].Bare = nil }, verdict{stage: contract.VerifyIndexed, sink: document.Vector, what: contract.FaultDifferent}},
		"being refilled":  {func(s *State) { s.Indexed[document.Lexical].Holds = false }, verdict{pending: true}},
		"store lacks one": {func(s *State) { s.Held[document.Lexical] = Held{Sum: SumOf(ids(1, 2)), IDs: ids(1, 2), Full: true} }, verdict{stage: contract.VerifyStore, sink: document.Lexical, what: contract.FaultMissing}},
		"store has more": {func(s *State) {
			s.Held[document.Vector] = Held{Sum: SumOf(ids(1, 2, 3)), IDs: ids(1, 2, 3), Full: true}
		}, verdict{stage: contract.VerifyStore, sink: document.Vector, what: contract.FaultExtra}},
		"store has others": {func(s *State) { s.Held[document.Vector] = Held{Sum: SumOf(ids(1, 4)), IDs: ids(1, 4), Full: true} },
			verdict{stage: contract.VerifyStore, sink: document.Vector, what: contract.FaultDifferent}},
		"store has what nobody knows": {func(s *State) {
			*s = State{Held: map[document.Sink]Held{document.Lexical: {Sum: SumOf(ids(1)), IDs: ids(1), Full: true}}, Waits: s.Waits}
		}, verdict{stage: contract.VerifyStore, sink: document.Lexical, what: contract.FaultExtra}},
	} {
		s := sound()
		c.change(s)
		v := Of(s)
		got := verdict{pending: v.Pending, failed: v.Failed}
		if len(v.Found) > 0 {
			got.stage, got.sink, got.what = v.Found[0].Stage, v.Found[0].Sink, v.Found[0].What
		}
		if got != c.want || len(v.Found) > 1 {
			t.Errorf("%s: %+v of %+v, want %+v", name, got, v.Found, c.want)
		}
	}
}

func TestSum_TellsSetsApart(t *testing.T) {
	sets := [][]document.ChunkID{nil, ids(1), ids(2), ids(1, 2), ids(3), ids(1, 1), ids(1, 4), ids(2, 3), ids(0)}
	for i, a := range sets {
		for k, b := range sets {
			if (SumOf(a) == SumOf(b)) != (i == k) {
				t.Errorf("%v and %v", a, b)
			}
		}
	}
	if SumOf(ids(1, 2, 3)) != SumOf(ids(3, 1, 2)) {
		t.Error("the order counts")
	}
}
