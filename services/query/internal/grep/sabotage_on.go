//go:build sabotage

package grep

import (
	"os"
	"time"
)

// skipLookAgain takes what the log gives for what the heads named, and answers
// without holding it against them once more.
var skipLookAgain = os.Getenv("FRESHET_SABOTAGE") == "looked-again"

// dawdle has the log move on between the heads and what is read by them, as it does by
// itself now and then.
func dawdle() {
	if skipLookAgain {
		time.Sleep(100 * time.Millisecond)
	}
}
