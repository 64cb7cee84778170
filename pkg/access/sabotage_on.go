//go:build sabotage

package access

import "os"

// sabotaged has everybody see everything.
var sabotaged = os.Getenv("FRESHET_SABOTAGE") == "access"

// rolesSabotaged has everybody see what names roles, where a rule lets them.
var rolesSabotaged = os.Getenv("FRESHET_SABOTAGE") == "access-roles"

// sourceSabotaged has the rules that stand in sources hide nothing.
var sourceSabotaged = os.Getenv("FRESHET_SABOTAGE") == "access-source"
