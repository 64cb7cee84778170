package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/catalog"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func newCatalog(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "Make tables and columns of databases searchable, and list what reads or writes them",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCatalogPut(p), newCatalogUses(p))
	return cmd
}

// catalogPut has the flags of catalog put.
type catalogPut struct {
	kind, collection string
	dry, json        bool
}

func newCatalogPut(p *command.Program) *cobra.Command {
	var f catalogPut
	cmd := &cobra.Command{
		Use:   "put SOURCE FROM…",
		Short: "Put what is said of tables and columns into a source of kind api",
		Long: "put reads definitions (files that end in .sql) and catalog files (.yaml, .yml, .jsonl), in folders too, and makes of each\n" +
			"table and each column a document of SOURCE, which is added where there is none. Of several descriptions of one thing that of\n" +
			"the better kind stays: manual before reviewed before generated. What a former put made and is not said any more is deleted.",
		Example: "  freshet catalog put shop db/schema.sql docs/tables.yaml\n" +
			"  pg_dump --schema-only shop | freshet catalog put shop -\n" +
			"  freshet catalog put shop db/ --kind manual --collection docs-catalog",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := catalog.ParseKind(f.kind)
			if err != nil {
				return document.Errorf(document.InvalidRequest, "--kind: %w", err)
			}
			source, err := document.ParseSource(args[0])
			if err != nil {
				return err
			}
			var all catalog.Catalog
			for _, from := range args[1:] {
				if err := addFrom(&all, p, from, kind); err != nil {
					return err
				}
			}
			docs := all.Documents()
			if len(docs) == 0 {
				return document.Errorf(document.NotFound, "no table is defined or described in %s", strings.Join(args[1:], ", "))
			}
			if f.dry {
				out := &terminal.Printer{W: p.Stdout}
				for _, d := range docs {
					out.Linef("%s", d.Path)
				}
				return out.Err
			}
			return f.run(cmd.Context(), p, source, docs)
		},
	}
	cmd.Flags().StringVar(&f.kind, "kind", string(catalog.Reviewed), "`kind` of descriptions that do not say theirs, such as comments in definitions: manual, reviewed or generated")
	cmd.Flags().StringVar(&f.collection, "collection", "", "`collection` that the documents belong to: code, docs, or one that is configured (default: docs)")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "print the documents that there would be, and put none")
	cmd.Flags().BoolVar(&f.json, "json", false, "print what was done as JSON")
	return cmd
}

// addFrom takes in a file, the files of a folder, or standard input for "-".
func addFrom(all *catalog.Catalog, p *command.Program, from string, kind catalog.Kind) error {
	if from == "-" {
		text, err := definitions(p.Stdin, "standard input")
		if err != nil {
			return err
		}
		all.AddSQL(string(text), kind)
		return nil
	}
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return document.Errorf(document.NotFound, "%s cannot be read: %w", file, err)
		case d.IsDir() && file != from && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || file != from && !slices.Contains(catalogFiles, filepath.Ext(file)):
			return nil
		}
		return addFile(all, file, kind)
	})
}

// mostDefinitions bounds a file in bytes.
const mostDefinitions = 64 << 20

// definitions reads a file that is open.
func definitions(in io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, mostDefinitions+1))
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s cannot be read: %w", name, err)
	}
	if len(text) > mostDefinitions {
		return nil, document.Errorf(document.TooLarge, "%s is larger than 64 MiB: give definitions without data, as pg_dump --schema-only prints them", name)
	}
	return text, nil
}

var catalogFiles = []string{".sql", ".yaml", ".yml", ".jsonl"}

func addFile(all *catalog.Catalog, file string, kind catalog.Kind) error {
	in, err := os.Open(file)
	if err != nil {
		return document.Errorf(document.NotFound, "%s cannot be read: %w", file, err)
	}
	defer func() { _ = in.Close() }()
	text, err := definitions(in, file)
	if err != nil {
		return err
	}
	switch filepath.Ext(file) {
	case ".sql":
		all.AddSQL(string(text), kind)
	case ".yaml", ".yml":
		err = all.AddYAML(text, kind)
	case ".jsonl":
		err = all.AddJSONL(text, kind)
	default:
		err = document.Errorf(document.InvalidRequest, "ends in none of %s: name a file that does, or a folder", strings.Join(catalogFiles, ", "))
	}
	if err != nil {
		return document.Errorf(document.InvalidRequest, "%s: %w", file, err)
	}
	return nil
}

// putCatalog is what catalog put prints.
type putCatalog struct {
	Tables  int            `json:"tables"`
	Columns int            `json:"columns"`
	Changed int            `json:"changed"` // written, since they were not so
	Deleted int            `json:"deleted"`
	Token   document.Token `json:"token"` // covers all of it
}

func (f *catalogPut) run(ctx context.Context, p *command.Program, source document.Source, docs []catalog.Document) error {
	nc, err := p.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	if _, err := client.AddSource.Ask(ctx, nc, contract.SourceAdd{Kind: contract.SourceAPI, Source: source}); err != nil && document.KindOf(err) != document.Conflict {
		return err
	}
	_, former, err := ofCatalog(ctx, nc, source) // what an earlier put made
	if err != nil {
		return fmt.Errorf("list what is in %s: %w", source, err)
	}
	out := putCatalog{}
	for part := range slices.Chunk(docs, catalogPart) {
		req := contract.PutRequest{Source: source}
		for i := range part {
			d := &part[i]
			delete(former, d.Path)
			if d.Metadata[catalog.MetadataCatalog][0] == "table" {
				out.Tables++
			} else {
				out.Columns++
			}
			req.Documents = append(req.Documents, contract.PutDocument{Path: d.Path, Text: &d.Text, Collection: document.Collection(f.collection), Metadata: d.Metadata})
		}
		reply, err := client.Put.Ask(ctx, nc, req)
		if err == nil {
			err = out.add(reply, &out.Changed)
		}
		if err != nil {
			return err
		}
	}
	var gone []contract.DeleteDocument
	for path := range former {
		gone = append(gone, contract.DeleteDocument{Path: path})
	}
	for part := range slices.Chunk(gone, catalogPart) {
		reply, err := client.Delete.Ask(ctx, nc, contract.DeleteRequest{Source: source, Documents: part})
		if err == nil {
			err = out.add(reply, &out.Deleted)
		}
		if err != nil {
			return err
		}
	}
	if f.json {
		return p.Print(out)
	}
	p.Note(fmt.Sprintf("%s and %s: %d changed, %d deleted", terminal.Plural(out.Tables, "table", "tables"), terminal.Plural(out.Columns, "column", "columns"), out.Changed, out.Deleted))
	_, err = fmt.Fprintln(p.Stdout, out.Token)
	return err
}

// catalogPart is how many documents one request writes.
const catalogPart = 500

// add takes in what became of a request. The error is that of all documents which were
// refused.
func (c *putCatalog) add(reply contract.WriteReply, done *int) error {
	c.Token = reply.Token
	var errs []error
	for _, d := range reply.Documents {
		switch {
		case d.Error != nil:
			errs = append(errs, d.Error)
		case !d.Unchanged:
			*done++
		}
	}
	return errors.Join(errs...)
}
