package grep

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// What a request may ask for, and what holds where it asks for nothing.
const (
	maxContext       = 100
	defaultLimit     = 1000
	maxLimit         = 10_000
	defaultLineBytes = 4 << 10
	maxLineBytes     = 64 << 10
)

// job is a request that has been checked.
type job struct {
	pattern       *pattern
	show          string
	before, after int
	maxCount      int
	limit         int
	lineBytes     int
	maxBytes      int64
	room          int // bytes of an answer
}

// parse checks a request. Every error is an InvalidRequest that names what is
// wrong and what would be right.
func parse(in contract.GrepRequest, room int) (*job, error) {
	if len(in.Filter.Kinds) > 0 {
		return nil, document.Errorf(document.InvalidRequest, "kinds are of passages, and grep looks at lines: leave filter.kinds out")
	}
	j := &job{
		show: in.Show, before: in.Before, after: in.After, maxCount: in.MaxCount, limit: defaultLimit,
		lineBytes: defaultLineBytes, maxBytes: in.MaxBytes, room: room,
	}
	switch in.Show {
	case "":
		j.show = contract.GrepLines
	case contract.GrepLines, contract.GrepFiles, contract.GrepCounts:
	default:
		return nil, document.Errorf(document.InvalidRequest, "show is %q: choose lines, files or counts", in.Show)
	}
	if in.Limit != nil {
		j.limit = *in.Limit
	}
	if in.LineBytes != 0 {
		j.lineBytes = in.LineBytes
	}
	for _, n := range []struct {
		name        string
		value       int64
		least, most int64
	}{
		{"before", int64(in.Before), 0, maxContext},
		{"after", int64(in.After), 0, maxContext},
		{"max_count", int64(in.MaxCount), 0, 1 << 31},
		{"limit", int64(j.limit), 1, maxLimit},
		{"line_bytes", int64(j.lineBytes), 1, maxLineBytes},
		{"max_bytes", in.MaxBytes, 0, 1 << 50},
	} {
		if n.value < n.least || n.value > n.most {
			return nil, document.Errorf(document.InvalidRequest, "%s is %d: choose %d to %d", n.name, n.value, n.least, n.most)
		}
	}
	var err error
	j.pattern, err = compile(in)
	return j, err
}
