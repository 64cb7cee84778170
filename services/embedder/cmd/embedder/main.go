// Command embedder turns passages and queries into vectors.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/embedder"
)

func main() {
	os.Exit(process.Program{Name: "embedder", Open: embedder.Process}.Main(os.Args[1:], os.Stdout, os.Stderr))
}
