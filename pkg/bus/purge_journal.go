package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// purgeFloorKey is the key in BucketMeta of the purge floor.
	purgeFloorKey = "purge"
	// purgeRecords is how many records the journal keeps, in BucketMeta under
	// purgeFloorKey, a dot and the number modulo this. A process that was cut
	// off for more of them compares its head tables with the log. A purge comes a
	// second after the last at the earliest, and the embedded server writes what it
	// knows of a stream every two minutes: for so long a kill may bring back what
	// was replaced before the purge (embedded.examine).
	purgeRecords = 256
)

// purgeFloor is the newest version that was ever purged, and the number of the
// record that raised it, from 1.
type purgeFloor struct {
	Number uint64           `json:"number"`
	Floor  document.Version `json:"floor"`
}

// purgeRecord says what is purged. It is written before anything is, and once
// more when all of it is gone.
type purgeRecord struct {
	Number      uint64                `json:"number"`
	Done        bool                  `json:"done,omitempty"`
	Docs        []Deleted             `json:"docs"`
	Generations []document.Generation `json:"generations"`
	// Reclaimed: all outputs of Generations were taken out, of whatever document.
	Reclaimed bool `json:"reclaimed,omitempty"`
	// Beside: other generations of the same name stay, and with them all letters but
	// Letters.
	Beside  bool      `json:"beside,omitempty"`
	Letters []DeadKey `json:"letters,omitempty"`
	// UpTo is, by stream, the highest sequence that was taken out.
	UpTo map[string]uint64 `json:"up_to,omitempty"`
}

// takes reports whether a letter went with what was reclaimed.
func (r purgeRecord) takes(k DeadKey, h contract.DeadHead) bool {
	if !r.Reclaimed || h.Seq > r.UpTo[contract.StreamDead] {
		return false
	}
	if r.Beside {
		return slices.Contains(r.Letters, k)
	}
	return slices.ContainsFunc(r.Generations, func(g document.Generation) bool { return contract.BuildOf(g) == k.Build })
}

func (r purgeRecord) key() string {
	return purgeFloorKey + "." + strconv.FormatUint(r.Number%purgeRecords, 10)
}

// Purged are messages that have been purged or will be, as records of the journal name them.
// The zero value names none. It is not safe for concurrent use.
type Purged struct {
	subjects map[string]map[string]document.Version // by stream
	docs     map[DocKey]document.Version            // whose dead letters go
}

// Add reads one key of BucketMeta, and adds what it names where it is a record.
func (p *Purged) Add(key string, value []byte) {
	if !strings.HasPrefix(key, purgeFloorKey+".") {
		return
	}
	r, err := openRecord(value)
	if err != nil {
		return
	}
	if p.subjects == nil {
		p.subjects, p.docs = map[string]map[string]document.Version{}, map[DocKey]document.Version{}
	}
	for _, t := range slices.Concat(r.outputs(nil), r.files()) {
		if p.subjects[t.stream] == nil {
			p.subjects[t.stream] = map[string]document.Version{}
		}
		p.subjects[t.stream][t.subject] = max(p.subjects[t.stream][t.subject], t.doc.Version)
	}
	for _, d := range r.Docs {
		p.docs[d.DocKey] = max(p.docs[d.DocKey], d.Version)
	}
}

// Has reports whether a message is one of them. One that cannot be read is not: it is left
// for who looks after the log.
func (p *Purged) Has(stream, subject string, seq uint64, header nats.Header) bool {
	if stream == contract.StreamDead {
		h, err := contract.ParseDeadHead(subject, seq, header)
		version, ok := p.docs[DocKey{h.Source, h.Doc}]
		return err == nil && ok && h.Covers.Newest() <= version
	}
	version, ok := p.subjects[stream][subject]
	if !ok || stream == contract.StreamFiles {
		return ok && seq <= uint64(version)
	}
	h, err := contract.ParseOutputHead(subject, seq, header)
	return err == nil && h.Covers.Newest() <= version
}

