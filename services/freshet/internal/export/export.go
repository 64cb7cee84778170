package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Format is what is written.
type Format string

// The formats.
const (
	JSONL Format = "jsonl" // a file of lines of JSON for each kind
	Neo4j Format = "neo4j" // CSV as Neo4j's importer takes it, and the call of that
)

// Formats are all of them.
var Formats = []Format{JSONL, Neo4j}

// Summary is what was written; it is the file export.json, too.
type Summary struct {
	Token      document.Token `json:"token"` // the state of the log that it is
	Complete   bool           `json:"complete"`
	Documents  int            `json:"documents"`
	Passages   int            `json:"passages"` // of a path in two views, each once
	Symbols    int            `json:"symbols"`
	References int            `json:"references"`
	Pending    int            `json:"pending,omitempty"` // documents whose passages are not there yet
	Failed     int            `json:"failed,omitempty"`  // documents that a stage gave up on
	// Access says that who may see what is there: only the owner is told.
	Access bool `json:"access"`
	// Degraded is why something may be missing.
	Degraded []string `json:"degraded,omitempty"`
}

// writer writes in one format.
type writer interface {
	// part takes up a part of a document, the parts of one behind each other and the views
	// of one path, too.
	part(d *contract.DocumentPassages, first bool) error
	access(a *access) error
	close() error
}

// Run writes an export into a new folder, which appears when it is whole. Errors are
// *document.Error, or of the disk.
func Run(ctx context.Context, nc *nats.Conn, folder string, format Format, w Wanted) (sum Summary, err error) {
	if _, err := os.Lstat(folder); err == nil {
		return sum, document.Errorf(document.InvalidRequest, "%s is there: name a folder that is not, it is made", folder)
	}
	work, err := os.MkdirTemp(filepath.Dir(folder), ".freshet-export-*")
	if err != nil {
		return sum, document.Errorf(document.InvalidRequest, "the folder cannot be made: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(work)
		}
	}()
	s, err := newSpool(work)
	if err != nil {
		return sum, err
	}
	g, err := gather(ctx, nc, w, s)
	if err == nil {
		sum, err = g.write(ctx, nc, work, format, w.Show)
	}
	if err = errors.Join(err, s.remove()); err != nil {
		return sum, err
	}
	if err = os.Rename(work, folder); err != nil {
		return sum, fmt.Errorf("give the export its name: %w", err)
	}
	return sum, nil
}

func (g *gathered) write(ctx context.Context, nc *nats.Conn, dir string, format Format, show func(done, of int)) (sum Summary, err error) {
	told, err := askAccess(ctx, nc)
	if err != nil {
		return sum, err
	}
	sum = Summary{Token: g.sum.Token, Complete: g.sum.Complete, Access: told != nil, Degraded: g.sum.Degraded}
	files := &folder{dir: dir}
	var w writer
	switch format {
	case Neo4j:
		w, err = newNeo4j(files, &sum)
	default:
		w, err = newLines(files, &sum)
	}
	if err != nil {
		return sum, errors.Join(err, files.close())
	}
	err = g.each(ctx, show, func(d *contract.DocumentPassages, first bool) error {
		if first {
			sum.count(d)
		}
		return w.part(d, first)
	})
	if err == nil && told != nil {
		err = w.access(told)
	}
	if err = errors.Join(err, w.close(), files.close()); err != nil {
		return sum, err
	}
	sum.Complete = sum.Complete && sum.Pending == 0
	js, err := json.MarshalIndent(sum, "", "  ")
	if err != nil {
		return sum, fmt.Errorf("encode what the export comes to: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "export.json"), append(js, '\n'), 0o600); err != nil {
		return sum, fmt.Errorf("write what the export comes to: %w", err)
	}
	return sum, nil
}

func (s *Summary) count(d *contract.DocumentPassages) {
	s.Documents++
	switch d.State {
	case contract.PassagesPending:
		s.Pending++
	case contract.PassagesFailed:
		s.Failed++
	}
}

// folder is that of the files that are written.
type folder struct {
	dir   string
	files []*os.File
	outs  []*bufio.Writer
}

// file makes one, for its owner alone: it holds what is indexed.
func (f *folder) file(name string) (*bufio.Writer, error) {
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	out := bufio.NewWriterSize(file, 256<<10)
	f.files, f.outs = append(f.files, file), append(f.outs, out)
	return out, nil
}

func (f *folder) close() (err error) {
	for i, file := range f.files {
		err = errors.Join(err, f.outs[i].Flush(), file.Close())
	}
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	return nil
}

// once tells what has come before of the passages of one path, in whatever view.
type once struct {
	source document.Source
	path   document.Path
	seen   map[document.ChunkID]bool
}

func (o *once) isNew(d *contract.DocumentPassages, id document.ChunkID) bool {
	if o.seen == nil || o.source != d.Source || o.path != d.Path {
		*o = once{d.Source, d.Path, map[document.ChunkID]bool{}}
	}
	was := o.seen[id]
	o.seen[id] = true
	return !was
}
