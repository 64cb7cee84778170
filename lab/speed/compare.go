package speed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Compared is the same tree and the same queries with one choice of stores.
type Compared struct {
	Stores   string   `json:"stores"`
	Load     float64  `json:"load_average"` // when it began
	Indexing Indexing `json:"indexing"`
	Queries  Queries  `json:"queries"`
}

// Compare indexes the tree and asks the queries with the embedded stores, with
// each server in place of one of them, and with both servers, one after the
// other in this run. The servers keep what was made on them.
func Compare(ctx context.Context, cfg Config, servers system.Servers, progress io.Writer) (out []Compared, err error) {
	scratch, err := os.MkdirTemp(cfg.Scratch, "freshet-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for temporary state: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	r := &run{cfg: cfg, progress: progress}
	for i, c := range []struct{ name, lexical, vector string }{
		{"embedded", "embedded", "embedded"},
		{"Elasticsearch and embedded", "elasticsearch", "embedded"},
		{"embedded and Weaviate", "embedded", "weaviate"},
		{"Elasticsearch and Weaviate", "elasticsearch", "weaviate"},
	} {
		r.begin(c.name)
		file := filepath.Join(scratch, fmt.Sprint("stores-", i, ".yaml"))
		if err := os.WriteFile(file, servers.Config(i, c.lexical, c.vector), 0o600); err != nil {
			return out, fmt.Errorf("write a configuration: %w", err)
		}
		one := Compared{Stores: c.name, Load: r.rep.Loads[i].Load}
		if one.Indexing, one.Queries, err = compareOne(ctx, cfg, file, filepath.Join(scratch, fmt.Sprint("state-", i))); err != nil {
			return out, fmt.Errorf("with the stores %s: %w", c.name, err)
		}
		out = append(out, one)
	}
	return out, nil
}

func compareOne(ctx context.Context, cfg Config, file, data string) (x Indexing, q Queries, err error) {
	cfg.file = file
	p, err := start(ctx, cfg, data, cfg.Dir)
	if err != nil {
		return x, q, err
	}
	defer func() {
		_, serr := p.stop()
		err = errors.Join(err, serr)
	}()
	if x, err = measureIndexing(ctx, p); err != nil {
		return x, q, err
	}
	a, err := newAsker(ctx, p.instance, cfg.Queries)
	if err != nil {
		return x, q, err
	}
	q, err = a.measure(ctx, cfg.Queries, always)
	return x, q, err
}

// PrintCompared writes the figures as a table, those of the first as 1.00.
func PrintCompared(w io.Writer, dir string, all []Compared) error {
	if len(all) == 0 {
		return document.Errorf(document.InvalidRequest, "nothing was compared")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := printer{t}
	first := all[0]
	p.row("freshet on %s: %s passages of %s documents", dir, count(first.Indexing.Chunks), count(first.Indexing.Documents))
	p.row("\nstores (lexical and vector)\tload\tindex, s\tpassages/s\tratio\tquery p50, ms\tp99\tratio of p50\tfiltered p50\tp99")
	for _, c := range all {
		speed := func(x Indexing) float64 { return float64(x.Chunks) / x.Seconds }
		p.row("  %s\t%.2f\t%.1f\t%.0f\t%.2f\t%.1f\t%.1f\t%.2f\t%.1f\t%.1f", c.Stores, c.Load, c.Indexing.Seconds, speed(c.Indexing),
			speed(c.Indexing)/speed(first.Indexing), c.Queries.Plain.P50, c.Queries.Plain.P99,
			c.Queries.Plain.P50/first.Queries.Plain.P50, c.Queries.Filtered.P50, c.Queries.Filtered.P99)
	}
	p.row("")
	for _, c := range all {
		p.stages(c.Stores, c.Queries)
	}
	p.row("\nlast head of each stage, s\t%s", "CPU of freshet, s")
	for _, c := range all {
		var cpu float64
		for _, x := range c.Indexing.Processes {
			cpu += x.CPU
		}
		last := ""
		for _, s := range c.Indexing.Stages {
			last += fmt.Sprintf("%s %.1f  ", s.Stage, s.Last)
		}
		p.row("  %s: %s\t%.1f", c.Stores, last, cpu)
	}
	if i := slices.IndexFunc(all, func(c Compared) bool { return c.Indexing.Chunks != first.Indexing.Chunks }); i >= 0 {
		p.row("\n%s has %s passages: the tree was changed in between", all[i].Stores, count(all[i].Indexing.Chunks))
	}
	return t.Flush()
}
