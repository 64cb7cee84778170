package export

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// lines writes an object a line, a file for each kind.
type lines struct {
	files *folder
	sum   *Summary
	once  once

	documents, passages, symbols, references io.Writer
}

// of names the document that something belongs to.
type of struct {
	Source  document.Source  `json:"source"`
	Path    document.Path    `json:"path"`
	View    document.View    `json:"view"`
	Version document.Version `json:"version"`
}

func newLines(files *folder, sum *Summary) (*lines, error) {
	l := &lines{files: files, sum: sum}
	for _, f := range []struct {
		name string
		into *io.Writer
	}{{"documents.jsonl", &l.documents}, {"passages.jsonl", &l.passages}, {"symbols.jsonl", &l.symbols}, {"references.jsonl", &l.references}} {
		out, err := files.file(f.name)
		if err != nil {
			return nil, err
		}
		*f.into = out
	}
	return l, nil
}

func (l *lines) part(d *contract.DocumentPassages, first bool) error {
	in := of{d.Source, d.Path, d.View, d.Version}
	if first {
		about := *d
		about.Passages, about.Next = nil, 0
		if err := line(l.documents, about); err != nil {
			return err
		}
	}
	for i := range d.Passages {
		p := &d.Passages[i]
		isNew := l.once.isNew(d, p.ID)
		if isNew {
			l.sum.Passages++
			l.sum.Symbols += len(p.Symbols)
			l.sum.References += len(p.References)
		}
		for _, s := range p.Symbols {
			if err := line(l.symbols, struct {
				of
				Passage document.ChunkID `json:"passage"`
				contract.PassageSymbol
			}{in, p.ID, s}); err != nil {
				return err
			}
		}
		for _, name := range p.References {
			if err := line(l.references, struct {
				of
				Passage document.ChunkID `json:"passage"`
				Name    string           `json:"name"`
			}{in, p.ID, name}); err != nil {
				return err
			}
		}
		told := *p
		told.Symbols, told.References = nil, nil
		if err := line(l.passages, struct {
			of
			contract.Passage
		}{in, told}); err != nil {
			return err
		}
	}
	return nil
}

func (l *lines) access(a *access) error {
	if err := everyLine(l.files, "roles.jsonl", a.Roles); err != nil {
		return err
	}
	if err := everyLine(l.files, "principals.jsonl", a.principals); err != nil {
		return err
	}
	return everyLine(l.files, "rules.jsonl", a.Rules)
}

func (l *lines) close() error { return nil }

func everyLine[T any](files *folder, name string, all []T) error {
	out, err := files.file(name)
	for i := 0; err == nil && i < len(all); i++ {
		err = line(out, all[i])
	}
	return err
}

func line(w io.Writer, v any) error {
	js, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(js, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}
