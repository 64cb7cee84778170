// Package commandline is the command line as a function, for its main package and for
// tests that are the program when they are started as it.
package commandline

import (
	"os"

	"github.com/freshet-dev/freshet/services/freshet/internal/cli"
)

// Run executes one command line, and returns the exit code of the process.
// Interrupt and termination signals end the command.
func Run(args []string, stdin, stdout, stderr *os.File) int {
	return cli.Run(args, stdin, stdout, stderr)
}
