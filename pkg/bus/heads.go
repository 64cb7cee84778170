package bus

import (
	"maps"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// FileKey names a head of FILES.
type FileKey struct {
	Source document.Source
	Doc    document.DocID
	View   document.View
}

// OutputKey names a head of CHUNKS, VECTORS or INDEXED; Sink is INDEXED's.
type OutputKey struct {
	Generation document.Generation
	Sink       document.Sink
	Source     document.Source
	Doc        document.DocID
}

// DeadKey names a head of DEAD.
type DeadKey struct {
	Stage  contract.Stage
	Source document.Source
	Doc    document.DocID
	Build  contract.BuildID
}

// Heads are the head tables that this process follows, each from its first use on,
// and the journal of what is purged, which has them forget. They are safe for
// concurrent use.
type Heads struct {
	bus *Bus

	mu       sync.Mutex
	files    *Table[FileKey, contract.FileHead]
	outputs  map[string]*Table[OutputKey, contract.OutputHead]
	common   commons  // of the heads in files and outputs
	standing standing // the views of files, and the rules that stand in them
	dead     *Table[DeadKey, contract.DeadHead]
	failing  failing // of the messages in dead
	purges   *journal
}

// Files returns the head table of FILES. It starts at first use.
func (h *Heads) Files() *Table[FileKey, contract.FileHead] {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.files == nil {
		h.files = newTable(h.bus.log, contract.StreamFiles, &fileHeads{common: &h.common, now: &h.standing}, func(subject string, seq uint64, header nats.Header) (FileKey, contract.FileHead, bool, error) {
			head, err := contract.ParseFileHead(subject, seq, header)
			if err != nil {
				k, _ := contract.ParseSubject(subject)
				return FileKey{k.Source, k.Doc, k.View}, head, false, err
			}
			return FileKey{head.Source, head.Doc, head.View}, head, true, nil
		})
		h.journalLocked()
		startTable(h.bus.ctx, h.bus, h.files)
	}
	return h.files
}

// Seen returns, for each stream whose heads are followed, the highest sequence
// that they include.
func (h *Heads) Seen() map[string]uint64 {
	// Without the lock: who observes a table, under its lock, may ask for another
	// one.
	out := map[string]uint64{}
	for stream, t := range h.readers() {
		out[stream] = t.Seen()
	}
	return out
}

// Outputs returns the head table of CHUNKS, VECTORS or INDEXED. It starts at
// first use.
func (h *Heads) Outputs(stream string) *Table[OutputKey, contract.OutputHead] {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.outputs[stream]
	if t == nil {
		t = newTable(h.bus.log, stream, &outputHeads{common: &h.common}, decodeOutput)
		h.outputs[stream] = t
		h.journalLocked()
		startTable(h.bus.ctx, h.bus, t)
	}
	return t
}

func decodeOutput(subject string, seq uint64, header nats.Header) (OutputKey, contract.OutputHead, bool, error) {
	h, err := contract.ParseOutputHead(subject, seq, header)
	if err != nil {
		k, _ := contract.ParseSubject(subject)
		return OutputKey{k.Generation, k.Sink, k.Source, k.Doc}, h, false, err
	}
	return OutputKey{h.Generation, h.Sink, h.Source, h.Doc}, h, true, nil
}

// Dead returns the head table of DEAD; what a later success cleared is not in
// it. It starts at first use.
func (h *Heads) Dead() *Table[DeadKey, contract.DeadHead] {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dead == nil {
		h.dead = newTable(h.bus.log, contract.StreamDead, &plainHeads[DeadKey, contract.DeadHead]{}, func(subject string, seq uint64, header nats.Header) (DeadKey, contract.DeadHead, bool, error) {
			head, err := contract.ParseDeadHead(subject, seq, header)
			if err != nil {
				k, _ := contract.ParseSubject(subject)
				return DeadKey{k.Stage, k.Source, k.Doc, k.Build}, head, false, err
			}
			h.failing.add(head.Build)
			return DeadKey{head.Stage, head.Source, head.Doc, head.Build}, head, !head.Cleared, nil
		})
		h.journalLocked()
		startTable(h.bus.ctx, h.bus, h.dead)
	}
	return h.dead
}

// readers are the head tables that are followed, by stream.
func (h *Heads) readers() map[string]reader {
	files, outputs, dead := h.open()
	out := map[string]reader{}
	if files != nil {
		out[contract.StreamFiles] = files
	}
	for stream, t := range outputs {
		out[stream] = t
	}
	if dead != nil {
		out[contract.StreamDead] = dead
	}
	return out
}

// open are the head tables that this process follows; nil where it does
// not.
func (h *Heads) open() (*Table[FileKey, contract.FileHead], map[string]*Table[OutputKey, contract.OutputHead], *Table[DeadKey, contract.DeadHead]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.files, maps.Clone(h.outputs), h.dead
}

// journalLocked is journal for who holds the lock.
func (h *Heads) journalLocked() *journal {
	if h.purges == nil {
		h.purges = &journal{records: map[uint64]purgeRecord{}, docs: map[DocKey]document.Version{}, ready: make(chan struct{}), changed: make(chan struct{})}
		h.bus.wg.Go(PurgesOf(h.bus).follow)
	}
	return h.purges
}

// journal returns the journal of purges. It is followed from the first use on.
func (h *Heads) journal() *journal {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.journalLocked()
}
