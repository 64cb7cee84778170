package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/freshet-dev/freshet/pkg/document"
)

// entry is one of a catalog file.
type entry struct {
	Name        string   `json:"name" yaml:"name"` // TABLE, SCHEMA.TABLE, or with columns
	Column      string   `json:"column" yaml:"column"`
	Type        string   `json:"type" yaml:"type"`
	Description string   `json:"description" yaml:"description"`
	Kind        string   `json:"kind" yaml:"kind"`
	Confidence  *float64 `json:"confidence" yaml:"confidence"`
	Columns     []entry  `json:"columns" yaml:"columns"`
}

// AddYAML takes in a catalog file: a list of entries, each with a name, and with a
// description, kind, confidence, type and columns as far as somebody says. kind is that of
// descriptions which do not say theirs. The error is InvalidRequest and names the entry.
func (c *Catalog) AddYAML(content []byte, kind Kind) error {
	var all []entry
	if err := yaml.UnmarshalWithOptions(content, &all, yaml.Strict()); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return document.Errorf(document.InvalidRequest, "is no list of entries with name, description, kind, confidence, type and columns: %s", first)
	}
	return c.entries(all, kind)
}

// AddJSONL is AddYAML for a file with an entry on each line.
func (c *Catalog) AddJSONL(content []byte, kind Kind) error {
	in := json.NewDecoder(bytes.NewReader(content))
	in.DisallowUnknownFields()
	var all []entry
	for {
		var e entry
		if err := in.Decode(&e); errors.Is(err, io.EOF) {
			return c.entries(all, kind)
		} else if err != nil {
			return document.Errorf(document.InvalidRequest, "entry %d is none with name, description, kind, confidence, type and columns: %s", len(all)+1, err.Error())
		}
		all = append(all, e)
	}
}

func (c *Catalog) entries(all []entry, kind Kind) error {
	var tables []Table
	for i := range all {
		t, err := all[i].table(kind)
		if err != nil {
			return document.Errorf(document.InvalidRequest, "entry %d: %w", i+1, err)
		}
		tables = append(tables, t)
	}
	for _, t := range tables {
		c.Add(t)
	}
	return nil
}

// table is what an entry says, of a column of a table where it names one.
func (e *entry) table(kind Kind) (t Table, err error) {
	if strings.TrimSpace(e.Name) == "" {
		return t, document.Errorf(document.InvalidRequest, "name is missing: write TABLE or SCHEMA.TABLE")
	}
	said, err := e.said(kind)
	if err != nil {
		return t, err
	}
	t.Name = e.Name
	if e.Column != "" {
		t.Columns = []Column{{Name: e.Column, Type: e.Type, Said: said}}
	} else {
		t.Said = said
	}
	for i := range e.Columns {
		of := &e.Columns[i]
		said, err := of.said(kind)
		if err == nil && (of.Name == "" || of.Column != "" || len(of.Columns) > 0) {
			err = document.Errorf(document.InvalidRequest, "has to have a name, and no column or columns")
		}
		if err != nil {
			return t, document.Errorf(document.InvalidRequest, "column %d of %s: %w", i+1, e.Name, err)
		}
		t.Columns = append(t.Columns, Column{Name: of.Name, Type: of.Type, Said: said})
	}
	return t, nil
}

func (e *entry) said(kind Kind) (s Said, err error) {
	s = Said{Description: strings.TrimSpace(e.Description), Kind: kind, Confidence: e.Confidence}
	if e.Kind != "" {
		if s.Kind, err = ParseKind(e.Kind); err != nil {
			return s, err
		}
	}
	if c := e.Confidence; c != nil && !(*c >= 0 && *c <= 1) {
		return s, document.Errorf(document.InvalidRequest, "confidence is %g: use 0 to 1", *c)
	}
	if s.Description == "" {
		s.Kind = ""
	}
	return s, nil
}
