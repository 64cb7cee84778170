//go:build sabotage

package bus

import (
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// skipExpect publishes whatever the subject's last sequence is.
var skipExpect = os.Getenv("FRESHET_SABOTAGE") == "compare-and-swap"

// skipFloor lets late outputs of purged documents stand.
var skipFloor = os.Getenv("FRESHET_SABOTAGE") == "purge-floor"

var slowPublish = os.Getenv("FRESHET_FAULT") == "slow publish"

// stall holds up some publishes of workers, so that one with an older message
// comes after one with a newer message.
func stall(subject string) {
	if slowPublish && !strings.HasPrefix(subject, "freshet.files.") && rand.IntN(3) == 0 {
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
	}
}
