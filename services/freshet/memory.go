package freshet

import (
	"os"
	"runtime/debug"

	"github.com/freshet-dev/freshet/pkg/config"
)

// collectAt is the growth of the heap in percent at which it is collected.
// Most of what a bulk load allocates dies at once; less than half of Go's default costs
// a few percent of its time and saves a third of the program's memory.
const collectAt = 40

// limitGarbage sets collectAt, unless the user has set GOGC.
func limitGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
}

// limitMemory has the program stay below most, where it can: it collects its
// garbage more often as it comes near. 0 sets no limit, and GOMEMLIMIT wins.
func limitMemory(most config.Size) {
	if most > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(most))
	}
}
