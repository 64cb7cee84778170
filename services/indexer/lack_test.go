package indexer

import (
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// After a crash the store lacks what INDEXED lists behind its position. An
// edit that comes before the refill must not take the unchanged passages for
// shown: its own message is no part of what the refill looks at.
func TestEditBeforeTheRefillLosesUnchangedPassages(t *testing.T) {
	a, b, c := document.ChunkID{1}, document.ChunkID{2}, document.ChunkID{3}
	covers := func(v document.Version) contract.Covers {
		return contract.Covers{document.Worktree: {Version: v, Hash: "h"}}
	}
	for _, at := range []struct {
		seq  uint64
		want []document.ChunkID
	}{{10, []document.ChunkID{c}}, {11, []document.ChunkID{a, c}}, {20, []document.ChunkID{a, c}}, {21, []document.ChunkID{c}}} {
		l := &lack{after: 10, upTo: 20}
		p := pass{covers: covers(2), ids: []document.ChunkID{a, c}, store: "s", lacks: l.includes}
		p.read(listing{seq: at.seq, covers: covers(1), store: "s", ids: []document.ChunkID{a, b}})
		if !slices.Equal(p.put, at.want) || !slices.Equal(p.del, []document.ChunkID{b}) {
			t.Errorf("over the head at %d it puts %v and deletes %v", at.seq, p.put, p.del)
		}
	}
}
