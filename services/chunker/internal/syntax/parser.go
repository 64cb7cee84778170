package syntax

import (
	"context"
	"errors"
	"fmt"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// Parser cuts contents of the supported languages. It belongs to one
// goroutine.
type Parser struct {
	grammars map[string]*grammar
}

// grammar is a language made ready: the meaning of each symbol of its table.
type grammar struct {
	language string
	parser   *sitter.Parser
	table    []spec
}

// NewParser returns a Parser; grammars are loaded at first use.
func NewParser() *Parser { return &Parser{grammars: map[string]*grammar{}} }

// Close frees what the grammars hold.
func (p *Parser) Close() {
	for _, g := range p.grammars {
		g.parser.Close()
	}
	clear(p.grammars)
}

// errTooLong keeps offsets within the 32 bits that tree-sitter has for them.
var errTooLong = errors.New("content is too long for a syntax tree")

// Split cuts a content at its definitions. A content with syntax errors is cut
// all the same. The error is for a language without a grammar.
func (p *Parser) Split(language string, content []byte, opt split.Options) ([]document.Span, error) {
	opt.SetDefaults()
	source := readable(language, content)
	if language == "go" {
		source = elide(content, opt.Max, opt.Target)
	}
	return p.split(language, content, source, opt)
}

// split cuts content along the tree of source, which has the same definitions
// at the same places.
func (p *Parser) split(language string, content, source []byte, opt split.Options) ([]document.Span, error) {
	g, err := p.grammar(language)
	if err != nil {
		return nil, err
	}
	if len(content) > 1<<30 {
		return nil, errTooLong
	}
	tree, err := g.parser.ParseCtx(context.Background(), nil, source)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", language, err)
	}
	defer tree.Close()
	cursor := sitter.NewTreeCursor(tree.RootNode())
	defer cursor.Close()
	text := split.NewText(content)
	if text.Lines() == 0 {
		return nil, nil
	}
	w := walker{text: text, content: content, table: g.table, cursor: cursor, opt: opt}
	return split.Pack(text, language, w.file(), opt), nil
}

func (p *Parser) grammar(name string) (*grammar, error) {
	if g, ok := p.grammars[name]; ok {
		return g, nil
	}
	l, ok := grammars[name]
	if !ok {
		return nil, fmt.Errorf("no grammar for language %q", name)
	}
	known, lang := l.roles(), l.grammar()
	g := &grammar{language: name, parser: sitter.NewParser(), table: make([]spec, lang.SymbolCount())}
	g.parser.SetLanguage(lang)
	for i := range g.table {
		symbol := sitter.Symbol(i)
		if lang.SymbolType(symbol) != sitter.SymbolTypeRegular {
			continue
		}
		g.table[i] = spec{role: rolePlain}
		if s, ok := known[lang.SymbolName(symbol)]; ok {
			g.table[i] = s
		}
	}
	p.grammars[name] = g
	return g, nil
}
