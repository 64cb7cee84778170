//go:build sabotage

package grep

import "os"

// skipLookAgain takes what the log gives for what the heads named, and answers
// without holding it against them once more.
var skipLookAgain = os.Getenv("FRESHET_SABOTAGE") == "looked-again"
