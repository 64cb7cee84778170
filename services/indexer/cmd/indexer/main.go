// Command indexer keeps the lexical and the vector store in step with the log.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/process"
	stores "github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/indexer"
)

func main() {
	program := process.Program{Name: "indexer", Check: stores.CheckShared, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) { return indexer.Process(e, indexer.Shared{}) }
