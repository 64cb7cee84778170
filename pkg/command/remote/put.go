package remote

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// writeFlags are those of put and delete.
type writeFlags struct {
	view      string
	ifVersion string
	json      bool
}

func (f *writeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.view, "view", "", "`view` of the source (default: worktree)")
	cmd.Flags().StringVar(&f.ifVersion, "if-version", "", "only if the document has this `version`; 0: only if it is not there (default: in any case)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the reply as it came over NATS")
}

// expected is the version that was asked for, nil for any.
func (f *writeFlags) expected() (*document.Version, error) {
	if f.ifVersion == "" {
		return nil, nil
	}
	n, err := strconv.ParseUint(f.ifVersion, 10, 64)
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "--if-version is %q: give the version of a hit or of an earlier reply, or 0", f.ifVersion)
	}
	v := document.Version(n)
	return &v, nil
}

func newPut(p *command.Program) *cobra.Command {
	var f writeFlags
	var collection string
	var meta metaFlag
	cmd := &cobra.Command{
		Use:   "put SOURCE PATH [FILE]",
		Short: "Put a document into a source of kind api",
		Long: "put writes FILE, or standard input, as the document PATH of SOURCE and prints a token that covers it.\n" +
			"SOURCE was added with `freshet source add --api SOURCE`. PATH is relative, as answers print it.",
		Example: "  freshet put tickets 4711.md < 4711.md\n" +
			"  freshet put tickets 4711.md 4711.md --meta team=payments --meta state=open\n" +
			"  freshet search \"login fails\" --token $(freshet put tickets 4711.md 4711.md)",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			expected, err := f.expected()
			if err != nil {
				return err
			}
			d := contract.PutDocument{Path: document.Path(args[1]), Collection: document.Collection(collection), Metadata: document.Metadata(meta), IfVersion: expected}
			if err := document.CheckPath(d.Path); err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			content, err := content(p.Stdin, args[2:], nc.MaxPayload())
			if err != nil {
				return err
			}
			if utf8.Valid(content) {
				text := string(content)
				d.Text = &text
			} else {
				d.Content = content
			}
			req := contract.PutRequest{Source: document.Source(args[0]), View: document.View(f.view), Documents: []contract.PutDocument{d}}
			return write(cmd, p, nc, client.Put, req, f.json)
		},
	}
	f.add(cmd)
	addMeta(cmd.Flags(), &meta, "what is said of it, `KEY=VALUE` (may be repeated; replaces all that was said before)")
	cmd.Flags().StringVar(&collection, "collection", "", "`collection` that it belongs to: code, docs, or one that is configured (default: made from the path)")
	return cmd
}

// content reads the file that is named, or standard input, as long as it can
// stand in one message.
func content(stdin *os.File, file []string, limit int64) ([]byte, error) {
	in, name := stdin, "standard input"
	if len(file) > 0 && file[0] != "-" {
		name = file[0]
		f, err := os.Open(name)
		if err != nil {
			return nil, document.Errorf(document.NotFound, "%s cannot be read: %w", name, err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	content, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s cannot be read: %w", name, err)
	}
	if int64(len(content)) > limit {
		return nil, document.Errorf(document.TooLarge, "%s is larger than the %d bytes of a message that the NATS server lets through: put it into a watched folder, or raise the server's max_payload", name, limit)
	}
	return content, nil
}

func newDelete(p *command.Program) *cobra.Command {
	var f writeFlags
	cmd := &cobra.Command{
		Use:   "delete SOURCE PATH…",
		Short: "Delete documents of a source of kind api",
		Long: "delete takes documents out of SOURCE and prints a token that covers that. What is not there is gone already.\n" +
			"PATH is relative, as answers print it.",
		Example: "  freshet delete tickets 4711.md 4712.md",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := contract.DeleteRequest{Source: document.Source(args[0]), View: document.View(f.view)}
			expected, err := f.expected()
			if err != nil {
				return err
			}
			for _, path := range args[1:] {
				req.Documents = append(req.Documents, contract.DeleteDocument{Path: document.Path(path), IfVersion: expected})
			}
			if len(req.Documents) > 1 && expected != nil {
				return document.Errorf(document.InvalidRequest, "--if-version is for one document, and %d are named: delete them one by one", len(req.Documents))
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			return write(cmd, p, nc, client.Delete, req, f.json)
		},
	}
	f.add(cmd)
	return cmd
}

// write sends a request on documents and prints the token. What was refused,
// or accepted and not indexed, is an error: it will not be found.
func write[Req any](cmd *cobra.Command, p *command.Program, nc *nats.Conn, with client.Endpoint[Req, contract.WriteReply], req Req, asJSON bool) error {
	raw, reply, err := with.Raw(cmd.Context(), nc, req)
	if err != nil {
		return err
	}
	var failed []error
	for _, d := range reply.Documents {
		switch {
		case d.Error != nil:
			failed = append(failed, d.Error)
		case d.Op == contract.OpSkipped:
			failed = append(failed, document.Errorf(document.InvalidRequest, "%s is known, but not indexed: %s", d.Path, d.Reason))
		}
	}
	switch {
	case asJSON:
		err = p.PrintJSON(raw)
	case len(failed) == 0:
		_, err = fmt.Fprintln(p.Stdout, reply.Token)
	}
	return errors.Join(append(failed, err)...)
}
