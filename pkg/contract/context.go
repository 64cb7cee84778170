package contract

import "github.com/freshet-dev/freshet/pkg/document"

// How the text of a packed answer is written.
const (
	FormatPlain    = "plain"
	FormatMarkdown = "markdown"
	FormatXML      = "xml"
	FormatJSON     = "json"
)

// Formats lists them, the default first.
var Formats = []string{FormatPlain, FormatMarkdown, FormatXML, FormatJSON}

// How passages are chosen.
const (
	SelectTop = "top_k" // by score alone
	SelectMMR = "mmr"   // by score and by being unlike those before
)

// Presets are how many passages a packed answer has at most, by name.
var Presets = map[string]int{"focused": 5, PresetDefault: 8, PresetBroad: 12, PresetDeep: 15}

// The names of presets that are told or that count without one.
const (
	PresetDefault = "balanced" // counts without a name
	PresetBroad   = "broad"
	PresetDeep    = "deep"
)

// Roles of a turn.
const (
	TurnUser      = "user"
	TurnAssistant = "assistant"
)

// ContextRequest is the body of a request on freshet.query.context: a question, or a
// conversation of which the last turn is one.
type ContextRequest struct {
	Query string `json:"query,omitempty" limit:"65536"`
	// Turns are the conversation, the oldest first. A question that points back is
	// completed from them.
	Turns []Turn `json:"turns,omitempty" limit:"64"`
	// Variants are those of a search.
	Variants    []string              `json:"variants,omitempty" limit:"8,1024"`
	Collections []document.Collection `json:"collections,omitempty" limit:"64"`
	Filter      Filter                `json:"filter,omitzero"`
	// TopK is how many passages are wanted, 1 to 50, and Preset the same by name.
	TopK     int     `json:"top_k,omitempty"`
	Preset   string  `json:"preset,omitempty" limit:"64"`
	Select   string  `json:"select,omitempty" limit:"64"` // top_k (default) or mmr
	MinScore float64 `json:"min_score,omitempty"`
	// MinConfidence is the confidence below which nothing is given, 0 to 1.
	MinConfidence float64 `json:"min_confidence,omitempty"`
	// MaxTokens is what the text may have; by default a quarter of the model's
	// window, 4,000 at most without a model, 16,000 with one.
	MaxTokens int `json:"max_tokens,omitempty"`
	// Model is the name of the model that reads the text, Window its tokens where
	// they are known better, Tokenizer what is counted by.
	Model     string `json:"model,omitempty" limit:"256"`
	Window    int    `json:"window,omitempty"`
	Tokenizer string `json:"tokenizer,omitempty" limit:"64"`
	Format    string `json:"format,omitempty" limit:"64"` // plain (default), markdown, xml, json
	// Alone leaves out what stands around passages where there is room.
	Alone bool `json:"alone,omitempty"`
	// Token, Commit, DeadlineMS and Off are those of a search.
	Token      string   `json:"token,omitempty" limit:"64"`
	Commit     string   `json:"commit,omitempty" limit:"256"`
	DeadlineMS int      `json:"deadline_ms,omitempty"`
	Off        []string `json:"off,omitempty" limit:"64,64"`
	Lease      string   `json:"lease,omitempty" limit:"64"` // as in a search
}

// Turn is what one side said.
type Turn struct {
	Role string `json:"role" limit:"64"` // user or assistant
	Text string `json:"text" limit:"65536"`
}

// ContextReply is the answer: a text for a model, and what is in it.
type ContextReply struct {
	Text   string `json:"text"` // "" where nothing is given
	Format string `json:"format"`
	// Query is what was searched, where it is not what was asked.
	Query string `json:"query,omitempty"`
	// Passages are those in the text, best first, and Order their numbers in the
	// order in which they stand there.
	Passages []ContextPassage `json:"passages"`
	Order    []int            `json:"order,omitempty"`
	// LeftOut are passages that were found and wanted, and did not fit.
	LeftOut int           `json:"left_out,omitempty"`
	Tokens  int           `json:"tokens"` // of Text
	Budget  ContextBudget `json:"budget"`
	// The rest is as in a search.
	Confidence      *float64          `json:"confidence,omitempty"`
	NothingRelevant bool              `json:"nothing_relevant,omitempty"`
	Corrected       []Corrected       `json:"corrected,omitempty"`
	Token           document.Token    `json:"token"`
	Pending         []PendingPath     `json:"pending,omitempty"`
	Failed          []FailedPath      `json:"failed,omitempty"`
	Degraded        []string          `json:"degraded,omitempty"`
	Actions         []document.Action `json:"actions,omitempty"`
	Trace           []TraceStage      `json:"trace,omitempty"`
	TookMS          float64           `json:"took_ms"`
	Lease           *LeaseNews        `json:"lease,omitempty"`
}

// ContextPassage is a passage in a packed text.
type ContextPassage struct {
	N        int    `json:"n"` // its number in the text, from 1, best first
	Citation string `json:"citation"`

	Source document.Source `json:"source"`
	View   document.View   `json:"view"`
	Path   document.Path   `json:"path"`
	// StartLine and EndLine are those of what the text has, all that is left out in
	// the middle included.
	StartLine int               `json:"start_line"`
	EndLine   int               `json:"end_line"`
	Symbol    string            `json:"symbol,omitempty"`
	Headings  []string          `json:"headings,omitempty"`
	Place     *document.Part    `json:"place,omitempty"` // as that of a hit
	Language  string            `json:"language,omitempty"`
	Metadata  document.Metadata `json:"metadata,omitempty"` // that was put with the document
	Score     float64           `json:"score"`
	Relevance float64           `json:"relevance"` // 0 to 1
	Version   document.Version  `json:"version"`
	ID        document.ChunkID  `json:"id"`
	Pending   bool              `json:"pending,omitempty"`
	// Copies and MoreCopies are as those of a hit.
	Copies     []Copy `json:"copies,omitempty"`
	MoreCopies int    `json:"more_copies,omitempty"`
	// Cut says that something of it is left out, Wider that more than the passage is
	// there.
	Cut    bool `json:"cut,omitempty"`
	Wider  bool `json:"wider,omitempty"`
	Tokens int  `json:"tokens"` // with its citation
}

// ContextBudget is what the text was packed into, and how that was counted.
type ContextBudget struct {
	Tokens    int    `json:"tokens"`
	Tokenizer string `json:"tokenizer"`
	// Exact says that this is the model's own; else the count was multiplied by
	// Factor.
	Exact  bool    `json:"exact"`
	Factor float64 `json:"factor,omitempty"`
	// Window is how much the model reads, and From where that is known from: request,
	// table, name or default.
	Window int    `json:"window"`
	From   string `json:"from"`
}
