package watcher

import (
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
)

// position is how far the log has come with a source. It is safe for concurrent
// use.
type position struct {
	mu  sync.Mutex
	now reached
}

// reached is a state of a source that the log has.
type reached struct {
	view     document.View
	head     gitrepo.Head
	compared document.Token // of the last comparison of the whole, zero before the first
	at       time.Time      // when that ended
}

func (p *position) get() reached {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// view is the view that the source shows now.
func (p *position) view() document.View { return p.get().view }

// shows notes which state of the source the log has.
func (p *position) shows(view document.View, head gitrepo.Head) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.view, p.now.head = view, head
}

// compared notes that a comparison of the whole has ended.
func (p *position) compared(token document.Token) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.compared, p.now.at = token, time.Now()
}
