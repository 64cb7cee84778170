package render

import (
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// ways are the words for the ways by which questions come.
var ways = map[string]string{
	contract.WayCommand: "command line", contract.WayAgent: "agents", contract.WayHTTP: "HTTP", contract.WayOther: "NATS",
}

// Usage writes what was asked and given, by way, with tokens for bytes.
func Usage(w io.Writer, s terminal.Style, list []contract.Usage) error {
	p := &terminal.Printer{W: w}
	if len(list) == 0 {
		p.Linef("nothing was asked yet")
		return p.Err
	}
	var all contract.Usage
	p.Columns(true, func(p *terminal.Printer) {
		p.Linef("asked by\tquestions\ttokens given\ttokens of the whole files\t")
		line := func(name string, u contract.Usage) {
			p.Linef("%s\t%s\t%s\t%s\t", name, terminal.Count(u.Questions), terminal.Count(u.Given/contract.BytesPerToken), terminal.Count(u.Whole/contract.BytesPerToken))
		}
		for _, u := range list {
			all.Questions, all.Given, all.Whole = all.Questions+u.Questions, all.Given+u.Given, all.Whole+u.Whole
			line(ways[u.Way], u)
		}
		if len(list) > 1 {
			line("all", all)
		}
	})
	p.Linef("%s", s.Faint("four bytes are counted as a token; a file counts once for each answer that shows something of it"))
	return p.Err
}
