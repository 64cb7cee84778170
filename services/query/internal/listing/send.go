package listing

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// partBytes is about how much of a list one message has: little enough that the
// first names are there at once, and below what a server lets through.
const partBytes = 128 << 10

// send counts the documents, and sends those that are listed.
func (l *Listing) send(ctx context.Context, send func(contract.FilesPart) error) error {
	var part []contract.FileEntry
	room := min(partBytes, int(l.bus.Conn().MaxPayload()/2))
	size := 0
	for n, it := range l.items {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		entry := l.entry(it)
		l.count(it, &entry)
		if l.asked.Limit > 0 && n >= l.asked.Limit {
			l.sum.More++
			continue
		}
		js, err := json.Marshal(entry)
		if err != nil {
			return fmt.Errorf("encode a document of the list: %w", err)
		}
		if len(part) > 0 && size+len(js) > room {
			if err := send(contract.FilesPart{Files: part}); err != nil {
				return err
			}
			part, size = nil, 0
		}
		part, size = append(part, entry), size+len(js)+1
	}
	if len(part) > 0 {
		return send(contract.FilesPart{Files: part})
	}
	return nil
}

// entry is what the answer says of a document.
func (l *Listing) entry(it *item) contract.FileEntry {
	h := &it.head
	e := contract.FileEntry{Source: h.Source, View: h.View, Path: h.Path, Version: h.Version}
	if l.asked.Paths {
		return e
	}
	e.Size, e.Collection, e.Metadata = h.Size, h.Collection, h.Metadata.Metadata()
	if h.Op == contract.OpSkipped || it.textless != "" {
		e.State, e.Reason = contract.FileSkipped, h.Reason+it.textless // one of them
		return e
	}
	e.Language = it.language
	if l.scope.Whole(h) {
		e.Passages = l.index.Passages(h)
	}
	stand, letter := l.index.Stand(h)
	if e.State = stand; stand == contract.FileDead {
		letter = l.scope.Letter(letter)
		e.Stage, e.Reason = letter.Stage, letter.Reason
	}
	return e
}

func (l *Listing) count(it *item, e *contract.FileEntry) {
	l.sum.Documents++
	l.sum.Bytes += it.head.Size
	l.sum.Passages += e.Passages
	switch e.State {
	case contract.FileSearchable:
		l.sum.Searchable++
	case contract.FilePending:
		l.sum.Pending++
	case contract.FileDead:
		l.sum.Dead++
	}
}
