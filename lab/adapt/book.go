package adapt

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"sync"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// passage is one of a corpus, as it would be embedded.
type passage struct {
	file       string // with the number of its corpus, where there are several
	start, end int    // lines
	at         int    // first byte
	headings   []string
	bag        static.Bag
}

func (p *passage) hit() eval.Hit {
	return eval.Hit{Path: p.file, StartLine: p.start, EndLine: p.end, Headings: p.headings}
}

// book is everything that is asked about.
type book struct {
	passages []passage // by file and place, so that the same files make the same book
	files    map[string]span
}

// span are the passages of a file.
type span struct{ from, to int }

// reader cuts the files of corpora.
type reader struct {
	o      *Options
	model  *static.Embedder
	cutter *cutter.Cutter

	mu    sync.Mutex
	found []passage
	files int
}

// read cuts all corpora.
func read(ctx context.Context, o *Options, model *static.Embedder) (*book, error) {
	cut, err := cutter.New(o.Config.Chunker, o.ParserCommand)
	if err != nil {
		return nil, err
	}
	defer cut.Close()
	r := &reader{o: o, model: model, cutter: cut}
	for i, c := range o.Corpora {
		if err := r.corpus(ctx, c.Folder, o.prefix(i)); err != nil {
			return nil, err
		}
	}
	b := &book{passages: r.found, files: map[string]span{}}
	slices.SortFunc(b.passages, func(a, b passage) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.at, b.at), cmp.Compare(a.end, b.end))
	})
	for i, p := range b.passages {
		s, known := b.files[p.file]
		if !known {
			s.from = i
		}
		s.to = i + 1
		b.files[p.file] = s
	}
	return b, nil
}

// prefix keeps files of the same name in two corpora apart.
func (o *Options) prefix(i int) string {
	if len(o.Corpora) == 1 {
		return ""
	}
	return strconv.Itoa(i)
}

func (r *reader) corpus(ctx context.Context, folder, prefix string) error {
	from, err := survey.Open(ctx, r.o.Config, folder, survey.Options{})
	if err != nil {
		return err
	}
	defer from.Close()
	err = from.Each(ctx, func(e survey.Entry) error {
		if e.Outcome != survey.Indexed {
			return nil
		}
		cut, err := r.cutter.Cut(ctx, e.Path, e.Content)
		if err != nil {
			return err
		}
		r.take(path.Join(prefix, e.Path.Raw()), e.Path, cut.Text, cut.Spans)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", folder, err)
	}
	return nil
}

func (r *reader) take(file string, p document.Path, content []byte, spans []document.Span) {
	list := make([]passage, len(spans))
	for i := range spans {
		s := &spans[i]
		list[i] = passage{
			file: file, start: s.StartLine, end: s.EndLine, at: s.StartByte, headings: s.Headings,
			bag: r.model.Bag(embed.Compose(p, s, content[s.StartByte:s.EndByte])),
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, list...)
	r.files++
	r.o.Progress("cutting", r.files, 0)
}

// chance puts a file into one of n parts, the same with the same seed.
func chance(seed uint64, file string, n uint64) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d:%s", seed, file) // which cannot fail
	sum := h.Sum64()
	// The low bits of FNV follow the last bytes; the high ones are mixed in.
	return (sum ^ sum>>32) % n
}
