package speed

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Indexing is what it took to make a tree searchable in both sinks.
type Indexing struct {
	Documents int     `json:"documents"`
	Chunks    int     `json:"chunks"`
	TextBytes int64   `json:"text_bytes"`
	Seconds   float64 `json:"seconds"` // from the start of the process to ready
	// Reference is the time to read and hash the same files, in seconds.
	Reference float64 `json:"reference_s"`
	Stages    []Span  `json:"stages"`
	// Peak is the sum of the peaks of all processes, Together the highest sum
	// of one sample; both in bytes of resident memory.
	Peak      uint64                       `json:"peak_bytes"`
	Together  uint64                       `json:"peak_together_bytes"`
	Processes []Process                    `json:"processes"`
	Disk      []Part                       `json:"disk"`
	DiskTotal int64                        `json:"disk_bytes"`
	Counters  map[string]map[string]uint64 `json:"counters"`

	streams map[string]contract.StreamInfo
}

// Process is one process of the program: its processor time in seconds, its
// peak of resident memory in bytes, and what that was made of when it was
// sampled at its largest.
type Process struct {
	Name      string  `json:"name"`
	CPU       float64 `json:"cpu_s"`
	Peak      uint64  `json:"peak_bytes"`
	Anonymous uint64  `json:"anonymous_bytes"`
	File      uint64  `json:"file_bytes"`
}

// Part is one part of a sum in bytes. Live is how much of it is not waiting
// to be compacted, where that is known.
type Part struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Live  int64  `json:"live_bytes,omitempty"`
}

// measureIndexing describes the state of a program that has just become
// ready.
func measureIndexing(ctx context.Context, r *running) (Indexing, error) {
	use := r.Usage()
	st, err := r.status(ctx)
	if err != nil {
		return Indexing{}, err
	}
	out := Indexing{
		Documents: st.Documents, Chunks: st.Chunks, Seconds: r.ready.Seconds(),
		Peak: use.Peak, Together: use.Together, Counters: countersOf(st),
	}
	for _, u := range use.Processes {
		out.Processes = append(out.Processes, Process{Name: u.Name, CPU: u.CPU.Seconds(), Peak: u.Peak, Anonymous: u.Anonymous, File: u.File})
	}
	if out.Stages, err = r.spans(ctx, r.Started()); err != nil {
		return Indexing{}, err
	}
	out.streams = st.Streams
	files, err := r.indexedFiles(ctx, st)
	if err != nil {
		return Indexing{}, err
	}
	total, took, err := system.ReadAndHash(files)
	if err != nil {
		return Indexing{}, err
	}
	out.TextBytes, out.Reference = total, took.Seconds()
	return out, nil
}

// indexedFiles returns the files whose content the log holds, by its heads.
func (c *instance) indexedFiles(ctx context.Context, st contract.StatusReply) ([]string, error) {
	roots := map[document.Source]string{}
	for _, s := range st.Sources {
		roots[s.Source] = s.Root
	}
	heads, err := c.heads(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(heads))
	for _, h := range heads {
		out = append(out, filepath.Join(roots[h.Source], filepath.FromSlash(h.Path.Raw())))
	}
	return out, nil
}

// heads returns the heads of all documents with content, in the order of
// their versions.
func (c *instance) heads(ctx context.Context) ([]contract.FileHead, error) {
	table := c.bus.Files()
	if err := table.Ready(ctx); err != nil {
		return nil, fmt.Errorf("read the heads of %s: %w", contract.StreamFiles, err)
	}
	var out []contract.FileHead
	table.Range(func(_ bus.FileKey, h contract.FileHead) bool {
		if h.Op == contract.OpPut {
			out = append(out, h)
		}
		return true
	})
	slices.SortFunc(out, func(a, b contract.FileHead) int { return cmp.Compare(a.Version, b.Version) })
	return out, nil
}

// countersOf returns the counters of every service, by its name.
func countersOf(st contract.StatusReply) map[string]map[string]uint64 {
	out := map[string]map[string]uint64{}
	for _, r := range st.Reports {
		sum := out[r.Service]
		if sum == nil {
			sum = map[string]uint64{}
			out[r.Service] = sum
		}
		for name, n := range r.Counters {
			sum[name] += n
		}
	}
	return out
}

// measureDisk says what the state folder is made of. The program must have
// ended, so that its stores have written everything.
func (x *Indexing) measureDisk(data string) error {
	sizes, err := system.DiskUse(data, diskPart)
	if err != nil {
		return err
	}
	for _, n := range sizes {
		x.DiskTotal += n
	}
	take := func(name string, live uint64) {
		if n, ok := sizes[name]; ok {
			x.Disk = append(x.Disk, Part{Name: name, Bytes: n, Live: int64(live)})
			delete(sizes, name)
		}
	}
	for _, stream := range contract.Streams {
		take(stream, x.streams[stream].Bytes)
	}
	for _, name := range []string{"claim check and buckets", "lexical store", "vector store", "consumers"} {
		take(name, 0)
	}
	var rest int64
	for _, n := range sizes {
		rest += n
	}
	x.Disk = append(x.Disk, Part{Name: "other", Bytes: rest})
	return nil
}

// diskPart names the part that a file of the state folder belongs to:
// log/jetstream/<account>/streams/<stream>/… and
// stores/<generation>/<sink>[-<signature>]/….
func diskPart(rel string) string {
	parts := strings.Split(rel, "/")
	switch {
	case len(parts) > 5 && parts[0] == "log" && parts[3] == "streams":
		if parts[5] == "obs" {
			return "consumers"
		}
		if strings.HasPrefix(parts[4], "KV_") || strings.HasPrefix(parts[4], "OBJ_") {
			return "claim check and buckets"
		}
		return parts[4]
	case len(parts) > 3 && parts[0] == "stores":
		sink, _, _ := strings.Cut(parts[2], "-")
		return sink + " store"
	}
	return "other"
}
