package siege

import (
	"os"
	"testing"

	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/freshet/commandline"
)

// asProgram makes the test binary the freshet program when it is set.
const asProgram = "FRESHET_SIEGE_PROGRAM"

func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	if os.Getenv(asProgram) != "" {
		os.Exit(commandline.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
