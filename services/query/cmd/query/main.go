// Command query answers searches and tells the status.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/process"
	stores "github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/query"
)

func main() {
	program := process.Program{Name: "query", Check: stores.CheckShared, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	identity, err := static.IdentityOf(e.Config.Embedder.Model)
	if err != nil {
		return nil, err
	}
	analyzer := analysis.New()
	o := stores.FromConfig(e.Config)
	o.Generations, o.Analyzer, o.Dims = e.Config.Generations(identity), analyzer.Signature(), static.Dims
	opened, err := stores.Open(o)
	if err != nil {
		return nil, err
	}
	e.OnStop(opened.Close)
	sinks := map[document.Generation]query.Stores{}
	for _, g := range o.Generations {
		sinks[g] = query.Stores{Lexical: opened.Lexical[g], Vector: opened.Vector[g]}
	}
	cfg := query.FromConfig(e.Config)
	cfg.Version = process.Version
	return query.New(cfg, query.Deps{Bus: e.Bus, Stores: sinks, Analyzer: analyzer, Embedder: identity, Log: e.Log})
}
