package contract

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// BucketStores is the key-value bucket in which the log keeps a StoreRecord
// for each sink of each generation.
const BucketStores = "freshet_stores"

// StoreKey is the key of a record in BucketStores.
func StoreKey(g document.Generation, k document.Sink) string { return string(g) + "." + string(k) }

// StoreRecord is what the log knows of the store behind a sink: which store it
// is, whose listings it holds, and how far it was known to be complete. A
// store whose own mark says something else was exchanged or went back.
type StoreRecord struct {
	Lineage
	// Position is the INDEXED sequence up to which the store was complete
	// when the record was written; the store's own mark is never behind it.
	Position uint64 `json:"position"`
}

// Lineage tells which messages of INDEXED hold for a store. A store that lost
// something gets a new id; what was listed for it before holds up to the
// position that it still knew.
type Lineage struct {
	// Store is the id of the present store.
	Store string `json:"store"`
	// Past are earlier ids of it, older ones first.
	Past []PastStore `json:"past,omitempty"`
}

// PastStore is an earlier id of a store.
type PastStore struct {
	Store string `json:"store"`
	UpTo  uint64 `json:"up_to"` // last sequence of INDEXED that still holds
}

// Holds reports whether what INDEXED lists for a store at a sequence is in the
// present store.
func (l Lineage) Holds(store string, seq uint64) bool {
	if store == "" {
		return false
	}
	if store == l.Store {
		return true
	}
	for _, p := range l.Past {
		if p.Store == store {
			return seq <= p.UpTo
		}
	}
	return false
}

// WasCalled reports whether an id is an earlier one of the present store.
func (l Lineage) WasCalled(store string) bool {
	return slices.ContainsFunc(l.Past, func(p PastStore) bool { return p.Store == store })
}

// maxPast bounds a lineage. What only a forgotten id listed is written again.
const maxPast = 16

// Adopt returns the lineage of the store that has now the given mark (id and
// position), and whether a new id is due. newest is the last message of
// INDEXED that lists something for that id, fresh the new id to take.
//
// The store of the lineage that is as far as INDEXED stays as it is. One of
// the lineage that lags went back, or lost its last moments: what was listed
// up to its position holds, the rest does not. Any other store holds nothing
// that is known.
func (l Lineage) Adopt(id string, position, newest uint64, fresh string) (next Lineage, renamed bool) {
	if l.Store == "" && id != "" {
		l = Lineage{Store: id} // the log has no record yet, so it is the first store
	}
	if id != "" && id == l.Store {
		if position >= newest {
			return l, false
		}
		return l.rename(len(l.Past), position, fresh), true
	}
	for i, p := range l.Past {
		if p.Store == id {
			return l.rename(i, min(position, p.UpTo), fresh), true
		}
	}
	return Lineage{Store: fresh}, true
}

// Renew returns the lineage of the same store under a new id: what was listed
// up to a sequence holds.
func (l Lineage) Renew(upTo uint64, fresh string) Lineage { return l.rename(len(l.Past), upTo, fresh) }

// rename keeps the first n past ids and the one that follows them, up to a
// position.
func (l Lineage) rename(n int, upTo uint64, fresh string) Lineage {
	all := append(append([]PastStore{}, l.Past...), PastStore{Store: l.Store})
	next := Lineage{Store: fresh}
	for i, p := range all[:n+1] {
		if i == n {
			p.UpTo = upTo
		}
		if p.UpTo > 0 {
			next.Past = append(next.Past, p)
		}
	}
	next.Past = next.Past[max(0, len(next.Past)-maxPast):]
	return next
}
