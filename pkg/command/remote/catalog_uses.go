package remote

import (
	"context"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/catalog"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// catalogUses has the flags of catalog uses.
type catalogUses struct {
	sources, paths []string
	collections    collectionsFlag
	only, token    string
	json           bool
}

func newCatalogUses(p *command.Program) *cobra.Command {
	var f catalogUses
	cmd := &cobra.Command{
		Use:   "uses TABLE[.COLUMN]",
		Short: "List the lines that read or write a table or column",
		Long: "uses lists the lines in which the name of a column stands as a word, in documents in which that of its table does, and says\n" +
			"by the words of SQL around it what is done: it writes, reads, or only names it. Documents of a catalog are left out.\n" +
			"It exits 0 with a line, 1 without one, 2 on an error.",
		Example: "  freshet catalog uses orders.customer_id\n  freshet catalog uses shop.orders.paid_at --only writes\n  freshet catalog uses orders --path \"**/*.go\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if use := catalog.Use(f.only); f.only != "" && use != catalog.Writes && use != catalog.Reads && use != catalog.Names {
				return document.Errorf(document.InvalidRequest, "--only is %q: use %s, %s or %s", f.only, catalog.Writes, catalog.Reads, catalog.Names)
			}
			return f.run(cmd.Context(), p, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.only, "only", "", "only lines that do this with it, one `use` of writes, reads, names")
	flags.StringArrayVar(&f.sources, "source", nil, "only the source of this `name` (may be repeated)")
	flags.StringArrayVar(&f.paths, "path", nil, pathUsage)
	addCollections(flags, &f.collections)
	flags.StringVar(&f.token, "token", "", "wait until this `token` is searchable; latest: everything accepted so far")
	flags.BoolVar(&f.json, "json", false, "print them as JSON")
	return cmd
}

// columnUse is a line that catalog uses prints.
type columnUse struct {
	Source document.Source `json:"source"`
	View   document.View   `json:"view"`
	Path   document.Path   `json:"path"`
	Line   int             `json:"line"`
	Use    catalog.Use     `json:"use"`
	Text   string          `json:"text"`
}

// usesAbove is how many lines above one say what it does.
const usesAbove = 12

func (f *catalogUses) run(ctx context.Context, p *command.Program, name string) error {
	nc, err := p.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	left, tables, err := ofCatalog(ctx, nc)
	if err != nil {
		return err
	}
	parts := strings.Split(name, ".")
	table, column := parts[max(0, len(parts)-2)], parts[len(parts)-1]
	in, err := f.grep(ctx, nc, column, contract.GrepLines, usesAbove)
	if err != nil {
		return err
	}
	// Where a catalog has a table of the name, the part before it is its schema.
	if table != column && !tables[catalog.TablePath(name)] {
		of, err := f.grep(ctx, nc, table, contract.GrepFiles, 0)
		if err != nil {
			return err
		}
		in.Files = inBoth(in.Files, of.Files)
		in.Complete, in.More = in.Complete && of.Complete, in.More+of.More
	}
	uses := []columnUse{}
	for _, file := range in.Files {
		if left[documentAt{file.Source, file.View, file.Path}] {
			continue
		}
		for _, use := range usesIn(&file) {
			if f.only == "" || string(use.Use) == f.only {
				uses = append(uses, use)
			}
		}
	}
	if !in.Complete || in.More > 0 {
		p.Note("not everything was searched or listed: narrow it with --path or --source")
	}
	if f.json {
		err = p.Print(uses)
	} else {
		err = printUses(p, uses)
	}
	if err == nil && len(uses) == 0 {
		return command.NoHits
	}
	return err
}

func (f *catalogUses) grep(ctx context.Context, nc *nats.Conn, name, show string, above int) (contract.GrepReply, error) {
	sources, err := document.ParseSources(f.sources)
	if err != nil {
		return contract.GrepReply{}, err
	}
	limit := 10000
	return client.Grep.Ask(ctx, nc, contract.GrepRequest{
		Pattern: regexp.QuoteMeta(name), Word: true, IgnoreCase: true, Show: show, Before: above, Limit: &limit, Collections: f.collections,
		Filter: contract.Filter{Sources: sources, Paths: f.paths}, Token: f.token,
	})
}

type documentAt struct {
	source document.Source
	view   document.View
	path   document.Path
}

// ofCatalog are the documents that catalogs have put, and their paths; none of sources: of
// all.
func ofCatalog(ctx context.Context, nc *nats.Conn, sources ...document.Source) (out map[documentAt]bool, paths map[document.Path]bool, err error) {
	out, paths = map[documentAt]bool{}, map[document.Path]bool{}
	req := contract.FilesRequest{Filter: contract.Filter{Sources: sources, Metadata: document.Metadata{catalog.MetadataCatalog: {"table", "column"}}}, Paths: true}
	return out, paths, client.Files.Each(ctx, nc, req, func(part contract.FilesPart) error {
		for _, f := range part.Files {
			out[documentAt{f.Source, f.View, f.Path}], paths[f.Path] = true, true
		}
		return nil
	})
}

// inBoth are those of files that are among others, too.
func inBoth(files, others []contract.GrepFile) (out []contract.GrepFile) {
	among := map[documentAt]bool{}
	for _, f := range others {
		among[documentAt{f.Source, f.View, f.Path}] = true
	}
	for _, f := range files {
		if among[documentAt{f.Source, f.View, f.Path}] {
			out = append(out, f)
		}
	}
	return out
}

// usesIn are the lines of a document in which the name stands.
func usesIn(f *contract.GrepFile) (out []columnUse) {
	var above []string
	last := 0
	for _, l := range f.Lines {
		if l.Line != last+1 {
			above = nil
		}
		last = l.Line
		if !l.Context && len(l.Matches) > 0 {
			m := l.Matches[0]
			out = append(out, columnUse{
				Source: f.Source, View: f.View, Path: f.Path, Line: l.Line, Text: l.Text,
				Use: catalog.UseOf(above[max(0, len(above)-usesAbove):], l.Text, m.Start, m.End),
			})
		}
		above = append(above, l.Text)
	}
	return out
}

func printUses(p *command.Program, uses []columnUse) error {
	out := &terminal.Printer{W: p.Stdout}
	for _, u := range uses {
		out.Linef("%s/%s:%d  %s  %s", u.Source, terminal.Printable(u.Path.Raw()), u.Line, u.Use, terminal.Printable(strings.TrimSpace(u.Text)))
	}
	return out.Err
}
