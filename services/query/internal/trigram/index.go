package trigram

import (
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/shrink"
)

// Index has the signatures of what the heads of FILES show, as far as they have
// been made and there is room. It is safe for concurrent use.
type Index struct {
	bus   *bus.Bus
	limit int64

	mu    sync.RWMutex
	texts shrink.Map[document.Hash, *text]
	used  int64         // bytes of texts
	known int           // of texts, those with a signature
	queue []wanted      // texts without one
	wake  chan struct{} // holds one signal while there may be something in queue
}

// text is what is known of a text that some heads show.
type text struct {
	heads  int
	signed bool
	Signature
}

// wanted is a text that is to be signed, and a head that showed it.
type wanted struct {
	key  bus.FileKey
	hash document.Hash
	size int64
}

// perText is about what a text takes beside its signature, in bytes.
const perText = 96

// New returns an Index that takes about limit bytes at most; of what is beyond it
// knows nothing. It follows the log while Run does.
func New(b *bus.Bus, limit int64) *Index {
	return &Index{bus: b, limit: limit, wake: make(chan struct{}, 1)}
}

// observe takes note of a head. It runs under the table's lock.
func (x *Index) observe(k bus.FileKey, old, now contract.FileHead) {
	if old.Op == now.Op && old.Hash == now.Hash && old.Format == now.Format {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if signs(&old) {
		x.release(old.Hash)
	}
	if signs(&now) {
		x.retain(k, now)
	}
}

// signs reports whether the bytes of a document are its text: what a format makes of
// them may hold what they do not.
func signs(h *contract.FileHead) bool { return h.Op == contract.OpPut && h.Format == "" }

func (x *Index) release(h document.Hash) {
	t, ok := x.texts.Get(h)
	if !ok {
		return
	}
	if t.heads--; t.heads > 0 {
		return
	}
	x.texts.Delete(h)
	x.used -= perText
	if t.signed {
		x.used -= t.size()
		x.known--
	}
}

func (x *Index) retain(k bus.FileKey, head contract.FileHead) {
	t, ok := x.texts.Get(head.Hash)
	if !ok {
		t = &text{}
		x.texts.Set(head.Hash, t)
		x.used += perText
	}
	if t.heads++; !t.signed {
		x.queue = append(x.queue, wanted{k, head.Hash, head.Size})
		x.signal()
	}
}

func (x *Index) signal() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// put keeps the signature of a text that is still shown, if there is room.
func (x *Index) put(h document.Hash, s Signature) {
	x.mu.Lock()
	defer x.mu.Unlock()
	t, ok := x.texts.Get(h)
	if !ok || t.signed || x.used+s.size() > x.limit {
		return
	}
	t.signed, t.Signature = true, s
	x.used += s.size()
	x.known++
}

// take returns texts to sign that can be read by one request.
func (x *Index) take() (batch []wanted) {
	x.mu.Lock()
	defer x.mu.Unlock()
	size, n := int64(0), 0
	for ; n < len(x.queue) && len(batch) < batchDocuments && size < batchBytes; n++ {
		w := x.queue[n]
		if t, ok := x.texts.Get(w.hash); ok && !t.signed && x.used < x.limit {
			batch = append(batch, w)
			size += w.size
		}
	}
	if x.queue = x.queue[n:]; len(x.queue) == 0 {
		x.queue = nil // its room is given back
	}
	return batch
}

// giveBack has texts signed later.
func (x *Index) giveBack(batch []wanted) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.queue = append(x.queue, batch...)
}

// Sieve tells a text that may meet a need from one that does not.
type Sieve struct {
	index *Index
	need  Need
}

// Sieve returns one for a need. It is safe for concurrent use.
func (x *Index) Sieve(n Need) Sieve { return Sieve{x, n} }

// Off reports whether the sieve lets everything through, as its need does.
func (s Sieve) Off() bool { return s.need.Any() }

// May reports whether the text with a hash may meet the need, and whether that is
// known: if not, the text has to be looked at.
func (s Sieve) May(h document.Hash) (may, known bool) {
	if s.Off() {
		return true, false
	}
	s.index.mu.RLock()
	t, ok := s.index.texts.Get(h)
	if !ok || !t.signed {
		s.index.mu.RUnlock()
		return !skipUnknown, false
	}
	sig := t.Signature // never changed
	s.index.mu.RUnlock()
	return s.need.Met(sig), true
}

// State is how much is known.
type State struct {
	Texts, Known int
	Bytes        int64
}

// State returns how much is known now.
func (x *Index) State() State {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return State{Texts: x.texts.Len(), Known: x.known, Bytes: x.used}
}
