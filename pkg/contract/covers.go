package contract

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Cover is the version of a view that an output includes, and the hash of the
// content that this version had; the hash is empty where there is none.
type Cover struct {
	Version document.Version
	Hash    document.Hash
}

// Covers is what an output includes of each view of a path. It does not change:
// copies share what they hold, so it is safe for concurrent use. The zero Covers
// covers nothing.
type Covers struct {
	list []viewCover // by view; almost always one, for which a map takes 400 bytes
}

type viewCover struct {
	view  document.View
	cover Cover
}

// Covering returns what includes one view.
func Covering(view document.View, cover Cover) Covers { return Covers{[]viewCover{{view, cover}}} }

func (c Covers) find(view document.View) (int, bool) {
	return slices.BinarySearchFunc(c.list, view, func(o viewCover, v document.View) int { return strings.Compare(string(o.view), string(v)) })
}

// Find returns what is covered of a view, and whether anything is.
func (c Covers) Find(view document.View) (Cover, bool) {
	if i, ok := c.find(view); ok {
		return c.list[i].cover, true
	}
	return Cover{}, false
}

// At returns what is covered of a view, zero where nothing is.
func (c Covers) At(view document.View) Cover {
	cover, _ := c.Find(view)
	return cover
}

// With returns the same but for one view.
func (c Covers) With(view document.View, cover Cover) Covers {
	i, ok := c.find(view)
	if ok {
		list := slices.Clone(c.list)
		list[i].cover = cover
		return Covers{list}
	}
	list := make([]viewCover, 0, len(c.list)+1)
	list = append(append(append(list, c.list[:i]...), viewCover{view, cover}), c.list[i:]...)
	return Covers{list}
}

// All iterates over what is covered, by view.
func (c Covers) All() iter.Seq2[document.View, Cover] {
	return func(yield func(document.View, Cover) bool) {
		for _, o := range c.list {
			if !yield(o.view, o.cover) {
				return
			}
		}
	}
}

// Views returns the views of which something is covered, sorted.
func (c Covers) Views() []document.View {
	var out []document.View
	for _, o := range c.list {
		out = append(out, o.view)
	}
	return out
}

// Len is the number of views of which something is covered.
func (c Covers) Len() int { return len(c.list) }

// Equal reports whether both cover the same.
func (c Covers) Equal(other Covers) bool { return slices.Equal(c.list, other.list) }

// Includes reports whether every view of other is covered by c at the same or
// a newer version.
func (c Covers) Includes(other Covers) bool {
	for _, o := range other.list {
		if c.At(o.view).Version < o.cover.Version {
			return false
		}
	}
	return true
}

// Newest returns the highest version covered.
func (c Covers) Newest() document.Version {
	var n document.Version
	for _, o := range c.list {
		n = max(n, o.cover.Version)
	}
	return n
}

// Gone reports whether no view shows any content.
func (c Covers) Gone() bool {
	return !slices.ContainsFunc(c.list, func(o viewCover) bool { return o.cover.Hash != "" })
}

// String returns the header form: "view=version:hash", joined by ";", sorted.
func (c Covers) String() string {
	parts := make([]string, 0, len(c.list))
	for _, o := range c.list {
		parts = append(parts, EncodeView(o.view)+"="+strconv.FormatUint(uint64(o.cover.Version), 10)+":"+string(o.cover.Hash))
	}
	sort.Strings(parts)
	return strings.Join(parts, ";")
}

// ParseCovers reads the header form.
func ParseCovers(s string) (Covers, error) {
	if s == "" {
		return Covers{}, nil
	}
	var list []viewCover
	for part := range strings.SplitSeq(s, ";") {
		name, rest, ok1 := strings.Cut(part, "=")
		num, hash, ok2 := strings.Cut(rest, ":")
		n, err := strconv.ParseUint(num, 10, 64)
		if !ok1 || !ok2 || err != nil {
			return Covers{}, fmt.Errorf("%s: %q is not view=version:hash", HeaderCovers, part)
		}
		v, err := DecodeView(name)
		if err != nil {
			return Covers{}, fmt.Errorf("%s: %w", HeaderCovers, err)
		}
		list = append(list, viewCover{v, Cover{Version: document.Version(n), Hash: document.Hash(hash)}})
	}
	if len(list) == 1 {
		return Covers{list}, nil
	}
	// Whoever wrote it may name thousands, and some twice: the last one counts.
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b viewCover) int { return strings.Compare(string(a.view), string(b.view)) })
	return Covers{slices.CompactFunc(list, func(a, b viewCover) bool { return a.view == b.view })}, nil
}
