package verify

import (
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// telling is what a comparison tells whoever asked for it.
type telling struct {
	sum contract.VerifySummary

	mu   sync.Mutex // of emit and gone
	emit func(contract.VerifyPart) error
	told time.Time // the last progress
	gone error     // of who asked: it takes no more parts
}

func (t *telling) send(p contract.VerifyPart) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone == nil {
		t.gone = t.emit(p)
	}
	return t.gone
}

// difference counts and tells of a difference.
func (t *telling) difference(d contract.Difference) error {
	t.sum.Differences++
	if d.Repaired {
		t.sum.Repaired++
	}
	return t.send(contract.VerifyPart{Difference: &d})
}

// tellEvery is the time between two reports of progress.
const tellEvery = 500 * time.Millisecond

func (t *telling) progress(doing string, done, total int) error {
	if now := time.Now(); done == 0 || done == total || now.Sub(t.told) > tellEvery {
		t.told = now
		return t.send(contract.VerifyPart{Progress: &contract.VerifyProgress{Doing: doing, Done: done, Total: total}})
	}
	return nil
}
