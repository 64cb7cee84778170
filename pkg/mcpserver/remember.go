package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// RememberArgs are the arguments of the tool remember.
type RememberArgs struct {
	Text  string `json:"text" jsonschema:"the note, in Markdown; at most 16384 bytes"`
	Title string `json:"title,omitempty" jsonschema:"what it is about, in one line"`
	Kind  string `json:"kind,omitempty" jsonschema:"what sort of note, such as core, decision or conversation: small letters, digits, dashes; default note"`
	Path  string `json:"path,omitempty" jsonschema:"path of a note as remember gave it, to write it anew"`
	// Metadata holds the kind, too, under that key.
	Metadata document.Metadata `json:"metadata,omitempty" jsonschema:"what else is said of it, such as team: [payments]; search filters by it"`
}

// RememberOut is the answer of remember as a structure.
type RememberOut struct {
	Path      string `json:"path" jsonschema:"the note; give it back to write it anew"`
	Kind      string `json:"kind"`
	Version   uint64 `json:"version"`
	Unchanged bool   `json:"unchanged,omitempty" jsonschema:"it was there already"`
	Token     string `json:"token" jsonschema:"give it to search, which then finds the note"`
}

const (
	// mostNote bounds a note in bytes: what is longer is a document.
	mostNote    = 16 << 10
	mostTitle   = 200
	defaultKind = "note"
	// mostSlug bounds the name that a title makes.
	mostSlug = 48
)

var kinds = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// notebook is the source that notes are put into.
type notebook struct {
	source    document.Source // "": nothing is remembered
	url, data string
}

// remember puts a note into the source that the user named. Its kind is the folder that
// it lies in, and its metadata kind, so that both filter by it, and a priority weighs it.
func (s *Server) remember(ctx context.Context, in RememberArgs) (answer[RememberOut], error) {
	var none answer[RememberOut]
	text := strings.TrimSpace(in.Text)
	title := strings.Join(strings.Fields(in.Title), " ")
	switch {
	case text == "":
		return none, document.Errorf(document.InvalidRequest, "the text is empty: say what to remember")
	case len(in.Text) > mostNote || len(title) > mostTitle:
		return none, document.Errorf(document.InvalidRequest, "the note has %d bytes under a title of %d: a note has %d at most under %d, longer texts are documents", len(in.Text), len(title), mostNote, mostTitle)
	case !utf8.ValidString(in.Text) || !utf8.ValidString(title):
		return none, document.Errorf(document.InvalidRequest, "the note is not valid UTF-8: send it as UTF-8")
	}
	path, kind, err := s.notes.place(in, text, title)
	if err != nil {
		return none, err
	}
	said := document.Metadata{"kind": {kind}}
	for key, values := range in.Metadata {
		if key == "kind" {
			return none, document.Errorf(document.InvalidRequest, "the metadata has a kind: give that as kind")
		}
		said[key] = values
	}
	if err := said.Check(); err != nil {
		return none, err
	}
	at, err := s.look(ctx) // which starts a freshet where none runs
	if err != nil {
		return none, err
	}
	if title != "" {
		text = "# " + title + "\n\n" + text
	}
	text += "\n"
	reply, err := s.notes.put(ctx, contract.PutDocument{Path: path, Text: &text, Collection: document.CollectionDocs, Metadata: said})
	if err != nil {
		return none, err
	}
	d := reply.Documents[0]
	switch {
	case d.Error != nil:
		return none, d.Error
	case d.Op != contract.OpPut:
		return none, document.Errorf(document.InvalidRequest, "the note was not kept: %s", d.Reason)
	}
	out := RememberOut{Path: at.path(s.notes.source, path), Kind: kind, Version: uint64(d.Version), Unchanged: d.Unchanged, Token: reply.Token.String()}
	how := "remembered as"
	if d.Unchanged {
		how = "it is remembered already as"
	}
	return answer[RememberOut]{fmt.Sprintf("%s %s\n- search with token %s finds it\n", how, out.Path, out.Token), out}, nil
}

// place returns where a note lies, and its kind. The same note again lies in the same
// place.
func (n notebook) place(in RememberArgs, text, title string) (document.Path, string, error) {
	kind := cmp.Or(in.Kind, defaultKind)
	if in.Path != "" {
		rest, ok := strings.CutPrefix(in.Path, string(n.source)+":")
		path := document.Path(rest)
		if !ok || document.CheckPath(path) != nil {
			return "", "", document.Errorf(document.InvalidRequest, "the path %q is none of a note: give it as remember gave it, %s:KIND/NAME.md, or leave it out", in.Path, n.source)
		}
		of, name, ok := strings.Cut(rest, "/")
		if !ok || !kinds.MatchString(of) || strings.Contains(name, "/") || !strings.HasSuffix(name, ".md") || in.Kind != "" && in.Kind != of {
			return "", "", document.Errorf(document.InvalidRequest, "the path %q is none of a note of the kind %s: give it as remember gave it, or leave it out", in.Path, kind)
		}
		return path, of, nil
	}
	if !kinds.MatchString(kind) {
		return "", "", document.Errorf(document.InvalidRequest, "the kind is %q: use 1 to 32 small letters, digits and dashes, such as core or conversation", kind)
	}
	first, _, _ := strings.Cut(text, "\n")
	name := slug(cmp.Or(title, first))
	return document.Path(kind + "/" + name + string(document.HashOf([]byte(title + "\x00" + text)))[:8] + ".md"), kind, nil
}

// slug makes a name of a line: its letters and digits, with a dash at the end of each
// word.
func slug(line string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if b.Len()+len(word) > mostSlug {
			break
		}
		b.WriteString(word + "-")
	}
	return b.String()
}

// put writes a note, as who may write: that role is used for nothing else. The source is
// added where it is not there yet, as the user has named it.
func (n notebook) put(ctx context.Context, d contract.PutDocument) (contract.WriteReply, error) {
	remote, err := instance.FindRole(n.url, n.data, contract.RoleWrite)
	if err != nil {
		return contract.WriteReply{}, err
	}
	nc, err := remote.Dial(nats.Name("freshet-mcp"), nats.NoReconnect())
	if err != nil {
		return contract.WriteReply{}, err
	}
	defer nc.Close()
	req := contract.PutRequest{Source: n.source, Documents: []contract.PutDocument{d}}
	reply, err := client.Put.Ask(ctx, nc, req)
	if document.KindOf(err) == document.NotFound {
		if _, err := client.AddSource.Ask(ctx, nc, contract.SourceAdd{Kind: contract.SourceAPI, Source: n.source}); err != nil {
			return reply, err
		}
		reply, err = client.Put.Ask(ctx, nc, req)
	}
	return reply, err
}
