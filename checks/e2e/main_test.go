// Package e2e proves the promises of freshet on the whole: real folders, real
// repositories made by git, and every service on a real log.
package e2e

import (
	"os"
	"testing"

	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/freshet/commandline"
)

// asProgram makes the test binary the freshet program when it is set, so that
// tests can kill a process that is built exactly like themselves.
const asProgram = "FRESHET_E2E_PROGRAM"

// forms are other programs that the test binary is when a variable is set.
var forms = map[string]func(value string, args []string) int{}

func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	for variable, run := range forms {
		if value := os.Getenv(variable); value != "" {
			os.Exit(run(value, os.Args[1:]))
		}
	}
	if os.Getenv(asProgram) != "" {
		os.Exit(commandline.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
