// Package apart runs the services as programs of their own over a NATS server
// that is another process.
package apart

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus/embedded"
)

// asServer makes the test binary a NATS server; it holds the folder of the log.
const (
	asServer     = "FRESHET_TEST_AS_NATS"
	asServerPort = "FRESHET_TEST_AS_NATS_AT"
)

var services = []string{"watcher", "chunker", "embedder", "indexer", "query", "evaluator", "gateway"}

func TestMain(m *testing.M) {
	if dir := os.Getenv(asServer); dir != "" {
		os.Exit(serve(dir, os.Getenv(asServerPort)))
	}
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// folder holds the programs, once they are built.
var folder string

// programs builds one program for each service at the first call.
var programs = sync.OnceValue(func() (err error) {
	if folder, err = os.MkdirTemp("", "freshet-apart"); err != nil {
		return fmt.Errorf("make a folder for the programs: %w", err)
	}
	args := []string{"build", "-o", folder + string(filepath.Separator)}
	for _, name := range services {
		args = append(args, "github.com/freshet-dev/freshet/services/"+name+"/cmd/"+name)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("build the services: %w\n%s", err, out)
	}
	return nil
})

// program returns the path of a service's program.
func program(t *testing.T, service string) string {
	t.Helper()
	if err := programs(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, service)
}

// serve is a NATS server until it is told to stop. It prints its address.
func serve(dir, port string) int {
	n, err := strconv.Atoi(port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	s, err := embedded.Start(embedded.Config{Dir: dir, Port: n})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(s.ClientURL())
	<-stop
	if err := s.Shutdown(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
