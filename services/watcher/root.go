package watcher

import (
	"os"
	"time"
)

// rootEvery is the time between two looks at a source's root. No event tells
// that a folder above it was renamed, or that what was mounted there is gone.
const rootEvery = time.Second

// watchRoot notes whether the root is there. When it has come back, or another
// folder stands in its place, everything is compared and watched anew.
func (f *follower) watchRoot() {
	tick := time.NewTicker(rootEvery)
	defer tick.Stop()
	last, _ := f.origin.RootInfo()
	for {
		select {
		case <-tick.C:
		case <-f.life.ctx.Done():
			return
		}
		now, err := f.origin.RootInfo()
		f.troubles.note(troubleRoot, err)
		if err == nil && (last == nil || !os.SameFile(last, now)) {
			if f.files != nil {
				f.files.Forget()
			}
			_, err := f.full.ask(f.life.ctx, true)
			f.full.makeUp(f.life.ctx, err)
		}
		last = now
	}
}
