package bus

import (
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

// Files returns the head table of FILES. It starts at first use.
func (b *Bus) Files() *Table[FileKey, contract.FileHead] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.files == nil {
		b.files = newTable(b.log, contract.StreamFiles, &fileHeads{common: &b.common}, func(subject string, seq uint64, header nats.Header) (FileKey, contract.FileHead, bool, error) {
			h, err := contract.ParseFileHead(subject, seq, header)
			if err != nil {
				k, _ := contract.ParseSubject(subject)
				return FileKey{k.Source, k.Doc, k.View}, h, false, err
			}
			return FileKey{h.Source, h.Doc, h.View}, h, true, nil
		})
		b.journalLocked()
		startTable(b.ctx, b, b.files)
	}
	return b.files
}

// Seen returns, for each stream whose heads are followed, the highest sequence
// that they include.
func (b *Bus) Seen() map[string]uint64 {
	// Without the lock of b: who observes a table, under its lock, may ask b for
	// another one.
	out := map[string]uint64{}
	for stream, t := range b.readers() {
		out[stream] = t.Seen()
	}
	return out
}

// Outputs returns the head table of CHUNKS, VECTORS or INDEXED. It starts at
// first use.
func (b *Bus) Outputs(stream string) *Table[OutputKey, contract.OutputHead] {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.outputs[stream]
	if t == nil {
		t = newTable(b.log, stream, &outputHeads{common: &b.common}, decodeOutput)
		b.outputs[stream] = t
		b.journalLocked()
		startTable(b.ctx, b, t)
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
func (b *Bus) Dead() *Table[DeadKey, contract.DeadHead] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead == nil {
		b.dead = newTable(b.log, contract.StreamDead, &plainHeads[DeadKey, contract.DeadHead]{}, func(subject string, seq uint64, header nats.Header) (DeadKey, contract.DeadHead, bool, error) {
			h, err := contract.ParseDeadHead(subject, seq, header)
			if err != nil {
				k, _ := contract.ParseSubject(subject)
				return DeadKey{k.Stage, k.Source, k.Doc, k.Build}, h, false, err
			}
			b.failing.add(h.Build)
			return DeadKey{h.Stage, h.Source, h.Doc, h.Build}, h, !h.Cleared, nil
		})
		b.journalLocked()
		startTable(b.ctx, b, b.dead)
	}
	return b.dead
}
