package logcheck

import (
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// Log is the log of a server that is down. It belongs to one goroutine.
type Log struct {
	streams map[string]*stream
}

// Finding is what is wrong with one stream.
type Finding struct {
	Stream string
	// Damage names each damaged place, in words.
	Damage []string
	// Lost are the subjects whose messages are gone, sorted.
	Lost []string
	// Unsure is true where more may be lost than Lost names: what the server
	// knew of the stream when it stopped is not there either.
	Unsure bool
}

// Message is a whole message of a stream. Its slices are valid during the call
// that it is given to.
type Message struct {
	Subject string
	Seq     uint64
	Headers []byte // with the line NATS/1.0; nil where it has none
	Body    []byte
}

// Open reads every record of the log in dir, a server's storage folder, and
// changes nothing. clean says that the server was stopped as it should be: else
// a record that ends in the middle, at the very end, is no damage. A folder
// without a log is an empty log.
func Open(dir string, clean bool) (*Log, error) {
	folders, err := block.Streams(dir)
	if err != nil {
		return nil, err
	}
	streams := make([]*stream, len(folders))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, folder := range folders {
		g.Go(func() (err error) {
			streams[i], err = inspect(folder, clean)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	l := &Log{streams: map[string]*stream{}}
	for _, s := range streams {
		l.streams[s.name] = s
	}
	return l, nil
}

// Damaged lists the streams in which something is damaged, sorted.
func (l *Log) Damaged() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(l.streams)) {
		if l.streams[name].damaged() {
			names = append(names, name)
		}
	}
	return names
}

// Exact reports whether it is known which messages a stream had: then Mend
// names all that are lost.
func (l *Log) Exact(name string) bool {
	s := l.streams[name]
	return s != nil && s.current
}

// Messages calls each for every whole message of a stream that nothing has
// replaced or deleted, in the order of their sequences within a block. A stream
// that is not there has none.
func (l *Log) Messages(name string, each func(Message)) error {
	s := l.streams[name]
	if s == nil {
		return nil
	}
	live, err := s.scan()
	if err != nil {
		return err
	}
	return s.read(func(_ file, r block.Record) {
		if r.Message() && live.holds(r) {
			each(messageOf(r))
		}
	})
}

func messageOf(r block.Record) Message {
	return Message{Subject: r.Subject, Seq: r.Seq, Headers: r.Headers, Body: r.Body}
}

// Newest tells that the newest message of a subject had this sequence: an older
// one is taken out by Mend, and the subject is lost.
func (l *Log) Newest(name, subject string, seq uint64) {
	if s := l.streams[name]; s != nil {
		s.newest[subject] = max(s.newest[subject], seq)
	}
}

// Drop has Mend take out the messages of a subject, although they are whole:
// what they stand for is lost elsewhere.
func (l *Log) Drop(name, subject string) {
	if s := l.streams[name]; s != nil {
		s.drop[subject] = true
	}
}

// Doubt tells that the server has cut off a part of a stream that it could not
// read: what is there is whole, and nobody knows what was lost.
func (l *Log) Doubt(name string) {
	if s := l.streams[name]; s != nil {
		s.uneven, s.current = true, false
	}
}

// Floor tells a sequence that a stream has had: it does not go back below it.
func (l *Log) Floor(name string, seq uint64) {
	if s := l.streams[name]; s != nil {
		s.top = max(s.top, seq)
	}
}

// Findings says what is wrong, stream by stream, and what Mend will take out.
func (l *Log) Findings() ([]Finding, error) {
	var out []Finding
	for s := range l.affected() {
		f, err := s.finding()
		if err != nil {
			return nil, fmt.Errorf("look at the stream %s: %w", s.name, err)
		}
		out = append(out, f)
	}
	return out, nil
}

// Mend takes out of every damaged stream what is not whole, and what was asked
// for with Newest and Drop. Streams that are whole are not touched. Open has to
// be called again after it.
func (l *Log) Mend() error {
	for s := range l.affected() {
		if err := s.mend(); err != nil {
			return fmt.Errorf("mend the stream %s: %w", s.name, err)
		}
	}
	return nil
}

// affected are the streams that Mend changes.
func (l *Log) affected() iter.Seq[*stream] {
	return func(yield func(*stream) bool) {
		for _, name := range slices.Sorted(maps.Keys(l.streams)) {
			s := l.streams[name]
			if !s.opaque && (s.damaged() || len(s.drop) > 0) && !yield(s) {
				return
			}
		}
	}
}
