// Package scan compares files on disk with what is known of them. It tells
// what a path is now, and reads only what may have changed.
package scan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
)

// Kind says what was found at a path.
type Kind int

// The kinds of finding.
const (
	Same     Kind = iota // what is known is still true
	Put                  // content that differs from what is known
	Skip                 // known but not indexed, for a reason that is new
	Gone                 // nothing is there, or nothing that counts
	Dir                  // a directory: its entries have to be asked
	Unstable             // it kept changing while it was read: look again later
)

// Finding is the state of one path.
type Finding struct {
	Kind       Kind
	Path       document.Path
	Collection document.Collection
	Reason     classify.Reason // of Skip; of Gone, why an existing path does not count
	Content    []byte          // of Put
	Hash       document.Hash   // of Put
	Size       int64           // bytes
	Modified   time.Time
	ID                // of the file
	Links      uint64 // names of the file
	// Former is the file that the path named at the last look, where that is
	// another one and had several names; zero else.
	Former ID
	// Changed is the change time. Of what is to be published it is zero where a
	// later change could have the same one.
	Changed time.Time
	Blob    string // git object id, where the truth is a git tree
	// Metadata is what was put with the document, where the truth is a request.
	Metadata document.PackedMetadata
	// Weight is what was taken from the budget for Content, in bytes. Whoever
	// holds the finding gives it back.
	Weight int64
}

// Disk examines the files below a root. It is safe for concurrent use.
type Disk struct {
	Root  string // absolute
	Rules *ignore.Set
	// Limit is the size in bytes above which a file is skipped.
	Limit int64
	// Budget bounds the content in memory, in bytes.
	Budget *Budget
	Memory *Memory
	// Systems are those that the files lie on; may be nil.
	Systems *Systems
	// Linked learns which files have several names; may be nil.
	Linked *Links
	// Reads counts the files that are opened to be read; may be nil.
	Reads *atomic.Uint64
	// Always hashes, whatever size and times say.
	Always bool
	// Trusting relies on times whatever file system they come from.
	Trusting bool
	// StatOnly goes by name, type and size alone: a Put then has no content, and
	// may turn out to be none.
	StatOnly bool
	// Collection says which collection a path belongs to; nil: classify.Collection.
	Collection func(document.Path) document.Collection
	// Pruned, if set, is told by Walk of every directory that a rule leaves
	// out as a whole.
	Pruned func(raw string, dec ignore.Decision)
}

func (d *Disk) collection(p document.Path) document.Collection {
	if d.Collection == nil {
		return classify.Collection(p)
	}
	return d.Collection(p)
}

// Budget bounds the bytes of content that are held at once.
type Budget struct {
	sem *semaphore.Weighted
	max int64
}

// NewBudget returns a budget of n bytes.
func NewBudget(n int64) *Budget { return &Budget{semaphore.NewWeighted(n), n} }

// Parker is told before a wait, so that its owner lets go of what it holds
// back, and that the wait is over by the function that it returns.
type Parker func() (done func())

// Take waits for n bytes. It returns what was taken, which is less than n only
// if the whole budget is smaller.
func (b *Budget) Take(ctx context.Context, n int64, park Parker) (int64, error) {
	n = min(n, b.max)
	if b.sem.TryAcquire(n) {
		return n, nil
	}
	if park != nil {
		defer park()()
	}
	if err := b.sem.Acquire(ctx, n); err != nil {
		return 0, err
	}
	return n, nil
}

// Give returns n bytes.
func (b *Budget) Give(n int64) {
	if n > 0 {
		b.sem.Release(n)
	}
}

// Look returns the state of a candidate against what is known of it: the zero
// head where nothing is. park is told of waits for the budget. An error means
// that the state cannot be told now, for example because a disk fails; what is
// known must then stand.
func (d *Disk) Look(ctx context.Context, c Candidate, known contract.FileHead, park Parker) (Finding, error) {
	raw := c.Raw
	f := Finding{Path: document.EncodePath(raw)}
	if raw != "" && !filepath.IsLocal(raw) {
		f.Kind = Gone // a bare repository may name such paths, a folder cannot
		return f, nil
	}
	if damaged(c.Err) {
		return f, c.Err // of a directory: what is known below it stands
	}
	if c.Err != nil {
		return d.unreachable(f, raw, known, c.Err)
	}
	if !c.Walked && d.behindLink(raw) {
		f.Kind, f.Former = Gone, d.Linked.note(raw, ID{}, 0)
		return f, nil
	}
	full := filepath.Join(d.Root, filepath.FromSlash(raw))
	info, err := os.Lstat(full)
	if err != nil {
		f.Former = d.Linked.note(raw, ID{}, 0)
		return d.unreachable(f, raw, known, err)
	}
	f.Collection = d.collection(f.Path)
	f.stat(info)
	if !info.Mode().IsRegular() {
		f.Links = 0 // of a directory it counts what is in it
	}
	f.Former = d.Linked.note(raw, f.ID, f.Links)
	if info.IsDir() {
		return d.dir(f, raw, known), nil
	}
	var dec ignore.Decision
	if f.Path != document.AccessFile { // no rule leaves that out
		dec = d.Rules.Decide(raw, false)
	}
	if dec.Ignored && dec.Class != ignore.ClassSecret {
		f.Kind, f.Reason = Gone, classify.Reason(dec.Reason())
		return f, nil
	}
	reason := d.byName(f, info, dec)
	if reason != "" {
		return f.Skipped(reason, known), nil
	}
	if !d.Always && (!c.Named || relyOnTimes) && d.unchanged(full, f, known) {
		return f, nil
	}
	if d.StatOnly {
		f.Kind = Put
		return f, nil
	}
	return d.read(ctx, raw, f, known, dec.Named, park)
}

