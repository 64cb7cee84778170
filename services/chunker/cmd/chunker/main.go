// Command chunker cuts what is new in the log into passages.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/chunker"
)

func main() {
	chunker.ParserChildOrReturn()
	os.Exit(process.Program{Name: "chunker", Open: open}.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	identity, err := static.IdentityOf(e.Config.Embedder.Model)
	if err != nil {
		return nil, err
	}
	return chunker.New(chunker.FromConfig(e.Config, identity), chunker.Deps{Bus: e.Bus, Log: e.Log})
}
