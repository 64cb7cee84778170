// Command chunker cuts what is new in the log into passages.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

func main() {
	cutter.ChildOrReturn()
	os.Exit(process.Program{Name: "chunker", Open: chunker.Process}.Main(os.Args[1:], os.Stdout, os.Stderr))
}
