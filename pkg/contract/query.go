package contract

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Filter narrows a search. Empty lists do not narrow; within a list any
// entry may match, and every list must match.
type Filter struct {
	Sources []document.Source `json:"sources,omitempty" limit:"256"`
	Views   []document.View   `json:"views,omitempty" limit:"64"`
	// Paths are folders ("pkg/store"), files, or globs ("**/*_test.go").
	Paths     []string `json:"paths,omitempty" limit:"256,65536"`
	Languages []string `json:"languages,omitempty" limit:"64,64"`
	Kinds     []string `json:"kinds,omitempty" limit:"64,64"`
	// Metadata asks, of each key, for one of the values.
	Metadata document.Metadata `json:"metadata,omitempty" limit:"16,64,2048"`
}

// How much of a passage an answer carries.
const (
	TextNone    = "none"
	TextExcerpt = "excerpt"
	TextFull    = "full"
)

// SearchRequest is the body of a request on freshet.query.search.
type SearchRequest struct {
	Query string `json:"query" limit:"65536"`
	// Variants are the query in other words, as whoever asks knows them. Each is
	// searched by its words, and what it finds counts half of what the query finds.
	Variants    []string              `json:"variants,omitempty" limit:"8,1024"`
	Collections []document.Collection `json:"collections,omitempty" limit:"64"`
	Filter      Filter                `json:"filter,omitzero"`
	K           *int                  `json:"k,omitempty"` // 1 to 1,000; default 10
	MinScore    float64               `json:"min_score,omitempty"`
	// MinConfidence is the confidence below which an answer lists no hits, 0 to
	// 1.
	MinConfidence float64 `json:"min_confidence,omitempty"`
	// Token asks for an answer at least as fresh; "latest" stands for the
	// log's last sequence at arrival.
	Token string `json:"token,omitempty" limit:"64"`
	// Commit asks for an answer that includes a git commit of a source in
	// scope, by its id or the beginning of one.
	Commit     string `json:"commit,omitempty" limit:"256"`
	DeadlineMS int    `json:"deadline_ms,omitempty"`     // default 2,000
	Text       string `json:"text,omitempty" limit:"64"` // none, excerpt (default), full
	// PerFile is the most hits of one file, 1 to 1,000. By default a bound of the
	// configuration holds for each ten, and gives way where places are free.
	PerFile *int `json:"per_file,omitempty"`
	// Around is how many lines above and below its best one an excerpt has whole, 0
	// to 100, also where they are not of the passage.
	Around  int  `json:"around,omitempty"`
	Explain bool `json:"explain,omitempty"`
	// Own are the sources that whoever asks works in: a passage of them stands for
	// its copies elsewhere. They do not narrow.
	Own []document.Source `json:"own,omitempty" limit:"256"`
	// Off lists stages that are left out: lexical, vector, signals, pending,
	// learned, rerank, confidence, keyword, diversify, spelling, exact, places,
	// fold.
	Off []string `json:"off,omitempty" limit:"64,64"`
	// Ranking are weights of the order by the keys of query.ranking in the configuration,
	// in place of those there, for this question alone: to try them.
	Ranking map[string]string `json:"ranking,omitempty" limit:"64,64,64"`
	// Lease opens a lease ("new") or extends one: it remembers what the answer gives,
	// and the answer says what of the lease has changed since.
	Lease string `json:"lease,omitempty" limit:"64"`
}

// SearchReply is the answer.
type SearchReply struct {
	Hits []Hit `json:"hits"`
	// Confidence is the probability that the answer is among the hits; nil
	// where the stage confidence was left out.
	Confidence *float64 `json:"confidence,omitempty"`
	// NothingRelevant says that this is low, and that the first hit holds neither
	// the question as it was typed nor a rare word of it: probably nothing in the
	// sources answers the question.
	NothingRelevant bool `json:"nothing_relevant,omitempty"`
	// Evidence is what the confidence was judged by, when explain was asked for.
	Evidence map[string]float64 `json:"evidence,omitempty"`
	// Corrected are the words that no passage has, and what was searched in
	// their place.
	Corrected []Corrected `json:"corrected,omitempty"`
	// Token is the state of the log that nothing in the answer contradicts.
	Token    document.Token `json:"token"`
	Pending  []PendingPath  `json:"pending,omitempty"`
	Failed   []FailedPath   `json:"failed,omitempty"`
	Degraded []string       `json:"degraded,omitempty"`
	// Actions are what can be done about Degraded.
	Actions []document.Action `json:"actions,omitempty"`
	Trace   []TraceStage      `json:"trace,omitempty"`
	TookMS  float64           `json:"took_ms"`
	Class   string            `json:"class,omitempty"`
	// Understood is how the query was read, where it is more than text.
	Understood *Understood `json:"understood,omitempty"`
	Lease      *LeaseNews  `json:"lease,omitempty"`
}

