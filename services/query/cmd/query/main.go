// Command query answers searches and tells the status.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/process"
	stores "github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/query"
)

func main() {
	program := process.Program{Name: "query", Check: stores.CheckShared, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) { return query.Process(e, nil) }
