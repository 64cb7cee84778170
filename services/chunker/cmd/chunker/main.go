// Command chunker cuts what is new in the log into passages.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/chunker"
)

func main() {
	chunker.ParserChildOrReturn()
	os.Exit(process.Program{Name: "chunker", Open: chunks}.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func chunks(e *process.Env) (process.Service, error) {
	space, err := open.Space(e.Config.Embedder)
	if err != nil {
		return nil, err
	}
	return chunker.New(chunker.FromConfig(e.Config, space.Identity), chunker.Deps{Bus: e.Bus, Log: e.Log})
}
