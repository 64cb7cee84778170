package grep

import (
	"encoding/json"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

const (
	// mostRoom bounds an answer where the server would let more through: nobody
	// reads a megabyte of lines.
	mostRoom = 768 << 10
	// besides is what an answer holds beside its files.
	besides = 160 << 10
	// maxUnsearched is how many documents are listed that were not searched.
	maxUnsearched = 100
)

// roomIn is how many bytes of JSON the files of an answer may have.
func roomIn(payload int64) int { return int(max(min(mostRoom, payload-besides), 0)) }

// Seen is the sequence of FILES that the answer holds for.
func (g *Grep) Seen() uint64 { return g.seen }

// Reply makes the answer, but for what the log as a whole has to say.
func (g *Grep) Reply() (contract.GrepReply, error) {
	r := contract.GrepReply{
		Files: []contract.GrepFile{}, Searched: g.searched, Bytes: g.bytes, PassedOver: g.passed, Unindexed: g.unknown, Skipped: g.skipped,
		Scan: g.sieve.Off(),
	}
	for _, t := range g.textless {
		r.Skipped[t.why]++
	}
	left, listed := g.room, 0
	full := false
	for _, it := range g.kept.matches() {
		r.Matched++
		if g.show != contract.GrepFiles {
			r.Lines += it.count
		}
		if full || listed == g.limit {
			continue
		}
		f, n, size, err := g.file(it, g.limit-listed, left)
		if err != nil {
			return r, err
		}
		if n < 0 {
			full = true
			continue
		}
		r.Files = append(r.Files, f)
		listed, left = listed+n, left-size
		full = g.show == contract.GrepLines && n < it.count
	}
	r.More = r.Matched - listed
	if g.show == contract.GrepLines {
		r.More = r.Lines - listed
	}
	return r, g.listUnsearched(&r)
}

// file is a document of the answer with as many of its lines as fit: n of those
// that match, or 1 for the document where none are wanted; -1 where there is no
// room for it.
func (g *Grep) file(it *item, limit, room int) (f contract.GrepFile, n, size int, err error) {
	f = contract.GrepFile{Source: it.key.Source, View: it.key.View, Path: it.path, Version: it.version, Format: string(it.format)}
	if g.show != contract.GrepFiles {
		f.Count = it.count
	}
	if size, err = sizeOf(f); err != nil || size > room {
		return f, -1, 0, err
	}
	if g.show != contract.GrepLines {
		return f, 1, size, nil
	}
	end, last := 0, 0 // behind the last match with its context, and the match's line
	for _, line := range it.lines {
		bytes, err := sizeOf(line)
		if err != nil {
			return f, -1, 0, err
		}
		if !line.Context && n == limit || size+bytes > room {
			break
		}
		if f.Lines, size = append(f.Lines, line), size+bytes; !line.Context {
			n, last = n+1, line.Line
		}
		if n > 0 && line.Line <= last+g.after {
			end = len(f.Lines)
		}
	}
	f.Lines = f.Lines[:end]
	if n == 0 {
		return f, -1, 0, nil
	}
	return f, n, size, nil
}

// sizeOf is the bytes of a part of the answer, and the comma behind it.
func sizeOf(part any) (int, error) {
	js, err := json.Marshal(part)
	if err != nil {
		return 0, fmt.Errorf("encode a part of the answer: %w", err)
	}
	return len(js) + 1, nil
}

// listUnsearched says which documents the answer lacks.
func (g *Grep) listUnsearched(r *contract.GrepReply) error {
	all := g.kept.unsearched()
	r.Complete = len(all) == 0
	room := besides / 2
	for i, it := range all {
		u := contract.GrepUnsearched{Source: it.key.Source, View: it.key.View, Path: it.path, Version: it.version, Reason: it.reason}
		size, err := sizeOf(u)
		if err != nil {
			return err
		}
		if room -= size; i == maxUnsearched || room < 0 {
			r.MoreUnsearched = len(all) - i
			return nil
		}
		r.Unsearched = append(r.Unsearched, u)
	}
	return nil
}
