package scan

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/watcher/internal/beneath"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
)

// stableTries is how often a file is read that changes under the reader, with
// growing pauses of 5 to 80 ms between.
const stableTries = 6

// errGrew is what reading a file ends with that became longer than its size.
var errGrew = errors.New("the file grew while it was read")

// read reads a regular file until its size and times are the same before and
// after, and decides by its content.
func (d *Disk) read(ctx context.Context, raw string, f Finding, known contract.FileHead, named bool, park Parker) (Finding, error) {
	for try := range stableTries {
		out, stable, err := d.readOnce(ctx, raw, f, known, named, park)
		if err != nil {
			return d.unreachable(f, raw, known, err)
		}
		if stable {
			return out, nil
		}
		d.Budget.Give(out.Weight)
		select {
		case <-time.After(5 * time.Millisecond << try):
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
	f.Kind = Unstable
	return f, nil
}

func (d *Disk) readOnce(ctx context.Context, raw string, f Finding, known contract.FileHead, named bool, park Parker) (out Finding, stable bool, err error) {
	begun := time.Now()
	if d.Reads != nil {
		d.Reads.Add(1)
	}
	// It may have become a pipe since lstat, or a link that leads out of the
	// root, or one may have taken the place of a directory above it.
	file, err := beneath.Open(d.Root, raw)
	if errors.Is(err, syscall.ELOOP) {
		return f.Skipped(classify.SymLink, known), true, nil
	}
	if errors.Is(err, syscall.ENXIO) {
		return f.Skipped(classify.Socket, known), true, nil
	}
	if err != nil {
		return f, false, err
	}
	defer func() { _ = file.Close() }() // only read
	before, err := file.Stat()
	if err != nil {
		return f, false, err
	}
	if before.IsDir() {
		f.Kind = Dir
		return f, true, nil
	}
	if r := classify.FromMode(before.Mode()); r != "" {
		return f.Skipped(r, known), true, nil
	}
	f.stat(before)
	// It may be another file than the one that was looked at.
	if former := d.Linked.note(raw, f.ID, f.Links); former != (ID{}) {
		f.Former = former
	}
	if limit := format.Limit(f.Path, d.Limit); f.Size > limit {
		return f.Skipped(classify.TooLarge(limit), known), true, nil
	}
	if f.Weight, err = d.Budget.Take(ctx, f.Size, park); err != nil {
		return f, false, err
	}
	release := func() {
		d.Budget.Give(f.Weight)
		f.Weight = 0
	}
	content, reason, err := readContent(file, f, named)
	if errors.Is(err, errGrew) {
		return f, false, nil
	}
	if err != nil {
		release()
		return f, false, err
	}
	after, err := file.Stat()
	if err != nil {
		release()
		return f, false, err
	}
	now := f
	if now.stat(after); now.Size != f.Size || !now.Modified.Equal(f.Modified) || !now.Changed.Equal(f.Changed) {
		return f, false, nil
	}
	if reason != "" {
		release()
		if f = f.Skipped(reason, known); f.Kind == Same {
			d.Memory.note(f, begun, known.Version)
		}
		f.Changed = settled(f.Changed, begun)
		return f, true, nil
	}
	f.Hash = document.HashOf(content)
	if known.Op == contract.OpPut && known.Hash == f.Hash && known.Collection == f.Collection {
		release()
		d.Memory.note(f, begun, known.Version)
		return f, true, nil
	}
	f.Kind, f.Content, f.Changed = Put, content, settled(f.Changed, begun)
	return f, true, nil
}

// readContent reads the text of a file of f.Size bytes. A file that its first bytes rule
// out is not read further.
func readContent(file *os.File, f Finding, named bool) ([]byte, classify.Reason, error) {
	content := make([]byte, f.Size)
	head := content[:min(len(content), classify.SniffBytes)]
	if err := fill(file, head); err != nil {
		return nil, "", err
	}
	if r := classify.Head(f.Path, head, named); r != "" {
		return nil, r, nil
	}
	if err := fill(file, content[len(head):]); err != nil {
		return nil, "", err
	}
	// One byte more would mean that the file grew.
	if n, err := file.Read(make([]byte, 1)); n > 0 {
		return nil, "", errGrew
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	content, reason := classify.Text(f.Path, f.Collection, content, named)
	return content, reason, nil
}

// fill reads len(b) bytes; a file that is shorter by now is as unstable as one
// that grew.
func fill(file *os.File, b []byte) error {
	_, err := io.ReadFull(file, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errGrew
	}
	return err
}
