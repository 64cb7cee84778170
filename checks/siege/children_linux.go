package siege

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// children are the processes that a process has started: the parsers.
func children(pid int) []int {
	lists, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	if err != nil {
		return nil
	}
	var out []int
	for _, list := range lists {
		raw, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for field := range strings.FieldsSeq(string(raw)) {
			if child, err := strconv.Atoi(field); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}
