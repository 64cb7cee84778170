//go:build sabotage

package watcher

import "os"

var skipNames = os.Getenv("FRESHET_SABOTAGE") == "names"
