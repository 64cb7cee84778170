package freshet

import (
	"os"
	"runtime/debug"

	"github.com/freshet-dev/freshet/pkg/config"
)

// limitMemory has the program stay below most, where it can: it collects its
// garbage more often as it comes near. 0 sets no limit, and GOMEMLIMIT wins.
func limitMemory(most config.Size) {
	if most > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(most))
	}
}
