package vulture

import (
	"context"
	"log/slog"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Place is a folder to write in.
type Place struct {
	// Source that watches Dir or a folder above it.
	Source document.Source
	// Dir is the absolute path of an empty or missing folder.
	Dir string
}

// Config says what to circle over.
type Config struct {
	// Remote is the deployment's NATS server.
	Remote bus.Remote
	// Place is where files are written.
	Place
	// Repository is an empty git repository that a source follows as a work
	// tree; the last of several writers switches between branches in it. The
	// zero Place is none.
	Repository Place
	// Writers and Readers work at the same time; default 2 and 3.
	Writers, Readers int
	// Duration of the writing; default 10 s, negative for ever.
	Duration time.Duration
	// Seed decides every operation, content and query, but not their
	// interleaving with the deployment.
	Seed uint64
	// Settings are those of the deployment, as far as they were drawn for the run;
	// they are repeated in the report. Default none.
	Settings Settings
	// Hits is how many hits a question asks for. Where settings put others before
	// what has the words, more have to be asked for than the deployment gives by
	// itself. Default: what that gives, of which ten are enough.
	Hits int
	// Hidden has the writers also make writes that leave next to no trace: with
	// the size and time of before, and through another name of the file.
	Hidden bool
	// Announced is the share of writes that the deployment is told of, with
	// the path, to get a token; it has to see the others for itself. Default
	// 0.7.
	Announced float64
	// Pace is the mean pause of a writer between two writes; default 30 ms.
	Pace time.Duration
	// Rest is the mean pause of a reader between two questions that nothing has made
	// urgent; default a tenth of Pace.
	Rest time.Duration
	// Deadline is what a question allows for its answer; default 10 s, or 3 s
	// where Interrupted is set.
	Deadline time.Duration
	// Interrupted says that the deployment may be down for moments: requests
	// that nobody answers and answers that come at their deadline are counted
	// and are no violations.
	Interrupted bool
	// Ended says, once nothing is written any more, whether a process has ended
	// meanwhile: passages may be left then that nobody lists, which one sweep removes.
	// nil: where Interrupted is set, one always may have.
	Ended func() bool
	// Damaged says that the log may lose parts meanwhile. A token from one of them
	// is unknown, which is no violation.
	Damaged bool
	// AtRest is called when nothing is written any more and the log holds the last
	// state of every path, before all of it is asked for once more; default none.
	AtRest func(context.Context) error
	// Progress is called about twice a second while the vulture circles; default
	// none.
	Progress func(Report)
	// Log takes note of what fails under Interrupted; default none.
	Log *slog.Logger
}

// Defaults of Config.Deadline. Where the deployment may be killed while it
// answers, few questions should wait in vain.
const (
	deadline            = 10 * time.Second
	interruptedDeadline = 3 * time.Second
)

// freshWithin is the promise: an answer to a question with a token is fresh
// within this time, for at least freshShare of them.
const (
	freshWithin = 2 * time.Second
	freshShare  = 0.999
	// freshAnswers is how many answers say anything about such a share: of
	// fewer, a single slow one is more than it allows.
	freshAnswers = 1000
)

// youngAge is the age of a token below which it counts as young.
const youngAge = 100 * time.Millisecond

// maxWriters is how many writers can be kept from using each other's words.
const maxWriters = 32

func (c *Config) setDefaults() {
	if c.Writers == 0 {
		c.Writers = 2
	}
	if c.Readers == 0 {
		c.Readers = 3
	}
	if c.Duration == 0 {
		c.Duration = 10 * time.Second
	}
	if c.Announced == 0 {
		c.Announced = 0.7
	}
	if c.Pace == 0 {
		c.Pace = 30 * time.Millisecond
	}
	if c.Rest == 0 {
		c.Rest = c.Pace / 10
	}
	if c.Deadline == 0 {
		c.Deadline = deadline
		if c.Interrupted {
			c.Deadline = interruptedDeadline
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}
