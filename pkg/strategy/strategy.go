// Package strategy knows which documents are cut in another way than their language is,
// and in which. The watcher writes the way into the version of a document, so a chunker
// needs no configuration for it, and another way touches the documents that it is for.
package strategy

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Strategy is a way to cut.
type Strategy struct {
	Name       string // of config.Strategy
	Size       int
	Tokens     bool // Size and Overlap count tokens, else characters
	Overlap    int
	Separators []string
}

// String is what a document's version has of it: NAME.SIZE.UNIT.OVERLAP, with the
// separators behind it, as JSON in base64.
func (s Strategy) String() string {
	unit := "c"
	if s.Tokens {
		unit = "t"
	}
	out := strings.Join([]string{s.Name, strconv.Itoa(s.Size), unit, strconv.Itoa(s.Overlap)}, ".")
	if len(s.Separators) > 0 {
		js, _ := json.Marshal(s.Separators) // of strings: it cannot fail
		out += "." + base64.RawURLEncoding.EncodeToString(js)
	}
	return out
}

// Parse reads what String wrote.
func Parse(text string) (s Strategy, err error) {
	wrong := func() (Strategy, error) {
		return Strategy{}, document.Errorf(document.InvalidRequest, "%q is no way to cut a document: let all services be of the same release", text)
	}
	parts := strings.Split(text, ".")
	if len(parts) < 4 || len(parts) > 5 || parts[2] != "c" && parts[2] != "t" {
		return wrong()
	}
	s = Strategy{Name: parts[0], Tokens: parts[2] == "t"}
	switch s.Name {
	case config.CutSentence, config.CutParagraph, config.CutFixed, config.CutRecursive, config.CutHeaders, config.CutSemantic, config.CutSyntax:
	default:
		return wrong()
	}
	if s.Size, err = strconv.Atoi(parts[1]); err != nil || s.Size < 1 {
		return wrong()
	}
	if s.Overlap, err = strconv.Atoi(parts[3]); err != nil || s.Overlap < 0 || s.Overlap > s.Size/2 {
		return wrong()
	}
	if len(parts) == 5 {
		js, err := base64.RawURLEncoding.DecodeString(parts[4])
		if err != nil || json.Unmarshal(js, &s.Separators) != nil {
			return wrong()
		}
		for _, sep := range s.Separators {
			if sep == "" {
				return wrong()
			}
		}
	}
	return s, nil
}

// Table says which documents are cut by which strategy. The zero value has none. It is
// safe for concurrent use.
type Table struct{ rows []row }

type row struct {
	paths    *pathset.Set
	strategy Strategy
}

// New reads a configuration, which has to be valid.
func New(list []config.Strategy) (Table, error) {
	var t Table
	for _, s := range list {
		paths, err := pathset.Parse(s.Paths)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row{paths, Strategy{Name: s.Strategy, Size: s.Size, Tokens: s.Unit == config.Tokens, Overlap: s.Overlap, Separators: s.Separators}})
	}
	return t, nil
}

// Of is the strategy of the first entry that a path matches; nil for none.
func (t Table) Of(path document.Path) *Strategy {
	for i := range t.rows {
		if t.rows[i].paths.Match(path) {
			return &t.rows[i].strategy
		}
	}
	return nil
}

// Grammar names how a document is cut, as headers have it: by which grammar in which
// version, and "+" with its strategy where it has one; "" where neither says anything.
func (t Table) Grammar(path document.Path) string {
	grammar := language.GrammarOf(path)
	if s := t.Of(path); s != nil {
		return grammar + "+" + s.String()
	}
	return grammar
}

// OfGrammar is the strategy that Grammar named; nil for none.
func OfGrammar(grammar string) (*Strategy, error) {
	_, text, ok := strings.Cut(grammar, "+")
	if !ok {
		return nil, nil
	}
	s, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return &s, nil
}
