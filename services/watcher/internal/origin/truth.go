package origin

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// Truth is what a view is compared with: the files on disk, or a commit's
// tree. Implementations are safe for concurrent use.
type Truth interface {
	// Walk emits every candidate at and below a path ("" for everything). Its
	// error is a failure to read the source; emit fails only with ctx.
	Walk(ctx context.Context, raw string, emit func(scan.Candidate) error) error
	Look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error)
	// StatOnly returns the same truth as it looks by name, type and size alone:
	// what it finds to be put has no content, and may turn out to be none.
	StatOnly() Truth
	// Reachable fails when the source as a whole cannot be read now.
	Reachable() error
	// Commit is the commit that documents are of, "" for files on disk.
	Commit() string
}

// Nothing is the truth of a view that is given up.
type Nothing struct{}

// Walk emits nothing.
func (Nothing) Walk(context.Context, string, func(scan.Candidate) error) error { return nil }

// Look finds everything gone.
func (Nothing) Look(_ context.Context, c scan.Candidate, _ contract.FileHead, _ scan.Parker) (scan.Finding, error) {
	return scan.Finding{Kind: scan.Gone, Path: document.EncodePath(c.Raw)}, nil
}

// StatOnly is Truth's.
func (n Nothing) StatOnly() Truth { return n }

// Reachable is always so.
func (Nothing) Reachable() error { return nil }

// Commit is none.
func (Nothing) Commit() string { return "" }

// ReadAll has every file read, whatever is known of it.
func ReadAll(t Truth) Truth {
	switch t := t.(type) {
	case OnDisk:
		d := *t.Disk
		d.Always = true
		return OnDisk{&d, t.Enter}
	case *InTree:
		t.always = true
	}
	return t
}
