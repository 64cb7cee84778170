// Command evaluator keeps golden questions and says how well they are answered.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/evaluator"
)

func main() {
	program := process.Program{Name: "evaluator", OnlyAsks: true, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	return evaluator.New(e.Bus, process.Version, e.Log), nil
}
