package contract

import (
	"slices"
	"strings"
)

// reserved are the beginnings of subjects that mean something to the server or
// the services. A request that asks for its answer on one of them would have a
// service write there with its own rights.
var reserved = []string{"freshet.", "$"}

// Reserved reports whether no answer may be sent to a subject.
func Reserved(subject string) bool {
	return strings.ContainsAny(subject, "*>") || slices.ContainsFunc(reserved, func(p string) bool { return strings.HasPrefix(subject, p) })
}
