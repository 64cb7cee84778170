package evaluator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

func (s *Service) listGolden(ctx context.Context, _ struct{}) (contract.GoldenList, error) {
	questions, err := s.golden(ctx)
	return contract.GoldenList{Questions: questions}, typed(err)
}

// golden are the questions that are kept. One that cannot be read is left out, and told
// in the log: another version wrote it, or somebody else.
func (s *Service) golden(ctx context.Context) ([]contract.GoldenQuestion, error) {
	entries, err := s.bucket().All(ctx, "*.*")
	if err != nil {
		return nil, err
	}
	out := []contract.GoldenQuestion{}
	for _, e := range entries {
		if isEvaluation(e.Key) {
			continue
		}
		var q contract.GoldenQuestion
		if err := json.Unmarshal(e.Value, &q); err != nil || contract.GoldenKey(q.Source, q.ID) != e.Key {
			s.log.Warn("a golden question cannot be read", "key", e.Key, "error", err)
			continue
		}
		out = append(out, q)
	}
	slices.SortFunc(out, func(a, b contract.GoldenQuestion) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Query, b.Query))
	})
	return out, nil
}

func (s *Service) putGolden(ctx context.Context, in contract.GoldenQuestion) (contract.GoldenList, error) {
	err := checkGolden(&in)
	if err == nil {
		err = s.put(ctx, in)
	}
	if err != nil {
		return contract.GoldenList{}, typed(err)
	}
	return s.listGolden(ctx, struct{}{})
}

func (s *Service) put(ctx context.Context, q contract.GoldenQuestion) error {
	if err := s.registered(ctx, q.Source); err != nil {
		return err
	}
	q.ID, q.By, q.Time = goldenID(q.Query), rpc.Asker(ctx).Name, s.bus.Now().UTC()
	raw, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("encode a golden question: %w", err)
	}
	if len(raw) > contract.LongestGolden {
		return document.Errorf(document.TooLarge, "the question has %d bytes with its answers: shorten it to %d", len(raw), contract.LongestGolden)
	}
	key := contract.GoldenKey(q.Source, q.ID)
	kept, err := s.golden(ctx)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(kept, func(k contract.GoldenQuestion) bool { return contract.GoldenKey(k.Source, k.ID) == key })
	if !known && len(kept) >= contract.MostGolden {
		return document.Errorf(document.TooLarge, "%d golden questions are kept, which is all that there is room for: remove some first", len(kept))
	}
	if _, err := s.bucket().Put(ctx, key, raw); err != nil {
		return err
	}
	// A source that goes meanwhile takes what is there of it by then, and no more.
	if err := s.registered(ctx, q.Source); err != nil {
		if document.KindOf(err) == document.NotFound {
			_ = s.bucket().Forget(ctx, key)
		}
		return err
	}
	return nil
}

// registered is an error where there is no such source.
func (s *Service) registered(ctx context.Context, source document.Source) error {
	list, err := client.Sources.Ask(ctx, s.bus.Conn(), client.None)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list.Sources, func(i contract.SourceInfo) bool { return i.Source == source }) {
		return document.Errorf(document.NotFound, "there is no source %q: name one that is listed", source).Do(document.DoSourceList)
	}
	return nil
}

func (s *Service) removeGolden(ctx context.Context, in contract.GoldenRemove) (contract.GoldenList, error) {
	if _, err := document.ParseSource(string(in.Source)); err != nil {
		return contract.GoldenList{}, document.Errorf(document.InvalidRequest, "source: %w", err)
	}
	if err := s.forget(ctx, contract.GoldenKey(in.Source, in.ID), "golden question", in.ID); err != nil {
		return contract.GoldenList{}, typed(err)
	}
	return s.listGolden(ctx, struct{}{})
}

// forget removes what is kept under a key, so that nothing is left of it.
func (s *Service) forget(ctx context.Context, key, what, id string) error {
	if !isID(id) {
		return document.Errorf(document.InvalidRequest, "the id of the %s is %q, which is none: take one of the list", what, document.Shorten(id))
	}
	raw, _, err := s.bucket().Get(ctx, key)
	if err != nil {
		return err
	}
	if raw == nil {
		return document.Errorf(document.NotFound, "there is no %s %s: list those that there are", what, id)
	}
	return s.bucket().Forget(ctx, key)
}

// checkGolden names the first field that cannot be as it is, and what would be right.
func checkGolden(q *contract.GoldenQuestion) error {
	if _, err := document.ParseSource(string(q.Source)); err != nil {
		return document.Errorf(document.InvalidRequest, "source: %w", err)
	}
	switch {
	case strings.TrimSpace(q.Query) == "":
		return document.Errorf(document.InvalidRequest, "query is empty: give the question as it is asked")
	case !utf8.ValidString(q.Query):
		return document.Errorf(document.InvalidRequest, "query is not valid UTF-8: send it as UTF-8")
	}
	for i, a := range q.Answers {
		if err := document.CheckPath(a.Path); err != nil {
			return document.Errorf(document.InvalidRequest, "answers[%d].path: %w", i, err)
		}
		if a.StartLine < 0 || a.EndLine < a.StartLine || a.StartLine == 0 && a.EndLine != 0 {
			return document.Errorf(document.InvalidRequest, "answers[%d] has the lines %d to %d: lines count from 1; leave both out for the whole document", i, a.StartLine, a.EndLine)
		}
	}
	return nil
}

// goldenID is the same for the same words.
func goldenID(query string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(query), " ")))
	return hex.EncodeToString(sum[:8])
}

// isID reports whether a text can be the id of a question or an evaluation.
func isID(id string) bool {
	return id != "" && !strings.ContainsFunc(id, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') })
}