// floor reads the floor as the leader has it.
func (p Purges) floor(ctx context.Context) (f purgeFloor, revision uint64, err error) {
	m, err := p.bus.LeaderLast(ctx, contract.KeyStream(contract.BucketMeta), contract.KeyAddress(contract.BucketMeta, purgeFloorKey))
	if err != nil || m == nil {
		return f, 0, err
	}
	if len(m.data) == 0 {
		return f, m.Seq, nil // somebody took it away
	}
	if err := json.Unmarshal(m.data, &f); err != nil {
		return f, 0, fmt.Errorf("read the purge floor: %w", err)
	}
	return f, m.Seq, nil
}

// announce raises the floor, and writes what will be purged.
func (p Purges) announce(ctx context.Context, docs []Deleted, generations []document.Generation) (r purgeRecord, err error) {
	number, err := p.raise(ctx, docs)
	if err != nil {
		return r, err
	}
	r = purgeRecord{Number: number, Docs: docs, Generations: generations}
	return r, p.write(ctx, r)
}

// reclaimed tells every process that generations are gone up to a sequence of each
// stream, as the record says.
func (p Purges) reclaimed(ctx context.Context, r purgeRecord) error {
	number, err := p.raise(ctx, nil)
	if err != nil {
		return err
	}
	r.Number, r.Done, r.Docs = number, true, []Deleted{}
	return p.write(ctx, r)
}

// raise raises the floor to the newest of what will be purged, and returns the number
// of the record that says so.
func (p Purges) raise(ctx context.Context, docs []Deleted) (number uint64, err error) {
	for {
		f, revision, err := p.floor(ctx)
		if err != nil {
			return 0, err
		}
		f.Number++
		for _, d := range docs {
			f.Floor = max(f.Floor, d.Version)
		}
		js, err := json.Marshal(f)
		if err != nil {
			return 0, fmt.Errorf("encode the purge floor: %w", err)
		}
		_, err = p.bus.Bucket(contract.BucketMeta).Update(ctx, purgeFloorKey, js, revision)
		if errors.Is(err, ErrConflict) {
			continue // another process purges, too
		}
		if err != nil {
			return 0, fmt.Errorf("raise the purge floor: %w", err)
		}
		return f.Number, nil
	}
}

func (p Purges) write(ctx context.Context, r purgeRecord) error {
	js, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode what is purged: %w", err)
	}
	if len(js) > recordPlain {
		js = p.bus.enc.EncodeAll(js, nil)
	}
	if _, err := p.bus.Bucket(contract.BucketMeta).Put(ctx, r.key(), js); err != nil {
		return fmt.Errorf("note what is purged: %w", err)
	}
	return nil
}

// recordPlain is the length in bytes above which a record is compressed: to a fifth, most
// of which are the ids.
const recordPlain = 1 << 10

// recordDecoder reads records also for who has no Bus yet.
var recordDecoder = sync.OnceValues(func() (*zstd.Decoder, error) { return newDecoder(1 << 20) })

// openRecord is the inverse of what write stores.
func openRecord(value []byte) (r purgeRecord, err error) {
	if len(value) > 0 && value[0] != '{' {
		dec, err := recordDecoder()
		if err != nil {
			return r, err
		}
		if value, err = dec.DecodeAll(value, nil); err != nil {
			return r, err
		}
	}
	return r, json.Unmarshal(value, &r)
}

// journal is that of the purges as this process has followed it.
type journal struct {
	mu      sync.Mutex
	records map[uint64]purgeRecord // the newest
	docs    map[DocKey]document.Version
	number  uint64        // of the newest record that was taken in
	ready   chan struct{} // closed when what was there at the start is in
	changed chan struct{} // closed and replaced at every record
}

func (p Purges) follow() {
	j := p.bus.journal()
	p.bus.Bucket(contract.BucketMeta).Follow(p.bus.ctx, purgeFloorKey+".*", func(e Entry) {
		if e.Removed {
			return
		}
		r, err := openRecord(e.Value)
		if err != nil {
			p.bus.complain(fmt.Errorf("read %s: %w", e.Key, err))
			return
		}
		p.take(p.bus.ctx, j, r)
	}, func(int) { j.loaded() })
}

func (j *journal) loaded() {
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case <-j.ready:
	default:
		close(j.ready)
	}
}

// take takes a record in: what is gone is forgotten first.
func (p Purges) take(ctx context.Context, j *journal, r purgeRecord) {
	if r.Done {
		p.forget(ctx, r)
	}
	j.mu.Lock()
	missed := j.number > 0 && r.Number > j.number+1
	j.note(r)
	j.mu.Unlock()
	if missed {
		AuditOf(p.bus).open(ctx)
	}
}

