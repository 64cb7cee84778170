// Command watcher follows the folders and repositories of the configuration
// into the log.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/watcher"
)

func main() {
	program := process.Program{Name: "watcher", MakesLog: true, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func open(e *process.Env) (process.Service, error) {
	cfg := watcher.FromConfig(e.Config)
	cfg.Version, cfg.StateDir = process.Version, e.Config.Data
	return watcher.New(cfg, e.Bus, e.Log)
}
