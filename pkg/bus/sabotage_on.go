//go:build sabotage

package bus

import (
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"
)

// skipExpect publishes whatever the subject's last sequence is.
var skipExpect = os.Getenv("FRESHET_SABOTAGE") == "compare-and-swap"

// skipFloor lets late outputs of purged documents stand.
var skipFloor = os.Getenv("FRESHET_SABOTAGE") == "purge-floor"

var slowPublish = os.Getenv("FRESHET_FAULT") == "slow publish"

var lateWorker = os.Getenv("FRESHET_FAULT") == "late worker"

// lateBy is how long a worker hangs that found no output of a document: long enough
// for it to be deleted meanwhile, and for a purge, which waits for purgeGrace.
const lateBy = 4 * purgeGrace

// hanging is held by the worker that hangs, and for a while afterwards: the others go
// on, and so does what it held up.
var hanging sync.Mutex

// stall holds up some publishes of workers, so that one with an older message
// comes after one with a newer message.
func stall(subject string, expect uint64) {
	if lateWorker && expect == 0 && strings.HasPrefix(subject, "freshet.chunks.") && rand.IntN(4) == 0 && hanging.TryLock() {
		time.Sleep(lateBy)
		time.AfterFunc(lateBy/2, hanging.Unlock)
	}
	if slowPublish && !strings.HasPrefix(subject, "freshet.files.") && rand.IntN(3) == 0 {
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
	}
}