func (j *journal) note(r purgeRecord) {
	j.records[r.Number] = r
	for _, d := range r.Docs {
		j.docs[d.DocKey] = max(j.docs[d.DocKey], d.Version)
	}
	for n, old := range j.records {
		if n+purgeRecords > r.Number {
			continue
		}
		delete(j.records, n)
		for _, d := range old.Docs {
			if j.docs[d.DocKey] <= d.Version {
				delete(j.docs, d.DocKey)
			}
		}
	}
	j.number = max(j.number, r.Number)
	close(j.changed)
	j.changed = make(chan struct{})
}

// journalPatience is how long a record may take to come round.
const journalPatience = time.Second

// reaches reports whether the journal has the record with a number, and waits a
// moment for it.
func (j *journal) reaches(ctx context.Context, number uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, journalPatience)
	defer cancel()
	select {
	case <-j.ready: // records are rewritten, so that the newest may come first
	case <-ctx.Done():
		return false
	}
	for {
		j.mu.Lock()
		have, changed := j.number, j.changed
		j.mu.Unlock()
		if have >= number {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// isWhole reports whether every purge there ever was is in it.
func (j *journal) isWhole() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return uint64(len(j.records)) == j.number
}

// version returns up to which version a document was purged lately, 0 if it
// was not.
func (j *journal) version(k DocKey) document.Version {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.docs[k]
}

// Includes reports whether a head of FILES is a deletion that is purged: what the
// stages made of it is on its way out of the log, or is gone already.
func (p Purges) Includes(h contract.FileHead) bool {
	return h.Op == contract.OpDelete && p.bus.journal().version(DocKey{h.Source, h.Doc}) >= h.Version
}

// unfinished are the records that nobody has carried out, the oldest first.
func (j *journal) unfinished() []purgeRecord {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []purgeRecord
	for n := j.number - min(j.number, purgeRecords); n <= j.number; n++ {
		if r, ok := j.records[n]; ok && !r.Done {
			out = append(out, r)
		}
	}
	return out
}

// finished are the records of documents that were carried out, the oldest first.
func (j *journal) finished() []purgeRecord {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []purgeRecord
	for _, n := range slices.Sorted(maps.Keys(j.records)) {
		if r := j.records[n]; r.Done && len(r.Docs) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// forget has the head tables of this process forget what was purged,
// once they include it: what is still on its way would come back.
func (p Purges) forget(ctx context.Context, r purgeRecord) {
	files, outputs, dead := p.bus.Heads.open()
	if files != nil && files.Wait(ctx, r.UpTo[contract.StreamFiles]) == nil {
		for _, d := range r.Docs {
			for _, view := range d.Views {
				files.forgetAt(FileKey{d.Source, d.Doc, view}, func(h contract.FileHead) bool { return h.Version <= d.Version })
			}
		}
	}
	for stream, t := range outputs {
		if t.Wait(ctx, r.UpTo[stream]) != nil {
			continue
		}
		if r.Reclaimed {
			t.forgetWhere(func(k OutputKey, h contract.OutputHead) bool {
				return slices.Contains(r.Generations, k.Generation) && h.Seq <= r.UpTo[stream]
			})
		}
		sinks := []document.Sink{""}
		if stream == contract.StreamIndexed {
			sinks = document.Sinks
		}
		for _, d := range r.Docs {
			for _, g := range r.Generations {
				for _, sink := range sinks {
					t.forgetAt(OutputKey{g, sink, d.Source, d.Doc}, func(h contract.OutputHead) bool { return h.Covers.Newest() <= d.Version })
				}
			}
		}
	}
	if dead != nil && dead.Wait(ctx, r.UpTo[contract.StreamDead]) == nil {
		if r.Reclaimed {
			dead.forgetWhere(r.takes)
		}
		for _, d := range r.Docs {
			for _, k := range DeadLettersOf(p.bus).Of(d.Source, d.Doc) {
				dead.forgetAt(k, func(h contract.DeadHead) bool { return h.Covers.Newest() <= d.Version })
			}
		}
	}
}