// Understood is how a query was read. What it quotes of it can be typed again.
type Understood struct {
	Text string `json:"text"` // what is searched by words and by meaning
	// Must are texts in quotes and groups of alternatives: each hit holds each.
	Must []string `json:"must,omitempty"`
	// Without are words and texts that no hit holds, and filters of what is left
	// out.
	Without []string `json:"without,omitempty"`
	Filters []string `json:"filters,omitempty"`
	// Refs are names whose uses were asked for.
	Refs []string `json:"refs,omitempty"`
	// AsText looked like words to be left out, and is text: the log holds the query
	// as it was typed.
	AsText []string `json:"as_text,omitempty"`
	// Places are the lines of files that the query names, in its order.
	Places []Place `json:"places,omitempty"`
}

// Place is a line of a file that a query names: in a stack, a message, a diff.
type Place struct {
	Place    int    `json:"place"` // from 1; hits refer to it
	Path     string `json:"path"`  // as the query has it, with slashes
	Line     int    `json:"line"`
	Column   int    `json:"column,omitempty"`
	Function string `json:"function,omitempty"`
	// Known says that there is such a file in scope, and Found that it has the
	// line. What is not is not guessed.
	Known bool `json:"known"`
	Found bool `json:"found"`
}

// HitPlace says that a hit holds the line of a place of the query.
type HitPlace struct {
	Place int `json:"place"` // its number among those of the query
	// Line is where it stands now, which for a diff and for a frame with its source
	// line may be another than was named.
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

// Corrected is a word of the query that no passage has.
type Corrected struct {
	From string `json:"from"` // as it was typed
	// To is what was searched in its place, as passages write it: best first,
	// never empty.
	To []string `json:"to"`
}

// Hit is a cited passage.
type Hit struct {
	Source    document.Source `json:"source"`
	View      document.View   `json:"view"`
	Path      document.Path   `json:"path"`
	StartLine int             `json:"start_line"`
	EndLine   int             `json:"end_line"`
	// Line is the one that matches best, from 1.
	Line int `json:"line,omitempty"`
	// Symbol is the name that the passage defines; of several the one whose
	// definition Line belongs to.
	Symbol string   `json:"symbol,omitempty"`
	Names  []string `json:"names,omitempty"` // further names that it defines
	// IndexedAs is the one of Names that the passage is indexed and ranked by in
	// place of Symbol; "" where that is Symbol.
	IndexedAs string `json:"indexed_as,omitempty"`
	// Kind is that of what the passage is indexed by.
	Kind     string `json:"kind,omitempty"`
	Language string `json:"language,omitempty"`
	// Collection is where the document is indexed.
	Collection document.Collection `json:"collection,omitempty"`
	Headings   []string            `json:"headings,omitempty"`
	Metadata   document.Metadata   `json:"metadata,omitempty"` // that was put with the document
	Text       string              `json:"text,omitempty"`
	// Lines are those of an excerpt: of each line of Text its number, 0 where it is
	// an ellipsis that stands for lines between.
	Lines []int `json:"lines,omitempty"`
	// Matches are the ranges of Text that hold words of the question, in order.
	Matches []Match `json:"matches,omitempty"`
	// Place is the part of the document that the passage is made of, where its format has
	// parts: a cell, a page. Lines are those of the text that the format makes.
	Place *document.Part `json:"place,omitempty"`
	// Places are those of the query whose line stands in the passage.
	Places []HitPlace `json:"places,omitempty"`
	Score  float64    `json:"score"`
	// Confidence is the probability that this passage is what was asked for; of
	// the first ten hits.
	Confidence float64            `json:"confidence,omitempty"`
	Channels   map[string]Channel `json:"channels,omitempty"` // lexical, vector, pending, keyword, verbatim, named, quoted, place
	Version    document.Version   `json:"version"`
	ID         document.ChunkID   `json:"id"`
	// Summary is what a language model says of the passage, where one was asked to; of a
	// document whose newest version is in both sinks.
	Summary string `json:"summary,omitempty"`
	// Pending marks a passage of a document whose newest version is not yet
	// in both sinks; its text is that of the newest version all the same.
	Pending bool `json:"pending,omitempty"`
	// Copies are the passages that say the same and are no hits of their own, best
	// first: those that the search came upon, not all that there are, and at most
	// MostCopies of them. MoreCopies counts the others that it came upon.
	Copies     []Copy `json:"copies,omitempty"`
	MoreCopies int    `json:"more_copies,omitempty"`
	// Signals are the factors behind the score, and Evidence those behind the
	// confidence, when explain was asked for.
	Signals  map[string]float64 `json:"signals,omitempty"`
	Evidence map[string]float64 `json:"evidence,omitempty"`
}

// MostCopies is how many copies of a passage are listed: a licence stands in thousands
// of files, and an answer has to fit into a message.
const MostCopies = 100

// Copy is where the text of a hit stands, too.
type Copy struct {
	Source    document.Source  `json:"source"`
	View      document.View    `json:"view"`
	Path      document.Path    `json:"path"`
	StartLine int              `json:"start_line"`
	EndLine   int              `json:"end_line"`
	Version   document.Version `json:"version"`
	// Differs says that it is not the same byte for byte, but for a few words that
	// the query does not ask for.
	Differs bool `json:"differs,omitempty"`
}

// NameAs makes one of the hit's names its symbol, and leaves it as it is for a name
// that is none.
func (h *Hit) NameAs(name string) {
	i := slices.Index(h.Names, name)
	if i < 0 || h.Symbol == "" || h.IndexedAs != "" {
		return
	}
	h.Names = slices.Clone(h.Names)
	h.Names[i], h.IndexedAs, h.Symbol = h.Symbol, h.Symbol, name
}

// Indexed returns symbol and further names as the passage is indexed.
func (h *Hit) Indexed() (symbol string, names []string) {
	i := slices.Index(h.Names, h.IndexedAs)
	if h.IndexedAs == "" || i < 0 {
		return h.Symbol, h.Names
	}
	names = slices.Clone(h.Names)
	names[i] = h.Symbol
	return h.IndexedAs, names
}

// Match is a range of a text in bytes of its UTF-8, from 0; the end is exclusive.
type Match struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Channel is a hit's standing in one channel.
type Channel struct {
	Rank  int     `json:"rank"` // from 1
	Score float64 `json:"score"`
}

// PendingPath is a document whose newest version is not in both sinks yet.
type PendingPath struct {
	Source  document.Source  `json:"source"`
	View    document.View    `json:"view"`
	Path    document.Path    `json:"path"`
	Version document.Version `json:"version"`
	Sinks   []document.Sink  `json:"sinks"` // those that lag
	// Searched says that its new text was searched as plain lines.
	Searched bool `json:"searched"`
}

// FailedPath is a document that some stage gave up on.
type FailedPath struct {
	Source document.Source `json:"source"`
	Path   document.Path   `json:"path"`
	Stage  Stage           `json:"stage"`
	Reason string          `json:"reason"`
}

// TraceStage is one stage of an answer.
type TraceStage struct {
	Stage string  `json:"stage"`
	MS    float64 `json:"ms"`
	In    int     `json:"in"`
	Out   int     `json:"out"`
	Note  string  `json:"note,omitempty"`
}

// EmbedRequest is the body of a request on freshet.embed.
type EmbedRequest struct {
	Text string `json:"text" limit:"65536"`
	// Identity is the embedder that the caller's index was built with; an
	// embedder of another identity refuses.
	Identity string `json:"identity,omitempty" limit:"1024"`
	// Background asks for that of the answer.
	Background bool `json:"background,omitempty"`
}

// Background is what cosines of a query are with the vectors of texts that have nothing
// to do with it: what those of two models are compared by.
type Background struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// EmbedReply is a query's vector.
type EmbedReply struct {
	Identity string  `json:"identity"`
	Dims     int     `json:"dims"`
	Scale    float32 `json:"scale"`
	// Data is the int8 vector as bytes (base64 in JSON); empty where no
	// token of the text is known.
	Data []byte `json:"data,omitempty"`
	// Background is there where it was asked for and Data is.
	Background *Background `json:"background,omitempty"`
}
