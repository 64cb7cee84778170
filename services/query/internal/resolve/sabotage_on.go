//go:build sabotage

package resolve

import "os"

// skipResolve shows what a sink finds without holding it against the log.
var skipResolve = os.Getenv("FRESHET_SABOTAGE") == "resolution"

// skipUnseen takes plain lines for shown of which a part is.
var skipUnseen = os.Getenv("FRESHET_SABOTAGE") == "pending-lines"
