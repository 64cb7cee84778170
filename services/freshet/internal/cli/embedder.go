package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// embedderSet chooses what makes the vectors of a collection.
type embedderSet struct {
	*command.Program
	reload  remote.Reload
	file    string // of the configuration
	keyFile string

	collection document.Collection // "" is all that have nothing of their own
	to         config.OwnEmbedder
}

// allCollections is what the command calls all that have no embedder of their own.
const allCollections = "all"

func newEmbedderSet(p *command.Program) *cobra.Command {
	s := &embedderSet{Program: p}
	cmd := &cobra.Command{
		Use:   "set COLLECTION PROVIDER [MODEL]",
		Short: "Choose what makes the vectors of a collection",
		Long: "set writes into the configuration what makes the vectors of a collection (code, docs, or all for what has nothing\n" +
			"of its own), and has the running instance take it over without a restart. PROVIDER is static for a model in the\n" +
			"process (MODEL is its folder; without one it is the bundled model), shared for what all others have, or the kind\n" +
			"of a server: openai, azure, cohere, voyage, ollama or tei. The model is asked for a vector first, so that a wrong\n" +
			"key or name changes nothing. Then it says what is to be embedded again and what that costs, and asks on a\n" +
			"terminal. What was there before answers meanwhile. Other keys of the file, and its comments, stay as they are.",
		Example: "  freshet embedder set docs ollama nomic-embed-text\n" +
			"  freshet embedder set docs openai text-embedding-3-small --key-file /run/secrets/openai_key --yes --wait\n" +
			"  freshet embedder set code static ~/models/code\n  freshet embedder set docs shared",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.read(args); err != nil {
				return err
			}
			return s.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.to.URL, "url", "", "`URL` of the server up to /embeddings, where it is not the provider's own")
	f.StringVar(&s.keyFile, "key-file", "", "`file` with the key that the server asks for; without it a key of the same server is kept")
	f.StringVar(&s.to.Version, "api-version", "", "with azure, the `version` of its interface")
	f.StringVar(&s.to.CA, "ca", "", "`file` with the certificates that the server's is from")
	f.IntVar(&s.to.Dimensions, "dimensions", 0, "`length` of the vectors, where freshet does not know the model or it makes shorter ones")
	f.StringVar(&s.to.QueryPrefix, "query-prefix", "", "`text` that stands before a question, where freshet does not know it")
	f.StringVar(&s.to.PassagePrefix, "passage-prefix", "", "`text` that stands before a passage, likewise")
	f.IntVar(&s.to.MaxTokens, "max-tokens", 0, "most `tokens` of one text, likewise")
	f.StringVar(&s.to.Revision, "revision", "", "any `text`: another one has everything embedded anew")
	f.Float64Var(&s.to.Price, "price", 0, "`price` of a million tokens")
	f.StringVar(&s.file, "config", "", "configuration `file` to write (default: that of the running instance, else freshet.yaml in the state folder)")
	s.reload.Add(cmd)
	return cmd
}

// read takes the arguments.
func (s *embedderSet) read(args []string) (err error) {
	if args[0] != allCollections {
		s.collection = document.Collection(args[0])
		if s.collection.CheckOwn() == nil {
			return document.Errorf(document.InvalidRequest, "the embedder of %s is written in its entry of collections.own: change it in the configuration, and start freshet again", s.collection)
		}
		if !slices.Contains(document.Collections, s.collection) {
			return document.Errorf(document.InvalidRequest, "%q is no collection: use %s, %s, or %s for what has nothing of its own", args[0], document.CollectionCode, document.CollectionDocs, allCollections)
		}
	}
	s.to.Provider = args[1]
	if s.collection == "" && s.to.Shared() {
		return document.Errorf(document.InvalidRequest, "%s is what one collection has of all: name %s or %s, or a provider", config.Shared, document.CollectionCode, document.CollectionDocs)
	}
	if len(args) > 2 {
		s.to.Model = args[2]
	}
	if s.to.Provider == config.Static && s.to.Model != "" {
		if s.to.Model, err = filepath.Abs(s.to.Model); err != nil {
			return fmt.Errorf("find the folder of the model: %w", err)
		}
	}
	if s.keyFile != "" {
		if s.keyFile, err = filepath.Abs(s.keyFile); err != nil {
			return fmt.Errorf("find the file of the key: %w", err)
		}
	}
	return nil
}

