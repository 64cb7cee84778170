// Command freshet-mcp lets an agent ask the running freshet over the Model Context
// Protocol, on standard input and output. `freshet mcp` runs it.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/mcpserver"
)

func main() { os.Exit(mcpserver.Main(os.Args[1:], os.Stderr)) }
