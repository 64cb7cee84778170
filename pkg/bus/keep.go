package bus

import (
	"strings"
	"unique"
)

// Every string of a head is a part of its message's subject or headers, and
// would keep the whole of them in memory for as long as a table has the head.

// few returns a string of which there are many, once.
func few[T ~string](s T) T { return T(unique.Make(string(s)).Value()) }

// own returns a string without what is around it in memory.
func own[T ~string](s T) T { return T(strings.Clone(string(s))) }
