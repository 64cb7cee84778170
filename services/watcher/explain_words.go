package watcher

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
)

// letIn says which line lets a path in.
func (x *explanation) letIn(raw string, folder bool) string {
	if strings.ContainsAny(raw, "\n\r") {
		return "Rename it: no rule can name a path with a line break."
	}
	file := ignore.OwnFile
	if x.s.origin.Place.Kind == contract.SourceBare {
		return "To index it all the same, commit the line `" + exception(raw, folder) + "` in " + file + " at the top of the repository."
	}
	return "To index it all the same, put the line `" + exception(raw, folder) + "` into " + quoted(filepath.Join(x.s.origin.Place.Root, file)) + ", which wins."
}

// exception is the rule that lets exactly one path in.
func exception(raw string, folder bool) string {
	var b strings.Builder
	b.WriteString("!/")
	for i := range len(raw) {
		if strings.IndexByte(`*?[\`, raw[i]) >= 0 || raw[i] == ' ' && i == len(raw)-1 {
			b.WriteByte('\\')
		}
		b.WriteByte(raw[i])
	}
	if folder {
		b.WriteByte('/')
	}
	return b.String()
}

func version(h contract.FileHead) string { return strconv.FormatUint(uint64(h.Version), 10) }

// when is a moment as a person reads it, in the machine's own time.
func when(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// quoted makes a path readable on one line.
func quoted(path string) string { return string(document.EncodePath(path)) }

// printableRule makes a rule with odd bytes fit into JSON and onto a line.
func printableRule(rule string) string { return ignore.Printable(rule) }
