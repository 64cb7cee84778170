// Command freshet keeps a hybrid search index in step with folders and git
// repositories, and answers questions over NATS.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/services/freshet/commandline"
)

func main() { os.Exit(commandline.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
