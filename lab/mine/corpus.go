package mine

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// file is a document of the corpus.
type file struct {
	name     string // relative to the corpus
	language string
	bytes    int64
}

// corpus is the copy of what would be indexed of the sources, and what has to be
// known of all of it.
type corpus struct {
	folder string
	root   *os.Root
	files  []file

	mu      sync.Mutex
	seed    maphash.Seed     // never leaves the process: only equality counts
	seen    map[uint64]uint8 // lines of some length, how often (at most 255)
	defined map[string]int   // names behind func, def, fn and function
	bytes   int64
}

func newCorpus(folder string) (*corpus, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the corpus: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the corpus: %w", err)
	}
	return &corpus{folder: folder, root: root, seed: maphash.MakeSeed(), seen: map[uint64]uint8{}, defined: map[string]int{}}, nil
}

func (c *corpus) close() { _ = c.root.Close() } // nothing is written through it any more

// copy writes what would be indexed of a source below prefix.
func (c *corpus) copy(ctx context.Context, cfg config.Config, source, prefix string, tell func(files int)) error {
	from, err := survey.Open(ctx, cfg, source, survey.Options{})
	if err != nil {
		return err
	}
	defer from.Close()
	err = from.Each(ctx, func(e survey.Entry) error {
		if e.Outcome != survey.Indexed {
			return nil
		}
		return c.take(path.Join(prefix, e.Path.Raw()), e.Path, e.Content, tell)
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", source, err)
	}
	slices.SortFunc(c.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}

func (c *corpus) take(name string, p document.Path, content []byte, tell func(int)) error {
	if err := c.write(name, content); err != nil {
		return err
	}
	lines, names := c.lines(content), definedIn(content)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files = append(c.files, file{name, language.Detect(p, content), int64(len(content))})
	c.bytes += int64(len(content))
	for _, sum := range lines {
		if c.seen[sum] < 255 {
			c.seen[sum]++
		}
	}
	for _, n := range names {
		c.defined[n]++
	}
	tell(len(c.files))
	return nil
}

func (c *corpus) write(name string, content []byte) error {
	if err := c.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write the corpus: %w", err)
	}
	if err := c.root.WriteFile(name, content, 0o644); err != nil {
		return fmt.Errorf("write the corpus: %w", err)
	}
	return nil
}

func (c *corpus) read(name string) ([]byte, error) {
	content, err := c.root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	return content, nil
}

// remove takes a file out, and the folders that it leaves empty.
func (c *corpus) remove(name string) error {
	if err := c.root.Remove(name); err != nil {
		return fmt.Errorf("take a file out of the corpus: %w", err)
	}
	dir := path.Dir(name)
	for dir != "." && c.root.Remove(dir) == nil { // until one holds something else
		dir = path.Dir(dir)
	}
	return nil
}

// longLine is the number of words from which a line is remarkable: two equal ones
// say the same.
const longLine = 3

// lines are the sums of the remarkable lines of a content.
func (c *corpus) lines(content []byte) []uint64 {
	var out []uint64
	lines, _ := linesOf(content)
	for _, line := range lines {
		if sum, ok := c.sum(line, longLine); ok {
			out = append(out, sum)
		}
	}
	return out
}

// sum is the same for lines of the same words; ok is false below least words.
func (c *corpus) sum(line string, least int) (sum uint64, ok bool) {
	if strings.Contains(line, "](") {
		line = markdown.ReplaceAllString(line, "$1") // an entry of a table of contents
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(words) < least {
		return 0, false
	}
	return maphash.String(c.seed, strings.ToLower(strings.Join(words, " "))), true
}

// repeated reports whether a remarkable line stands in the corpus twice.
func (c *corpus) repeated(line string) bool {
	sum, ok := c.sum(line, longLine)
	return ok && c.seen[sum] > 1
}

var definition = regexp.MustCompile(`(?m)(?:^|[\s;}])(?:func(?:\s*\([^)\n]*\))?|def|fn|function)\s+([\pL_][\pL\pN_]*)`)

func definedIn(content []byte) []string {
	var out []string
	for _, m := range definition.FindAllSubmatch(content, -1) {
		out = append(out, string(m[1]))
	}
	return out
}

// emptyFolder makes sure that a folder can be filled without touching what is
// somebody's.
func emptyFolder(folder string) error {
	list, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return document.Errorf(document.InvalidRequest, "cannot use %s: %w: name another folder", folder, err)
	case len(list) > 0:
		return document.Errorf(document.Conflict, "the folder %s is not empty: name a new one, or remove it", filepath.Clean(folder))
	}
	return nil
}
