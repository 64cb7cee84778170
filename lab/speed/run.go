package speed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// seed makes two runs edit and ask the same.
const seed = 20

// Report is everything that one run measured. Fields of a part that was not
// reached are zero.
type Report struct {
	Dir      string   `json:"dir"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Cores    int      `json:"cores"`
	Loads    []LoadAt `json:"load_average"`
	Indexing Indexing `json:"indexing"`
	Idle     Queries  `json:"queries_idle"`
	Busy     Queries  `json:"queries_while_indexing"`
	Restart  Restart  `json:"restart"`
	Edits    Edits    `json:"edits"`
	Push     Push     `json:"push"`
	Stop     float64  `json:"stop_ms"` // from the interrupt to the end of the process
}

// LoadAt is the machine's load average over one minute when a part began.
type LoadAt struct {
	Part string  `json:"part"`
	Load float64 `json:"load"`
}

// Restart is a second start on an unchanged state.
type Restart struct {
	Seconds  float64                      `json:"seconds"` // to ready
	Chunked  uint64                       `json:"chunked"`
	Embedded uint64                       `json:"embedded"`
	Counters map[string]map[string]uint64 `json:"counters"`
}

// Edits are delays from the return of write() to INDEXED of both sinks.
type Edits struct {
	Files    int     `json:"files"`
	Debounce float64 `json:"debounce_ms"`
	Idle     Spread  `json:"idle"`
	Busy     Spread  `json:"during_bulk_load"`
}

// Run measures everything and says on progress what it is doing. All temporary
// state lies in one folder that is removed at the end. The report holds what
// was measured before an error.
func Run(ctx context.Context, cfg Config, progress io.Writer) (rep Report, err error) {
	scratch, err := os.MkdirTemp(cfg.Scratch, "freshet-bench-")
	if err != nil {
		return Report{}, fmt.Errorf("make a folder for temporary state: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	cfg.Scratch = scratch
	r := &run{cfg: cfg, progress: progress, rep: Report{Dir: cfg.Dir, OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU()}}
	err = r.tree(ctx)
	if err == nil {
		err = r.changes(ctx)
	}
	return r.rep, err
}

type run struct {
	cfg      Config
	progress io.Writer
	rep      Report
}

// begin notes the load at the start of a part.
func (r *run) begin(part string) {
	load, err := system.Load()
	if err != nil {
		load = -1
	}
	r.rep.Loads = append(r.rep.Loads, LoadAt{Part: part, Load: load})
	_, _ = fmt.Fprintf(r.progress, "%s  %s (load %.2f)\n", time.Now().Format(time.TimeOnly), part, load)
}

func always() bool { return true }

// tree measures on the large tree: indexing, queries, restart.
func (r *run) tree(ctx context.Context) (err error) {
	data := filepath.Join(r.cfg.Scratch, "state")
	r.begin("index the tree")
	p, err := start(ctx, r.cfg, data, r.cfg.Dir)
	if err != nil {
		return err
	}
	running := true
	defer func() {
		if running {
			_, serr := p.stop()
			err = errors.Join(err, serr)
		}
	}()
	if r.rep.Indexing, err = measureIndexing(ctx, p); err != nil {
		return err
	}
	a, err := newAsker(ctx, p.instance, r.cfg.Queries)
	if err != nil {
		return err
	}
	r.begin("queries, idle")
	if r.rep.Idle, err = a.measure(ctx, r.cfg.Queries, always); err != nil {
		return err
	}

	r.begin("restart without changes")
	running = false
	took, err := p.stop()
	if err != nil {
		return err
	}
	r.rep.Stop = milliseconds(took)
	if err := r.rep.Indexing.measureDisk(data); err != nil {
		return err
	}
	if p, err = start(ctx, r.cfg, data, r.cfg.Dir); err != nil {
		return err
	}
	running = true
	st, err := p.status(ctx)
	if err != nil {
		return err
	}
	counters := countersOf(st)
	r.rep.Restart = Restart{
		Seconds: p.ready.Seconds(), Counters: counters,
		Chunked: counters["chunker"]["chunked"], Embedded: counters["embedder"]["embedded"],
	}

	r.begin("queries while indexing")
	a.instance = p.instance
	load := bulk{from: r.cfg.Dir, scratch: r.cfg.Scratch, prefix: "bulk"}
	err = load.during(ctx, p.instance, func(ctx context.Context, more func() bool) (err error) {
		r.rep.Busy, err = a.measure(ctx, r.cfg.Queries, more)
		return err
	})
	return err
}

// changes measures on a smaller tree that is changed: edits and a push.
func (r *run) changes(ctx context.Context) (err error) {
	r.begin("index the tree to edit")
	root := filepath.Join(r.cfg.Scratch, "edited")
	files, err := copyTree(r.cfg.Dir, root, r.cfg.TreeFiles)
	if err != nil {
		return err
	}
	p, err := start(ctx, r.cfg, filepath.Join(r.cfg.Scratch, "state-edited"), root)
	if err != nil {
		return err
	}
	defer func() { _, serr := p.stop(); err = errors.Join(err, serr) }()

	e, cancel, err := newEditor(ctx, p.instance, root)
	if err != nil {
		return err
	}
	defer cancel()
	r.rep.Edits = Edits{Files: len(e.files), Debounce: milliseconds(config.Default().Watcher.Debounce)}
	r.begin("edits, idle")
	if r.rep.Edits.Idle, err = e.run(ctx, r.cfg.Edits, always); err != nil {
		return err
	}
	r.begin("push")
	if r.rep.Push, err = measurePush(ctx, p, r.cfg, root, files); err != nil {
		return err
	}
	r.begin("edits during a bulk load")
	load := bulk{from: r.cfg.Dir, scratch: r.cfg.Scratch, prefix: "load"}
	return load.during(ctx, p.instance, func(ctx context.Context, more func() bool) (err error) {
		r.rep.Edits.Busy, err = e.run(ctx, r.cfg.Edits, more)
		return err
	})
}

// newEditor prepares edits of the documents that the log holds of the only
// source. The cancel function ends the subscription.
func newEditor(ctx context.Context, c *instance, root string) (*editor, func(), error) {
	heads, err := c.heads(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(heads) == 0 {
		return nil, nil, document.Errorf(document.NotFound, "the tree has no text files to edit: name another with --dir")
	}
	e := &editor{root: root, source: heads[0].Source, rand: rand.New(rand.NewPCG(seed, seed))}
	for _, h := range heads {
		if h.Op == contract.OpPut && h.Size <= largestFile {
			e.files = append(e.files, filepath.FromSlash(h.Path.Raw()))
		}
	}
	events, cancel, err := c.watchIndexed(e.source)
	if err != nil {
		return nil, nil, err
	}
	e.events = events
	return e, cancel, nil
}