// Enterable reports whether raw is a directory whose entries count.
func (d *Disk) Enterable(raw string) bool {
	if raw == "" {
		return true
	}
	if d.behindLink(raw) {
		return false
	}
	info, err := os.Lstat(filepath.Join(d.Root, filepath.FromSlash(raw)))
	return err == nil && info.IsDir() && !d.Rules.Dir(raw).Self().Ignored
}

// behindLink reports whether a parent of raw is a symbolic link: what lies
// behind it belongs to another place, or is in the tree under its own name.
func (d *Disk) behindLink(raw string) bool {
	for i := range len(raw) {
		if raw[i] != '/' {
			continue
		}
		info, err := os.Lstat(filepath.Join(d.Root, filepath.FromSlash(raw[:i])))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// byName returns the reason that path, type and size alone give.
func (d *Disk) byName(f Finding, info fs.FileInfo, dec ignore.Decision) classify.Reason {
	if dec.Class == ignore.ClassSecret {
		return classify.SecretName(dec.Rule)
	}
	if r := classify.FromMode(info.Mode()); r != "" {
		return r
	}
	if r := classify.Name(f.Path); r != "" {
		return r
	}
	if limit := format.Limit(f.Path, d.Limit); f.Size > limit {
		return classify.TooLarge(limit)
	}
	return ""
}

func (d *Disk) dir(f Finding, raw string, known contract.FileHead) Finding {
	switch self := d.Rules.Dir(raw).Self(); {
	case raw == "" || !self.Ignored:
		f.Kind = Dir
	case self.Class == ignore.ClassNested && !d.Rules.Decide(raw, true).Ignored:
		return f.Skipped(classify.Submodule, known)
	default:
		f.Kind, f.Reason = Gone, classify.Reason(self.Reason())
	}
	return f
}

// unreachable sorts the errors of lstat and open.
func (d *Disk) unreachable(f Finding, raw string, known contract.FileHead, err error) (Finding, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, syscall.ENAMETOOLONG) && !d.tooDeep(raw):
		f.Kind = Gone
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENAMETOOLONG),
		known.Op != contract.OpPut && damaged(err):
		f.Collection = d.collection(f.Path)
		f = f.Skipped(classify.Unreadable(err), known)
	default:
		return f, err
	}
	return f, nil
}

// damaged reports whether an error is about this one file. Content that is
// known outlives it, because a disk may come back.
func damaged(err error) bool {
	for _, e := range []error{syscall.EIO, syscall.ENXIO, syscall.ENODEV, syscall.EINVAL, syscall.EOVERFLOW} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// tooDeep reports whether something is there although its path is longer than
// the system takes.
func (d *Disk) tooDeep(raw string) bool {
	root, err := os.OpenRoot(d.Root)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }() // only a handle
	_, err = root.Lstat(raw)
	return err == nil
}

// unchanged is the shortcut: size, times and inode are those of the last look
// at the content. Everything but the change time can be put back by whoever
// may write, and an inode is handed out again.
func (d *Disk) unchanged(full string, f Finding, known contract.FileHead) bool {
	switch known.Op {
	case contract.OpPut:
		if known.Collection != f.Collection {
			return false
		}
	case contract.OpSkipped:
		if !FromContent(known.Reason) {
			return false
		}
	default:
		return false
	}
	same := known.Size == f.Size && known.Inode == f.Inode && known.Modified.Equal(f.Modified) &&
		(relyOnTimes || !known.Changed.IsZero() && known.Changed.Equal(f.Changed))
	return (same || d.Memory.holds(f, known.Version)) && (d.Trusting || d.Systems.reliable(f.Device, full))
}

// FromContent reports whether a reason came from reading the file, so that it
// stands as long as the file does.
func FromContent(reason string) bool {
	switch classify.Reason(reason) {
	case classify.Binary, classify.Minified, classify.LongLines, classify.LFSPointer, classify.PrivateKey:
		return true
	default: // told by name, type or size, which are looked at every time
		return false
	}
}

// Skipped turns f into a finding for a reason, unless that is what is known.
func (f Finding) Skipped(reason classify.Reason, known contract.FileHead) Finding {
	f.Kind, f.Reason = Skip, reason
	if known.Op == contract.OpSkipped && known.Reason == string(reason) {
		f.Kind = Same
	}
	return f
}

func (f *Finding) stat(info fs.FileInfo) {
	f.Size, f.Modified = info.Size(), info.ModTime()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.ID, f.Links, f.Changed = fileID(st), uint64(st.Nlink), changeTime(st) //nolint:unconvert // narrower on other machines
	}
}
