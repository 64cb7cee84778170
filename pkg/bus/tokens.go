package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// epochsKey is the key in BucketMeta that holds the list of epochs.
const epochsKey = "epochs"

// maxEpochs bounds the list; older tokens are unknown.
const maxEpochs = 1000

// epoch is a stretch of FILES whose continuity is proven. It begins at First
// and ends before the next one's First.
type epoch struct {
	Epoch uint64 `json:"epoch"` // unix seconds of its beginning, growing
	First uint64 `json:"first"`
}

// Tokens are of the epochs of FILES, as this process last read their list, which is
// refreshed when a token names one that is not in it. They are safe for concurrent
// use.
type Tokens struct {
	bus *Bus

	mu   sync.RWMutex
	list []epoch
}

// begin appends an epoch that starts after FILES' last sequence: where
// FILES has none, and at each start of the embedded server, whose log may have
// lost its end in an unclean stop, or be an earlier copy that was put back, which
// nothing in it tells. Of several processes that see a new FILES, one does.
func (e *Tokens) begin(ctx context.Context) error { return e.add(ctx, e.bus.started) }

// add appends an epoch where FILES is newer than the last one, or always.
func (e *Tokens) add(ctx context.Context, always bool) error {
	files, err := e.bus.js.Stream(ctx, contract.StreamFiles)
	if err != nil {
		return fmt.Errorf("open stream %s: %w", contract.StreamFiles, err)
	}
	born := files.CachedInfo().Config.FirstSeq
	last, err := e.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	torn, err := e.torn()
	if err != nil {
		return err
	}
	for {
		list, rev, err := e.read(ctx)
		if err != nil {
			return err
		}
		if n := len(list); n > 0 && list[n-1].First >= born && !always {
			return nil
		}
		next := epoch{Epoch: uint64(e.bus.Now().Unix()), First: last + 1}
		for _, known := range [][]epoch{list, e.cached()} { // the list itself may have been deleted
			if n := len(known); n > 0 {
				next.Epoch = max(next.Epoch, known[n-1].Epoch+1)
			}
		}
		if torn {
			list = nil
		}
		list = append(list, next)
		list = list[max(0, len(list)-maxEpochs):]
		js, err := json.Marshal(list)
		if err != nil {
			return fmt.Errorf("encode epochs: %w", err)
		}
		_, err = e.bus.Bucket(contract.BucketMeta).Update(ctx, epochsKey, js, rev)
		if errors.Is(err, ErrConflict) {
			continue // another process began one at the same time
		}
		if err != nil {
			return fmt.Errorf("write epochs: %w", err)
		}
		return nil
	}
}

func (e *Tokens) read(ctx context.Context) ([]epoch, uint64, error) {
	raw, revision, err := e.bus.Bucket(contract.BucketMeta).Get(ctx, epochsKey)
	if err != nil || revision == 0 {
		return nil, 0, err
	}
	var list []epoch
	if err := json.Unmarshal(raw, &list); err != nil {
		// Somebody else wrote it: no token is proven any more, and the next
		// epoch begins the list anew.
		e.bus.log.Warn("the list of epochs cannot be read, so that earlier tokens are unknown", "error", err)
		return nil, revision, nil
	}
	return list, revision, nil
}

func (e *Tokens) load(ctx context.Context) ([]epoch, error) {
	list, _, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.list = list
	e.mu.Unlock()
	return list, nil
}

func (e *Tokens) cached() []epoch {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.list
}

// Of returns the token of a sequence of FILES.
func (e *Tokens) Of(ctx context.Context, seq uint64) (document.Token, error) {
	list := e.cached()
	if len(list) == 0 {
		var err error
		if list, err = e.load(ctx); err != nil {
			return document.Token{}, err
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].First <= seq || i == 0 {
			return document.Token{Epoch: list[i].Epoch, Seq: seq}, nil
		}
	}
	return document.Token{}, document.Errorf(document.Unavailable, "the log has no epoch yet: start the watcher first")
}

// Resolve returns the sequence of FILES that a token stands for. last is
// FILES' last sequence. A token of an earlier epoch counts if it lies before
// that epoch's end; else, and for one beyond the log, the error is
// TokenUnknown.
func (e *Tokens) Resolve(ctx context.Context, t document.Token, last uint64) (uint64, error) {
	find := func(list []epoch) (end uint64, ok bool) {
		for i, e := range list {
			if e.Epoch != t.Epoch {
				continue
			}
			if i+1 < len(list) {
				return list[i+1].First - 1, true
			}
			return last, true
		}
		return 0, false
	}
	end, ok := find(e.cached())
	if !ok || t.Seq > end {
		list, err := e.load(ctx)
		if err != nil {
			return 0, err
		}
		end, ok = find(list)
	}
	if !ok || t.Seq > end {
		return 0, document.Errorf(document.TokenUnknown, "token %s is not of this log, or of a part that was lost: take a new one", t).Do(document.DoTokenTake)
	}
	return t.Seq, nil
}

// torn reports whether FILES has lost something before this start, at any
// place: no token from before holds then.
func (e *Tokens) torn() (bool, error) {
	if e.bus.note == nil {
		return false, nil
	}
	d, err := e.bus.note.Read()
	return d.Files, err
}
