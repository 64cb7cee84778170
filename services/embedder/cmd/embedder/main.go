// Command embedder turns passages and queries into vectors.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/embedder"
)

func main() {
	program := process.Program{Name: "embedder", Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	model, err := static.Open(e.Config.Embedder.Model)
	if err != nil {
		return nil, err
	}
	return embedder.New(embedder.FromConfig(e.Config, model.Identity()),
		embedder.Deps{Bus: e.Bus, Embedder: model, Log: e.Log, Version: process.Version})
}
