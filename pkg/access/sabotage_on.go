//go:build sabotage

package access

import "os"

// sabotaged has everybody see everything.
var sabotaged = os.Getenv("FRESHET_SABOTAGE") == "access"
