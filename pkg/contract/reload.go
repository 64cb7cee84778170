package contract

// What a ReloadRequest asks for.
const (
	ReloadTell  = ""      // nothing is changed
	ReloadBegin = "begin" // what the configuration says now holds from here on
	ReloadLook  = "look"  // as ReloadTell, without what building it takes
)

// ReloadRequest is the body of a request on freshet.build.reload.
type ReloadRequest struct {
	Do string `json:"do,omitempty" limit:"16"`
}

// ReloadReply is the answer on freshet.build.reload: what the configuration says
// otherwise than what runs, and what it takes to build that.
type ReloadReply struct {
	// Build is the one that the configuration makes, Serving the one that answers are
	// made of; "" before the first index is complete.
	Build   BuildID `json:"build"`
	Serving BuildID `json:"serving,omitempty"`
	// Chosen is how Build is made. File is the absolute path of the configuration that was
	// read, which need not be there; Variables are those of the environment of the running
	// instance that hold over what it says of embedders.
	Chosen    *Build   `json:"chosen,omitempty"`
	File      string   `json:"file,omitempty"`
	Variables []string `json:"variables,omitempty"`
	// Taken are the keys whose values a reload takes over, Later those that hold from
	// the next start on.
	Taken []string `json:"taken,omitempty"`
	Later []string `json:"later,omitempty"`
	// Changes are the fields in which the two builds differ; none where nothing has to
	// be built.
	Changes []BuildChange `json:"changes,omitempty"`
	// Documents have to be cut and embedded again, with TextBytes of content; Kept are
	// those of which what is there holds.
	Documents int   `json:"documents"`
	TextBytes int64 `json:"text_bytes"`
	Kept      int   `json:"kept"`
	// Passages, Tokens, Seconds and Disk (bytes) are extrapolated from a sample; zero
	// where that was not to be had. Cost is in the currency of the price, and CostNote
	// says what it is made of.
	Passages int64   `json:"passages,omitempty"`
	Tokens   int64   `json:"tokens,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	Disk     int64   `json:"disk,omitempty"`
	Cost     float64 `json:"cost,omitempty"`
	CostNote string  `json:"cost_note,omitempty"`
	// Above says by how much it is above the limits; "" where it is not.
	Above string `json:"above,omitempty"`
}
