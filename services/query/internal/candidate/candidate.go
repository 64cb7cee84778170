// Package candidate holds what the stages of a search hand to each other.
package candidate

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Found is a passage that a channel found.
type Found struct {
	ID         document.ChunkID
	Score      float64 // comparable within the channel only
	Attrs      store.Attrs
	Generation document.Generation
	// Metadata is what the document's newest version was put with, where that is weighed.
	Metadata document.PackedMetadata
	Window   *Window // of the channel pending, where it is no chunk yet
}

// OfChunk is a passage of a document, as the log has it: the same that the stores hold of it.
func OfChunk(h *contract.FileHead, g document.Generation, lang string, c *document.Chunk) Found {
	return Found{ID: c.ID, Generation: g, Attrs: store.Attrs{Source: h.Source, Doc: h.Doc, Path: h.Path, Language: lang, Kind: c.Kind, Symbol: c.Defines()}}
}

// Window is a run of whole lines of a pending document that is not chunked
// yet. Text shares memory with the document's content.
type Window struct {
	View      document.View
	Version   document.Version
	Hash      document.Hash // of the document's content
	Start     int           // byte offset in it
	StartLine int           // from 1
	EndLine   int
	Text      []byte
	// Of is the candidate of whose lines these are left, as an answer has the others
	// already; zero for all lines of one.
	Of document.ChunkID
}

// Candidate is a passage with its standing in every channel.
type Candidate struct {
	Found
	Lexical contract.Channel // rank 0: not found by this channel
	Vector  contract.Channel
	Pending contract.Channel
	// Verbatim is where it stands among those that hold the question's text; its
	// score is how well, 0 to 1.
	Verbatim contract.Channel
	// LexicalOrder is the rank in the lexical and pending channels together.
	LexicalOrder int
	// Named is where it stands among those that define the name asked for.
	Named contract.Channel
	// Quoted is where it stands among those that were read out of the log for what
	// must stand in them.
	Quoted contract.Channel
	// Placed is where it stands among those that hold a line which the question
	// names; its score is how much that line counts, 0 to 1.
	Placed contract.Channel
	// Part is where it stands in what the headline of the question found by itself.
	Part contract.Channel
	// Fused is what the channels say together, 0 to 1 among the candidates.
	Fused   float64
	Signals Signals
	// Final decides the order.
	Final float64
	// Learned is zero where no learned reranker looked at it, Reranked where no
	// other did.
	Learned  Reranked
	Reranked Reranked
	// Undiverse is the rank before likeness to others counted, from 1; 0 where
	// it did not.
	Undiverse int
	// Confidence is the probability that it is what was asked for, by Evidence;
	// 0 where that was not looked at.
	Confidence float64
	Evidence   map[string]float64
}

// Reranked is what a reranker made of a candidate: its rank before and after,
// from 1, and the score that it was given, which compares within one answer.
type Reranked struct {
	Rank, Before int
	Score        float64
}

// Explain returns the factors behind a candidate's place, for an answer that
// explains itself.
func (c *Candidate) Explain() map[string]float64 {
	out := map[string]float64{"fused": c.Fused}
	for s, value := range c.Signals {
		out[Signal(s).String()] = value
	}
	for name, r := range map[string]Reranked{"learned": c.Learned, "rerank": c.Reranked} {
		if r.Rank > 0 {
			out[name], out[name+"_from"] = r.Score, float64(r.Before)
		}
	}
	if c.Undiverse > 0 {
		out["diversify_from"] = float64(c.Undiverse)
	}
	return out
}
