package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Priority says what the documents of a source, or some of them, count beside
// others. It stands with the query service, and not with the source: sources
// also come from the command line, from requests, and from mirrors, and an
// answer's order must not depend on whether the watcher is there to be asked.
type Priority struct {
	Source     string  `yaml:"source" doc:"Name of the source; all sources when empty."`
	Collection string  `yaml:"collection" doc:"Name of the collection; all collections when empty."`
	Path       string  `yaml:"path" doc:"Folder, file or glob, relative to the source, as in a filter; everything when empty."`
	Meta       string  `yaml:"metadata" doc:"KEY=VALUE of the metadata that a document was put with; whatever it has when empty."`
	Factor     float64 `yaml:"factor" doc:"What the score is multiplied by: 2 counts twice, 0.5 half." min:"0.01" max:"100"`
}

// Metadata is what a document has to have, nil for nothing. The error is an
// InvalidRequest.
func (e *Priority) Metadata() (document.Metadata, error) {
	if e.Meta == "" {
		return nil, nil
	}
	key, value, ok := strings.Cut(e.Meta, "=")
	if !ok {
		return nil, document.Errorf(document.InvalidRequest, "%q is no metadata: give KEY=VALUE", e.Meta)
	}
	m := document.Metadata{key: {value}}
	return m, m.Check()
}

// ValidatePriorities returns nil or a *Problems with every entry that cannot
// work.
func ValidatePriorities(list []Priority) error {
	p := &Problems{}
	for i, e := range list {
		p.limits(reflect.ValueOf(e), priorityAt(i))
	}
	p.priorities(list)
	if len(p.List) == 0 {
		return nil
	}
	return p
}

func priorityAt(i int) string { return fmt.Sprintf("query.priorities[%d]", i) }

func (p *Problems) priorities(list []Priority) {
	for i, e := range list {
		at := priorityAt(i)
		if _, err := document.ParseSource(e.Source); e.Source != "" && err != nil {
			p.addf(at+".source", "is %q: use 1 to 64 of a-z, 0-9, - and _", e.Source)
		}
		if c := document.Collection(e.Collection); e.Collection != "" && !slices.Contains(document.Collections, c) && c.CheckOwn() != nil {
			p.addf(at+".collection", "%s", c.CheckOwn())
		}
		if _, err := e.Metadata(); err != nil {
			p.addf(at+".metadata", "%s", err)
		}
		if e.Path == "" {
			continue
		}
		if _, err := pathset.Parse([]string{e.Path}); err != nil {
			p.addf(at+".path", "%s", err)
		}
	}
}
