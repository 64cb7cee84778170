//go:build sabotage

package indexer

import "os"

// skipDelete leaves the difference's deletes out.
var skipDelete = os.Getenv("FRESHET_SABOTAGE") == "delete"
