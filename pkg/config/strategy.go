package config

import (
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Ways to cut documents of which the configuration says so.
const (
	CutSentence  = "sentence"  // whole sentences
	CutParagraph = "paragraph" // whole paragraphs
	CutFixed     = "fixed"     // at the size, wherever that is
	CutRecursive = "recursive" // at the first of some separators that makes passages small enough
	CutHeaders   = "headers"   // at headings
	CutSemantic  = "semantic"  // where neighbouring sentences have least to do with each other
	CutSyntax    = "ast"       // by the syntax of the language
)

// Units of the sizes of passages.
const (
	Characters = "characters"
	Tokens     = "tokens" // as cl100k_base has them
)

// Strategy says how documents are cut that are not to be cut as their language is.
type Strategy struct {
	Paths      []string `yaml:"paths" doc:"Folders, files and globs, relative to the source, as in a filter, of the documents that are meant."`
	Strategy   string   `yaml:"strategy" doc:"How they are cut: in whole sentences (sentence), in whole paragraphs (paragraph), at the size wherever that is (fixed), at the first of separators that makes passages small enough (recursive), at headings where the language has them (headers), where neighbouring sentences have least to do with each other (semantic), or by the syntax of the language (ast)." enum:"sentence,paragraph,fixed,recursive,headers,semantic,ast"`
	Size       int      `yaml:"size" doc:"Longest passage in unit; with ast, up to which small neighbours are merged, and a definition is split above twice that." min:"16" max:"65536"`
	Unit       string   `yaml:"unit" doc:"What size and overlap count: characters, or tokens as cl100k_base has them. With ast it is characters, and bytes are counted." enum:"characters,tokens"`
	Overlap    int      `yaml:"overlap" doc:"How much of the passage before it a passage repeats at most, up to half of size; not with ast." min:"0" max:"32768"`
	Separators []string `yaml:"separators" doc:"With recursive, what passages end with, the first that is there being the best, such as a blank line before a line break; empty: paragraphs, lines, sentences, words."`
}

// mostSeparators bounds what a document's version has to say of how it is cut.
const mostSeparators = 16

func (p *Problems) strategies(list []Strategy) {
	for i, s := range list {
		at := fmt.Sprintf("chunker.strategies[%d]", i)
		if len(s.Paths) == 0 {
			p.addf(at+".paths", "is missing: name the documents that are cut so, such as docs/**/*.txt")
		} else if _, err := pathset.Parse(s.Paths); err != nil {
			p.addf(at+".paths", "%s", err)
		}
		if s.Overlap > s.Size/2 {
			p.addf(at+".overlap", "is %d, above half of size, %d: lower it", s.Overlap, s.Size)
		}
		if len(s.Separators) > 0 && s.Strategy != CutRecursive {
			p.addf(at+".separators", "are for the strategy %s: leave them out, or use that", CutRecursive)
		}
		if len(s.Separators) > mostSeparators || slices.ContainsFunc(s.Separators, func(sep string) bool { return sep == "" || len(sep) > 32 }) {
			p.addf(at+".separators", "are too many, empty or too long: use up to %d of 1 to 32 bytes", mostSeparators)
		}
		if s.Strategy == CutSyntax && (s.Unit == Tokens || s.Overlap > 0) {
			p.addf(at, "is cut by syntax, whose passages are whole lines of so many bytes: use the unit characters, and no overlap")
		}
	}
}
