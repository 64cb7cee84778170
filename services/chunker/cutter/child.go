package cutter

import (
	"fmt"
	"io"
	"os"

	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/chunker/internal/parser"
)

// ChildArgument is the first argument of a process that is a parser child.
const ChildArgument = parser.Argument

// Child answers requests of a chunker until stdin ends. It uses stdin
// and stdout for nothing else, and ends the process when its parent is gone.
func Child(stdin io.Reader, stdout io.Writer) error { return parser.Serve(stdin, stdout) }

// ChildOrReturn returns at once in a process that is no parser child, and
// never in one: it answers until stdin ends, and ends the process. A program
// that runs a chunker calls it first.
func ChildOrReturn() {
	if len(os.Args) < 2 || os.Args[1] != ChildArgument {
		return
	}
	if err := Child(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "parser child:", err)
		os.Exit(process.ExitError)
	}
	os.Exit(process.ExitDone)
}