// run writes it, and has it taken over. What is refused, or not agreed to, is written
// back.
func (s *embedderSet) run(ctx context.Context) error {
	nc, err := s.Dial(ctx)
	running := err == nil
	if !running && (document.KindOf(err) != document.NotFound || s.NATS != "") {
		return err
	}
	if running {
		defer nc.Close()
	}
	file, err := s.configFile(running)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return document.Errorf(document.Forbidden, "cannot read the configuration %s: %w", file, err)
	}
	if err := s.overridden(); err != nil {
		return err
	}
	now, err := s.edit(file, before)
	if err != nil {
		return err
	}
	if err := s.probe(ctx, file, now); err != nil {
		return err
	}
	if bytes.Equal(before, now) {
		s.Note(file + " says so already")
	}
	if err := replaceFile(file, before, now); err != nil {
		return err
	}
	if !running {
		s.Note("written to " + file + ": the next `freshet up` says what is to be built, and builds it")
		return nil
	}
	s.reload.File = file
	taken, err := s.reload.Run(ctx, s.Program, nc)
	if taken {
		if err != nil {
			s.Note(file + " stays as it is written: what runs may have begun with it, and the next `freshet up` reads it")
		}
		return err
	}
	if document.KindOf(err) == document.Unavailable && s.file == "" {
		err = fmt.Errorf("%w; where each service is a process of its own, give all of them the new configuration instead", err)
	}
	return errors.Join(err, replaceFile(file, now, before))
}

// configFile is the file to write.
func (s *embedderSet) configFile(running bool) (string, error) {
	if s.file != "" {
		return filepath.Abs(s.file)
	}
	if s.NATS != "" {
		return "", document.Errorf(document.InvalidRequest, "where the configuration of the freshet at that server lies is not known here: name it with --config")
	}
	_, file, err := instance.Load("", s.Data)
	if err != nil || !running {
		return file, err
	}
	if record, err := instance.Read(filepath.Dir(file)); err == nil && record.Config != "" {
		return record.Config, nil
	}
	return file, nil
}

// edit is the text of the file with the choice in it. A key goes to the server for which
// it was written: that of the same server is kept, and that of another one stays as
// former_key, as long as what it made answers.
func (s *embedderSet) edit(file string, before []byte) ([]byte, error) {
	section := config.EmbedderSection(s.collection)
	key, former := config.Value{Key: "key"}, config.Value{Key: "former_key"}
	was, err := config.Parse(file, before, instance.Environ()...)
	if err != nil {
		return nil, err
	}
	old := s.of(was)
	written, err := config.Written(file, before, section, "key")
	if err != nil {
		return nil, err
	}
	remote := s.to.Provider != config.Static && !s.to.Shared()
	switch same := old.Provider == s.to.Provider && old.URL == s.to.URL; {
	case s.keyFile != "":
		key.Text = config.Text("${file:" + s.keyFile + "}")
		if !same && written != "" {
			former.Text = written
		}
	case same && written != "" && remote:
		key.Text = written
	case !same && written != "" && remote:
		former.Text = written
	}
	var values []config.Value
	for _, v := range s.chosen() {
		if v.Text != "" {
			values = append(values, config.Value{Key: v.Key, Text: config.Text(v.Text)})
		}
	}
	for _, v := range []config.Value{key, former} {
		if v.Text != "" {
			values = append(values, v)
		}
	}
	return config.Edit(file, before, section, config.EmbedderKeys(), values)
}

// chosen is what was said of the embedder, but for its key; "" where nothing was.
func (s *embedderSet) chosen() []config.Value {
	number := func(text string) string {
		if text == "0" {
			return ""
		}
		return text
	}
	return []config.Value{
		{Key: "provider", Text: s.to.Provider}, {Key: "model", Text: s.to.Model}, {Key: "url", Text: s.to.URL},
		{Key: "version", Text: s.to.Version}, {Key: "ca", Text: s.to.CA},
		{Key: "query_prefix", Text: s.to.QueryPrefix}, {Key: "passage_prefix", Text: s.to.PassagePrefix}, {Key: "revision", Text: s.to.Revision},
		{Key: "dimensions", Text: number(strconv.Itoa(s.to.Dimensions))}, {Key: "max_tokens", Text: number(strconv.Itoa(s.to.MaxTokens))},
		{Key: "price", Text: number(strconv.FormatFloat(s.to.Price, 'f', -1, 64))},
	}
}

