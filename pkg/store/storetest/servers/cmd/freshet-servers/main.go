// Command freshet-servers builds and starts the real servers for tests. `make
// servers` and `make servers-build` call it; it is no part of the product.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "build":
		return servers.Build(ctx, os.Stderr)
	case len(args) == 1 && args[0] == "up":
		if err := servers.Build(ctx, os.Stderr); err != nil {
			return err
		}
		return up(ctx, nil)
	case len(args) > 1 && args[0] == "run":
		if err := servers.Build(ctx, os.Stderr); err != nil {
			return err
		}
		return up(ctx, args[1:])
	}
	return errors.New("usage: freshet-servers build | up | run COMMAND [ARGUMENT…]")
}

// up runs both servers until ctx ends, or a command that finds their URLs in
// its environment. Their data goes with them.
func up(ctx context.Context, command []string) error {
	dir, err := os.MkdirTemp("", "freshet-servers-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder
	elastic, err := servers.Elasticsearch(ctx, filepath.Join(dir, "elasticsearch"))
	if err != nil {
		return err
	}
	defer elastic.Close()
	weaviate, err := servers.Weaviate(ctx, filepath.Join(dir, "weaviate"))
	if err != nil {
		return err
	}
	defer weaviate.Close()
	if len(command) > 0 {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "WEAVIATE_URL="+weaviate.URL(), "ELASTIC_URL="+elastic.URL())
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	fmt.Printf("WEAVIATE_URL=%s\nELASTIC_URL=%s\n", weaviate.URL(), elastic.URL())
	fmt.Printf("Use them with: make test-servers WEAVIATE_URL=%s ELASTIC_URL=%s\n", weaviate.URL(), elastic.URL())
	fmt.Println("Ctrl-C stops both and removes their data.")
	<-ctx.Done()
	return nil
}
