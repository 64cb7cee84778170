// Command embedder turns passages and queries into vectors.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/embedder"
)

func main() {
	program := process.Program{Name: "embedder", Open: vectors}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func vectors(e *process.Env) (process.Service, error) {
	model, err := open.Embedder(e.Config.Embedder)
	if err != nil {
		return nil, err
	}
	return embedder.New(embedder.FromConfig(e.Config, model.Identity()),
		embedder.Deps{Bus: e.Bus, Embedder: model, Log: e.Log, Version: process.Version})
}
