package adapt

import (
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/embed/static/train"
)

// Corpus is a folder and the questions that its files answer.
type Corpus struct {
	Folder string
	Tasks  []eval.Task
}

// Options of Run.
type Options struct {
	// Config says how files are cut, and which model is in use.
	Config  config.Config
	Corpora []Corpus
	// Train are the settings of the training; its seed also chooses the files
	// that are held back.
	Train train.Options
	// Rows makes the rows that the training begins with out of those of the
	// model in use; nil begins with these.
	Rows func(inUse []float32) []float32
	// Apart names further files to hold back; nil for none.
	Apart func(path string) bool
	// ParserCommand is as in freshet.Options.
	ParserCommand []string
	// Progress is told what is done, and how far; total is 0 where it is not
	// known. It may be nil, and is called by one goroutine at a time.
	Progress func(doing string, done, total int)
}

// Parts of the files, of ten: what is neither held back nor stopped by is learnt
// from.
const (
	parts     = 10
	heldParts = 2
	devParts  = 1
)

// leastPairs is how many pairs it takes to learn anything, and leastHeld how many
// held-back ones to know that it was more than chance.
const (
	leastPairs = 100
	leastHeld  = 20
)

// mostPassages bounds the passages that held-back questions are asked among, and
// with it memory: 2 KiB each, and 1 KiB for each table.
const mostPassages = 100_000

// significant is the p below which a difference is no chance.
const significant = .05