// overridden refuses what a variable of the environment says otherwise: it would hold,
// whatever the file says.
func (s *embedderSet) overridden() error {
	said := map[string]string{}
	for _, entry := range instance.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		said[name] = value
	}
	for _, v := range append(s.chosen(), config.Value{Key: "key", Text: s.keyFile}) {
		name := config.Variable(config.EmbedderSection(s.collection) + "." + v.Key)
		always := v.Key == "provider" || v.Key == "model"
		if other := said[name]; other != "" && other != v.Text && (always || v.Text != "") {
			return document.Errorf(document.Conflict, "the environment variable %s holds, whatever the file says: change it, or unset it", name)
		}
	}
	return nil
}

// of is what a configuration says of what is set.
func (s *embedderSet) of(c config.Config) config.Embedder {
	if s.collection == "" {
		return c.Embedder
	}
	return c.EmbedderOf(s.collection)
}

// probe sees that the text is a configuration, and that what it names makes vectors.
func (s *embedderSet) probe(ctx context.Context, file string, text []byte) error {
	c, err := config.Parse(file, text, instance.Environ()...)
	if err != nil {
		return err
	}
	if c, err = open.Known(c); err != nil {
		return err
	}
	models, err := open.Embedders(c)
	if err != nil {
		return err
	}
	for _, name := range c.Collections.Names() {
		if s.collection == "" || s.collection == name {
			if err := models.Probe(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// replaceFile makes a file that says before say text, whole or not at all; nil is that
// there is none. What somebody else has written meanwhile stays. Who may read it stays as
// it is; what is new is for its owner alone.
func replaceFile(file string, before, text []byte) error {
	file, err := linked(file)
	if err != nil {
		return document.Errorf(document.Forbidden, "cannot find the configuration: %w", err)
	}
	failed := func(err error) error {
		return document.Errorf(document.Forbidden, "cannot write the configuration %s: %w", file, err)
	}
	switch now, err := os.ReadFile(file); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return failed(err)
	case !bytes.Equal(now, before):
		return document.Errorf(document.Conflict, "somebody has changed %s meanwhile, and it stays as it is now: see what it says, and ask again", file)
	case text == nil && err == nil:
		if err := os.Remove(file); err != nil {
			return failed(err)
		}
		return nil
	case text == nil, bytes.Equal(now, text) && err == nil:
		return nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(file); err == nil {
		if mode = info.Mode().Perm(); mode&0o200 == 0 {
			return failed(errors.New("it is read-only: let its owner write it"))
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return failed(err)
	}
	part, err := os.CreateTemp(filepath.Dir(file), state.Temporary+"*.yaml")
	if err != nil {
		return document.Errorf(document.Forbidden, "cannot write beside the configuration %s, which is replaced as a whole: let who runs this write to its folder, or change the file yourself and have it read with `freshet config reload` (%w)", file, err)
	}
	defer func() { _ = os.Remove(part.Name()) }() // it is not there any more where all went well
	_, err = part.Write(text)
	if err = errors.Join(err, part.Chmod(mode), part.Sync(), part.Close()); err != nil {
		return failed(err)
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return failed(err)
	}
	return nil
}

// mostLinks is how many links to links are followed; systems follow forty.
const mostLinks = 40

// linked is the file that links lead to, which need not be there: what is written there is
// read through them, and they stay.
func linked(file string) (string, error) {
	for range mostLinks {
		info, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return file, nil
		}
		if err != nil {
			return file, err
		}
		to, err := os.Readlink(file)
		if err != nil {
			return file, err
		}
		if !filepath.IsAbs(to) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(file)) // which .. begins at
			if err != nil {
				return file, err
			}
			to = filepath.Join(folder, to)
		}
		file = to
	}
	return file, fmt.Errorf("%s is a link to a link, and so on", file)
}
