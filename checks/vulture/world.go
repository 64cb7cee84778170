package vulture

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// spot is where a document lies: a path of a source.
type spot struct {
	source document.Source
	path   document.Path
}

// state is what a path held after one write. A path that was never written
// held nothing.
type state struct {
	content []byte // nil: there was no such file
	hash    document.Hash
	begun   time.Time // before the first system call of the write
	ended   time.Time // after the last one, zero until then
	way     way
	// announced says that the deployment is told of the write; the others it
	// has to see for itself.
	announced bool
	// after is a sequence of FILES that existed before the write began, so the
	// log held something else there.
	after uint64
	// seq is a sequence of FILES at which the log held this state or a newer
	// one, as far as that is known; 0 is not known.
	seq uint64
}

// way is how a file came to its new content.
type way int

const (
	atOnce   way = iota // renamed into place, or deleted
	appended            // it grew, and had a part of what was added for a moment
	inPlace             // truncated first, so it was empty for a moment, and had a part then
	replaced            // removed first, so it was missing for a moment, then as inPlace
)

// logged is a version as the log has it.
type logged struct {
	seq  uint64
	op   contract.Op
	hash document.Hash
	// part is what the log has of a file of which only a part was written yet; nil for all
	// others. A file that is not renamed into place grows while it is written, and whoever
	// reads it then reads that.
	part []byte
}

// file is the history of one path.
type file struct {
	states []*state
	log    []logged // ascending; versions that were replaced at once may lack
}

// world is everything that was written and what the log was seen to say of it.
// Each path has one writer at a time. It is safe for concurrent use.
type world struct {
	mu    sync.Mutex
	files map[spot]*file
	// floor is the highest sequence that the deployment has acknowledged.
	floor uint64
	// seen is the highest sequence that is known to exist.
	seen uint64
	open map[*write]bool
	// delays are the times from the end of a write to its version in the log,
	// of writes that nobody announced.
	delays  durations
	changed chan struct{} // closed and replaced when the log says something new
}

func newWorld() *world {
	return &world{files: map[spot]*file{}, open: map[*write]bool{}, changed: make(chan struct{})}
}

// write is one operation on the file system, from before its first system call
// until its acknowledgement came or was not asked for.
type write struct {
	states []*state
	done   chan struct{}
}

// effect is what a write does to one path.
type effect struct {
	at      spot
	content []byte // nil: the file is gone afterwards
	way     way
}

// begin notes what is about to happen.
func (w *world) begin(announced bool, effects ...effect) *write {
	op := &write{done: make(chan struct{})}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range effects {
		f := w.files[e.at]
		if f == nil {
			f = &file{}
			w.files[e.at] = f
		}
		s := &state{content: e.content, begun: now, way: e.way, announced: announced, after: w.seen}
		if e.content != nil {
			s.hash = document.HashOf(e.content)
		}
		op.states = append(op.states, s)
		f.states = append(f.states, s)
	}
	w.open[op] = true
	return op
}

// written notes that the last system call has returned.
func (w *world) written(op *write) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range op.states {
		s.ended = now
	}
}

// finish ends a write; token is zero where none was got.
func (w *world) finish(op *write, token document.Token) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !token.IsZero() {
		w.floor = max(w.floor, token.Seq)
		w.seen = max(w.seen, token.Seq)
		for _, s := range op.states {
			if s.seq == 0 || token.Seq < s.seq {
				s.seq = token.Seq
			}
		}
	}
	delete(w.open, op)
	close(op.done)
}

// underway returns the writes that have begun and not ended.
func (w *world) underway() []*write {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]*write, 0, len(w.open))
	for op := range w.open {
		out = append(out, op)
	}
	return out
}

// acknowledged is the highest sequence that an acknowledgement has named.
func (w *world) acknowledged() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.floor
}

// newest is the newest version that was seen of any path.
func (w *world) newest() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

