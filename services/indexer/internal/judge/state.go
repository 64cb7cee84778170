// Package judge tells how the places that a document passes on its way into
// the stores contradict each other. It is a pure function of what they hold.
package judge

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// State is what the log and the stores hold of one document in one generation.
type State struct {
	Collection document.Collection // of the generation
	// Collections are those of its build.
	Collections []document.Collection
	Files       map[document.View]contract.FileHead
	Chunks      *Output // nil where there is none
	Vectors     *Output
	Indexed     map[document.Sink]*Output
	Held        map[document.Sink]Held
	// Dead is what each stage gave up on.
	Dead map[contract.Stage]contract.Covers
	// Waits reports whether a stage has not yet done with a message of its
	// input.
	Waits func(stage contract.Stage, seq uint64) bool
	// Settled reports whether a document that was deleted then needs no
	// outputs any more.
	Settled func(contract.FileHead) bool
}

// Output is a message of CHUNKS, VECTORS or INDEXED.
type Output struct {
	contract.OutputHead
	IDs  []document.ChunkID
	Bare []document.ChunkID // of VECTORS, and of INDEXED
	// Broken says why the body cannot be read.
	Broken error
	// Holds is whether the store holds what INDEXED lists here; where it does
	// not, its keeper is filling it again.
	Holds bool
}

// Held is what a store holds of a document: at least its Sum.
type Held struct {
	Sum  Sum
	IDs  []document.ChunkID
	Full bool // IDs are known
}

// Finding is one contradiction.
type Finding struct {
	Stage contract.VerifyStage
	Sink  document.Sink
	View  document.View
	What  contract.VerifyFault
	// Detail says it in a sentence.
	Detail string
	IDs    []document.ChunkID
}

// Verdict is what is to be said of a document.
type Verdict struct {
	Found   []Finding
	Pending bool // something is on its way, which may or may not mend it
	Failed  bool // a stage gave up on its newest version
}
