//go:build sabotage

package scan

import "os"

var relyOnTimes = os.Getenv("FRESHET_SABOTAGE") == "change-time"
