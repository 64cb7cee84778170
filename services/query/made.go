package query

import (
	"context"
	"errors"
	"log/slog"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// errUncut says that the text of a document is still to be made.
var errUncut = errors.New("the text is still to be made")

// contents are what the log has of documents: their bytes in FILES, and the text that
// a format made of them in CHUNKS.
type contents struct {
	bus    *bus.Bus
	log    *slog.Logger
	stores *stores
	reader *resolve.Reader
}

// madeOf returns what CHUNKS has of a version of a document of a format, nil where it is
// still to be made. The text of such a document is what its format made of it, never its
// bytes.
func (s *contents) madeOf(ctx context.Context, h *contract.FileHead) (*document.Content, []byte, error) {
	generation, served := s.stores.Generation(h.Collection)
	if !served {
		return nil, nil, errUncut
	}
	k := resolve.DocKey{Generation: generation, Source: h.Source, Doc: h.Doc}
	for _, read := range []func(context.Context, []resolve.DocKey) (map[resolve.DocKey]*resolve.Body, error){s.reader.Chunks, s.reader.Fetch} {
		bodies, err := read(ctx, []resolve.DocKey{k})
		if err != nil {
			return nil, nil, err
		}
		body := bodies[k]
		if body != nil && body.Unread != nil {
			return nil, nil, body.Unread
		}
		if c := body.Of(h); c != nil {
			return c, body.Bytes(h), nil
		}
	}
	return nil, nil, errUncut
}

// textMade returns the text of a document of a format. The error is Unavailable where it
// is still to be made or cannot be read, and NotFound where none could be made.
func (s *contents) textMade(ctx context.Context, h *contract.FileHead) ([]byte, error) {
	explain := document.Action{Do: document.DoExplain, Source: h.Source, Path: h.Path}
	c, text, err := s.madeOf(ctx, h)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, resolve.ErrLate):
		return nil, document.Errorf(document.Deadline, "the text of %s was not read in time: ask again, or allow more with deadline_ms", h.Path)
	case errors.Is(err, errUncut):
		return nil, document.Errorf(document.Unavailable, "the text of %s is still being made: ask again", h.Path).With(explain)
	case err != nil:
		s.log.Warn("document of the log not read", "error", err)
		return nil, document.Errorf(document.Unavailable, "the log does not give the text of %s, which is being made again: ask again", h.Path).With(explain)
	case c.Textless != "":
		return nil, document.Errorf(document.NotFound, "the log has no text of %s, which is not indexed: %s", h.Path, c.Textless).With(explain)
	}
	return text, nil
}

// made returns the text of a version of a document of a format, nil where it is still to
// be made, and why there is none. It waits for the text if the question has a token, or
// a commit.
func (q aboutOne) made(ctx context.Context, h *contract.FileHead) (text []byte, textless string, err error) {
	if q.scope.WantsToken() {
		if _, err := q.awaitText(ctx, h); err != nil {
			return nil, "", err
		}
	}
	c, text, err := q.service.contents.madeOf(ctx, h)
	switch {
	case errors.Is(err, errUncut):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case c.Textless != "":
		return nil, c.Textless, nil
	}
	return text, "", nil
}

// textless returns why a version has no text, "" where it has one, or where nobody
// knows yet.
func (s *contents) textless(ctx context.Context, h *contract.FileHead) string {
	if h.Format == "" {
		return ""
	}
	if c, _, err := s.madeOf(ctx, h); err == nil {
		return c.Textless
	}
	return ""
}
