package remote

import (
	"crypto/sha256"
	"sync"

	"github.com/freshet-dev/freshet/pkg/embed"
)

// remembered is how many vectors are kept: those of some batches. A batch of which
// a part failed comes again, and what was paid for is not asked for twice.
const remembered = 4096

// memory keeps the last vectors by the hash of the whole input. It is safe for
// concurrent use.
type memory struct {
	mu    sync.Mutex
	byKey map[[sha256.Size]byte]embed.Vector
	order [][sha256.Size]byte // a ring
	next  int
}

func newMemory() *memory { return &memory{byKey: map[[sha256.Size]byte]embed.Vector{}} }

func (m *memory) get(key [sha256.Size]byte) (embed.Vector, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.byKey[key]
	return v, ok
}

func (m *memory) put(key [sha256.Size]byte, v embed.Vector) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.byKey[key]; ok {
		return
	}
	if len(m.order) < remembered {
		m.order = append(m.order, key)
	} else {
		delete(m.byKey, m.order[m.next])
		m.order[m.next] = key
		m.next = (m.next + 1) % remembered
	}
	m.byKey[key] = v
}
