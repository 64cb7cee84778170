package candidate

// Signal is one of what is known of a passage beside what the engines say of it.
// How each is made, and where it applies, is in the table of package rank.
type Signal int

// The signals.
const (
	Definition Signal = iota // the passage defines what is asked for
	Path                     // its path is asked for
	Stem                     // the file's name matches
	Directory                // its folders match
	Coherence                // its file has more passages that match
	Language                 // factor for a file in a language that is asked for; else 1
	Intent                   // factor for prose where it is asked for; else 1
	Penalty                  // factor for tests, vendored, generated, examples; 1 is none
	Priority                 // factor of its source and place, as configured; 1 is none
	Saturation               // factor for a further passage of one file; 1 for the first
	Verbatim                 // it holds the question's text as it was typed
	Named                    // it defines the name that the question is
	Place                    // it holds a line that the question names
	signals                  // how many there are
)

var names = [signals]string{
	Definition: "definition", Path: "path", Stem: "stem", Directory: "directory", Coherence: "coherence",
	Language: "language", Intent: "intent", Penalty: "penalty", Priority: "priority", Saturation: "saturation", Verbatim: "verbatim", Named: "named", Place: "place",
}

// String is the signal's name in answers that explain themselves.
func (s Signal) String() string { return names[s] }

// Signals are what all of them say of a passage.
type Signals [signals]float64
