package vulture

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// outlining is a question for what a document defines, or a folder holds.
type outlining struct {
	request contract.OutlineRequest
	reply   contract.OutlineReply
}

// maxEntries is how many entries an outline asks for: the most there is, so that what
// is not listed is not there.
const maxEntries = 2000

// outlineOf asks for the outline of a document, or of the folder that it lies in.
func outlineOf(q question, at spot, view document.View, folder bool, within time.Duration) *outlining {
	r := contract.OutlineRequest{Source: at.source, Path: at.path, View: view, Limit: maxEntries, Token: tokenOf(q), DeadlineMS: int(within / time.Millisecond)}
	if folder {
		r.Path = document.Path(path.Dir(string(at.path)))
	}
	return &outlining{request: r}
}

func (d *outlining) name() string { return "outline" }

// reserve is what the service keeps of a deadline for the answer itself: one that waited
// until then waited as long as it may.
const reserve = 200 * time.Millisecond

func (d *outlining) String() string { return "outline of " + string(d.request.Path) }

func (d *outlining) ask(ctx context.Context, nc *nats.Conn, a *answer) (err error) {
	d.reply, err = client.Outline.Ask(ctx, nc, d.request)
	a.reply.Token, a.reply.Degraded = d.reply.Token, d.reply.Degraded
	return err
}

func (d *outlining) spot() spot { return spot{d.request.Source, d.request.Path} }

func (d *outlining) given(answer) []leaf { return nil }

func (d *outlining) judged(j *judge, a answer) {
	j.backwards(a)
	if d.reply.Folder != nil {
		d.folder(j, a)
		return
	}
	j.count(func(r *Report) { r.Outlined++ })
	o := d.reply.Document
	if o == nil || o.Path != d.request.Path || o.Source != d.request.Source {
		j.add(a.violation(Ghost, d.spot(), "the document that was asked for", d.describe()))
		return
	}
	var content []byte // of the answer
	right := j.showsOf(a, d.spot(), o.Version, d.describe(), func(c []byte) bool {
		if o.Hash != document.HashOf(c) || o.Size != int64(len(c)) || o.Total != len(linesOf(c)) {
			return false
		}
		content = c
		return true
	})
	switch {
	case !right:
	case !o.Uncut:
		d.definitions(j, a, content)
	case uint64(o.Version) <= a.token.Seq && a.arrived.Sub(a.sent) < a.allows(j.cfg.Deadline)-reserve && j.hurried(a): // a newer one need not be cut for the token
		j.add(a.violation(Late, d.spot(), "the passages of the version, as the question has a token", d.describe()))
	default:
		j.count(func(r *Report) { r.Uncut++ })
	}
}

// definitions checks that what is named stands at the lines that are named for it in
// the content of the answer, and that nothing of the kind is left out.
func (d *outlining) definitions(j *judge, a answer, content []byte) {
	lines := linesOf(content)
	named := map[string]int{}
	for _, e := range d.reply.Document.Entries {
		j.count(func(r *Report) { r.Defined++ })
		named[e.Name]++
		if e.StartLine < 1 || e.EndLine < e.StartLine || e.EndLine > len(lines) || !bytes.Contains(bytes.Join(lines[e.StartLine-1:e.EndLine], nil), []byte(e.Name)) {
			j.add(a.violation(WrongLines, d.spot(), fmt.Sprintf("%s in version %d at the lines %d to %d of %d", e.Name, d.reply.Document.Version, e.StartLine, e.EndLine, len(lines)), d.describe()))
			return
		}
	}
	for _, m := range defines.FindAllSubmatch(content, -1) {
		if name := string(m[1]); named[name] == 0 && d.reply.More == 0 {
			j.add(a.violation(Missing, d.spot(), fmt.Sprintf("%s, which version %d defines", name, d.reply.Document.Version), d.describe()))
			return
		}
	}
}

// defines finds what documents of the vulture define by a word of their own.
var defines = regexp.MustCompile(`(?m)^(?:func|def) (q(?:[bdgklmnprtvz][aiou]){6}x)\(`)

// folder checks that what is listed is there, and that what is there is listed.
func (d *outlining) folder(j *judge, a answer) {
	j.count(func(r *Report) { r.Folders++ })
	seq, listed := a.reply.Token.Seq, map[spot]bool{}
	for _, e := range d.reply.Folder.Entries {
		at := spot{e.Source, e.Path}
		if listed[at] {
			j.add(a.violation(Duplicate, at, "each entry once", d.describe()))
		}
		listed[at] = true
		if !j.ours(e.Source, e.Path) || e.Documents > 0 {
			continue
		}
		contents, _ := j.world.possible(at, seq, seq, a.arrived)
		size := func(c []byte) bool { return int64(len(c)) == e.Size }
		switch {
		case len(contents) == 0:
			j.add(a.violation(Ghost, at, "no entry: the path did not exist", fmt.Sprintf("%d bytes, %s", e.Size, e.Skipped)))
		case !slices.ContainsFunc(contents, size):
			j.add(a.violation(Stale, at, fmt.Sprintf("the size of one of %d contents that were possible", len(contents)), fmt.Sprintf("%d bytes, %s", e.Size, e.Skipped)))
		}
	}
	if d.reply.More > 0 {
		return
	}
	for _, at := range j.world.spots() {
		if at.source != d.request.Source || path.Dir(string(at.path)) != string(d.request.Path) || listed[at] {
			continue
		}
		if _, absent := j.world.possible(at, seq, seq, a.arrived); !absent {
			j.add(a.violation(Missing, at, "an entry of the folder", d.describe()))
		}
	}
}

// refused: what is not there is told so. A folder is gone with all that was in it.
func (d *outlining) refused(j *judge, a answer) bool {
	if document.KindOf(a.err) != document.NotFound {
		return false
	}
	for _, at := range j.world.spots() {
		if at.source == d.request.Source && path.Dir(string(at.path)) == string(d.request.Path) {
			if _, absent := j.world.possible(at, max(a.floor, a.token.Seq), until, a.arrived); !absent {
				j.add(a.violation(Missing, at, "a folder that has it", a.err.Error()))
			}
			return true // it was a folder
		}
	}
	return j.saidGone(a, d.spot())
}

func (d *outlining) describe() string {
	o := d.reply.Document
	if o == nil {
		return fmt.Sprintf("%d entries and %d more", len(d.reply.Folder.Entries), d.reply.More)
	}
	out := fmt.Sprintf("%s with %d bytes (%.12s), version %d, uncut %t", o.Path, o.Size, o.Hash, o.Version, o.Uncut)
	for _, e := range o.Entries[:min(len(o.Entries), 20)] {
		out += fmt.Sprintf("; %s %d-%d", e.Name, e.StartLine, e.EndLine)
	}
	return out
}
