package config

import (
	"fmt"
	"reflect"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Priority says what the documents of a source, or some of them, count beside
// others. It stands with the query service, and not with the source: sources
// also come from the command line, from requests, and from mirrors, and an
// answer's order must not depend on whether the watcher is there to be asked.
type Priority struct {
	Source string  `yaml:"source" doc:"Name of the source; all sources when empty."`
	Path   string  `yaml:"path" doc:"Folder, file or glob, relative to the source, as in a filter; everything when empty."`
	Factor float64 `yaml:"factor" doc:"What the score is multiplied by: 2 counts twice, 0.5 half." min:"0.01" max:"100"`
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
		if e.Path == "" {
			continue
		}
		if _, err := pathset.Parse([]string{e.Path}); err != nil {
			p.addf(at+".path", "%s", err)
		}
	}
}