// observe notes a version of the log, in the log's order for each path.
func (w *world) observe(at spot, v logged) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[at]
	if f == nil {
		f = &file{}
		w.files[at] = f
	}
	if n := len(f.log); n > 0 && f.log[n-1].seq >= v.seq {
		return // delivered again after a new connection
	}
	f.log = append(f.log, v)
	w.seen = max(w.seen, v.seq)
	// The version shows a state that is no older than what the log was known
	// to hold before; the first one of that content is the careful choice.
	known := false
	for i := f.base(v.seq) + 1; i < len(f.states); i++ {
		s := f.states[i]
		if v.seq <= s.after {
			break
		}
		if s.hash == v.hash && (s.content == nil) == (v.op == contract.OpDelete) {
			if s.seq == 0 || v.seq < s.seq {
				s.seq = v.seq
				if !s.announced && !s.ended.IsZero() {
					w.delays.add(time.Since(s.ended))
				}
			}
			known = true
			break
		}
	}
	if !known && v.op == contract.OpPut {
		f.log[len(f.log)-1].part = f.partOf(v)
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// partOf is the part of a content that was being written which a version has; nil for none.
// That its hash is that of such a part says so, and nothing else does.
func (f *file) partOf(v logged) []byte {
	for _, s := range f.states[f.base(v.seq)+1:] {
		if v.seq <= s.after {
			break
		}
		if s.way == atOnce {
			continue
		}
		if n := lengthOf(s.content, v.hash); n > 0 {
			return s.content[:n]
		}
	}
	return nil
}

// lengthOf returns how many bytes of a content, from its first, have a hash; 0 for none.
func lengthOf(content []byte, hash document.Hash) int {
	h := sha256.New()
	sum := make([]byte, 0, sha256.Size)
	for i := range content {
		_, _ = h.Write(content[i : i+1])
		if sum = h.Sum(sum[:0]); hex.EncodeToString(sum) == string(hash) {
			return i + 1
		}
	}
	return 0
}

// base is the index of the newest state that the log held at seq for certain;
// -1 is the time before the first write.
func (f *file) base(seq uint64) int {
	for i := len(f.states) - 1; i >= 0; i-- {
		if s := f.states[i].seq; s != 0 && s <= seq {
			return i
		}
	}
	return -1
}

// possible returns every content that the log can have held for a path at some
// sequence from one to another, seen at the time until; absent tells whether
// none is possible too.
func (w *world) possible(at spot, from, to uint64, until time.Time) (contents [][]byte, absent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[at]
	if f == nil {
		return nil, true
	}
	base := f.base(from)
	if base < 0 {
		absent = true
	}
	for i := max(base, 0); i < len(f.states); i++ {
		s := f.states[i]
		if i > base && (s.begun.After(until) || s.after >= to) {
			break
		}
		if s.content == nil {
			absent = true
		} else {
			contents = append(contents, s.content)
		}
		if s.way >= inPlace && i > base {
			contents = append(contents, []byte{})
		}
		if s.way == replaced && i > base {
			absent = true
		}
	}
	for _, l := range f.log {
		if l.part != nil && l.seq <= to && (base < 0 || l.seq > f.states[base].seq) {
			contents = append(contents, l.part)
		}
	}
	return contents, absent
}

// history tells of a path what was written to it and what the log was seen to say, for
// whoever looks into a violation.
func (w *world) history(at spot) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[at]
	if f == nil {
		return "nothing was written there"
	}
	short := func(h document.Hash) string { return string(h[:min(len(h), 8)]) }
	var b strings.Builder
	b.WriteString("written:")
	for _, s := range f.states {
		fmt.Fprintf(&b, " [%s %d bytes, way %d, %s to %s, after %d, in the log at %d]", short(s.hash), len(s.content), s.way, s.begun.Format("05.000"), s.ended.Format("05.000"), s.after, s.seq)
	}
	b.WriteString("; logged:")
	for _, l := range f.log {
		fmt.Fprintf(&b, " [%d %s %s", l.seq, l.op, short(l.hash))
		if l.part != nil {
			fmt.Fprintf(&b, ", %d bytes of what was being written", len(l.part))
		}
		b.WriteByte(']')
	}
	return b.String()
}

// at returns the version that the log held for a path at seq, as far as the
// follower has seen it.
func (w *world) at(at spot, seq uint64) (v logged, content []byte, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[at]
	if f == nil {
		return logged{}, nil, false
	}
	i, found := slices.BinarySearchFunc(f.log, seq, func(l logged, s uint64) int {
		switch {
		case l.seq < s:
			return -1
		case l.seq > s:
			return 1
		}
		return 0
	})
	if found {
		i++
	}
	if i == 0 {
		return logged{}, nil, false
	}
	v = f.log[i-1]
	for _, s := range f.states {
		if s.content != nil && s.hash == v.hash {
			return v, s.content, true
		}
	}
	if v.part != nil {
		return v, v.part, true
	}
	return v, nil, v.op != contract.OpPut || v.hash == document.HashOf(nil)
}
