package watcher

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/pkg/document"
)

// What may not work of a source.
const (
	troubleRoot       = "root"       // it cannot be read
	troubleRemote     = "remote"     // it does not answer
	troubleComparison = "comparison" // the last one failed
	troubleRules      = "ignore rules"
)

// troubles are what does not work of a source now, by what it is. They are safe
// for concurrent use.
type troubles struct {
	source document.Source
	log    *slog.Logger

	mu  sync.Mutex
	now map[string]string
}

// note records that something works, or why it does not.
func (t *troubles) note(what string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		delete(t.now, what)
		return
	}
	if !errors.Is(err, context.Canceled) {
		if t.now[what] != err.Error() {
			t.log.Warn("source degraded", "source", t.source, "what", what, "error", err)
		}
		t.now[what] = err.Error()
	}
}

// of is why something does not work, "" where it does.
func (t *troubles) of(what string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now[what]
}

// sentences are one for each, in order.
func (t *troubles) sentences() (out []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(t.now)) {
		out = append(out, what+": "+t.now[what])
	}
	return out
}
