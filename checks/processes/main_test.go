//go:build servers

// Package processes runs the services as separate processes over a NATS
// server, a real Elasticsearch and a real Weaviate.
package processes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// programs are built once for all tests.
var programs string

var services = []string{"watcher", "chunker", "embedder", "indexer", "query"}

func TestMain(m *testing.M) {
	if socket := os.Getenv(asEmbedder); socket != "" {
		os.Exit(embedderMain(socket))
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "freshet-programs")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		defer func() { _ = os.RemoveAll(dir) }()
		for _, name := range services {
			build := exec.Command("go", "build", "-o", filepath.Join(dir, name), "../../services/"+name+"/cmd/"+name)
			if out, err := build.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "build the %s: %v\n%s", name, err, out)
				return 2
			}
		}
		programs = dir
		return servers.Run(m)
	}())
}
