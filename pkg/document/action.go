package document

import (
	"errors"
	"slices"
	"strings"
)

// ActionKind is one of a closed list: something that a person or a program can
// do about an error, or about what a reply says. What is to be typed or pressed
// for it is known to the front end alone.
type ActionKind string

// The actions, by what they concern. Behind each stand the fields of an [Action]
// that it may have beside About.
const (
	DoStart         ActionKind = "start"          // start a freshet
	DoStatusShow    ActionKind = "status_show"    // look at the state of the whole
	DoStateChoose   ActionKind = "state_choose"   // name another state folder
	DoServerChoose  ActionKind = "server_choose"  // name another NATS server
	DoProcessResume ActionKind = "process_resume" // have a stopped process go on; value: its id
	DoProcessEnd    ActionKind = "process_end"    // end a process; value: its id

	DoConnectionShow ActionKind = "connection_show" // take the URL or the login from the freshet that runs
	DoLoginShow      ActionKind = "login_show"      // take the login of a role from it; value: the role
	DoLoginDefault   ActionKind = "login_default"   // ask for no role
	DoPageOpen       ActionKind = "page_open"       // open the page by a new link

	DoConfigWrite   ActionKind = "config_write"   // write a configuration file; path
	DoConfigDefault ActionKind = "config_default" // name no configuration file
	DoRaiseLimit    ActionKind = "raise_limit"    // raise a setting; setting

	DoSourceList   ActionKind = "source_list"    // see which sources there are
	DoSourceAdd    ActionKind = "source_add"     // watch a folder or repository; path
	DoSourceAddAPI ActionKind = "source_add_api" // make a source for documents that come by request; source
	DoSourceAccept ActionKind = "source_accept"  // let a source be as large as it is; path
	DoSourceRemove ActionKind = "source_remove"  // forget a source; source
	DoSourcePlan   ActionKind = "source_plan"    // look at what is large in a folder; path
	DoServerAdd    ActionKind = "server_add"     // watch a folder by the freshet at a NATS server; value: its URL
	DoStateAdd     ActionKind = "state_add"      // watch a folder by the freshet of a state folder; path: that one
	DoDocumentPut  ActionKind = "document_put"   // put a document; source, path
	DoExplain      ActionKind = "explain"        // see what is known of a path; path

	DoTokenTake  ActionKind = "token_take"  // take a new token
	DoAnnounce   ActionKind = "announce"    // have a path looked at now; path
	DoSearchWait ActionKind = "search_wait" // search what was accepted until now

	DoSearchMore   ActionKind = "search_more"   // ask for more hits; value: how many
	DoSearchSource ActionKind = "search_source" // narrow a search to a source; source
	DoSearchPath   ActionKind = "search_path"   // narrow a search to a path; path

	DoVerify       ActionKind = "verify"        // compare sources, log and stores
	DoVerifyRepair ActionKind = "verify_repair" // repair what differs
	DoLossList     ActionKind = "loss_list"     // see what the log has lost
	DoLossAccept   ActionKind = "loss_accept"   // accept that
	DoBuildAccept  ActionKind = "build_accept"  // have a build begun though it is above the limits; value: its id
	DoReindexTell  ActionKind = "reindex_tell"  // see how far an index is that is made again
	DoReindexBack  ActionKind = "reindex_back"  // have the former index answer again
	DoLetterShow   ActionKind = "letter_show"   // see a dead letter; source, path
	DoLetterRetry  ActionKind = "letter_retry"  // have it handled again; source, path

	DoRerankerTrain  ActionKind = "reranker_train"  // train the reranker again
	DoRerankerRemove ActionKind = "reranker_remove" // take the reranker back
	DoRankingRemove  ActionKind = "ranking_remove"  // take the kept weights back
	DoEmbedderTrain  ActionKind = "embedder_train"  // train an embedding model; path: the folder to write it to
	DoCalibrate      ActionKind = "calibrate"       // fit the confidence anew
)

// ActionKinds lists every kind.
var ActionKinds = []ActionKind{
	DoStart, DoStatusShow, DoStateChoose, DoServerChoose, DoProcessResume, DoProcessEnd,
	DoConnectionShow, DoLoginShow, DoLoginDefault, DoPageOpen,
	DoConfigWrite, DoConfigDefault, DoRaiseLimit,
	DoSourceList, DoSourceAdd, DoSourceAddAPI, DoSourceAccept, DoSourceRemove, DoSourcePlan, DoServerAdd, DoStateAdd, DoDocumentPut, DoExplain,
	DoTokenTake, DoAnnounce, DoSearchWait,
	DoSearchMore, DoSearchSource, DoSearchPath,
	DoVerify, DoVerifyRepair, DoLossList, DoLossAccept, DoBuildAccept, DoReindexTell, DoReindexBack, DoLetterShow, DoLetterRetry,
	DoRerankerTrain, DoRerankerRemove, DoRankingRemove, DoEmbedderTrain, DoCalibrate,
}

// Action is one thing that can be done. Several beside each other are
// alternatives, the nearest first, or steps in their order.
type Action struct {
	Do ActionKind `json:"do"`
	// About is the sentence of the reply that it belongs to, as it stands there;
	// empty for the error, the verdict or the difference as a whole.
	About  string `json:"about,omitempty"`
	Source Source `json:"source,omitempty"`
	// Path is a folder or file, or a document of Source; percent-encoded.
	Path    Path   `json:"path,omitempty"`
	Setting string `json:"setting,omitempty"` // key of the configuration
	Value   string `json:"value,omitempty"`   // what else the kind asks for
}

// String is the action as a log shows it: the kind, and the fields that it has.
func (a Action) String() string {
	out := string(a.Do)
	for _, f := range []struct{ name, value string }{
		{"source", string(a.Source)}, {"path", string(a.Path)}, {"setting", a.Setting}, {"value", a.Value},
	} {
		if f.value != "" {
			out += " " + f.name + "=" + f.value
		}
	}
	return out
}

// Acts makes an Action of each kind, without fields.
func Acts(kinds ...ActionKind) []Action {
	out := make([]Action, len(kinds))
	for i, k := range kinds {
		out[i].Do = k
	}
	return out
}

// About returns copies of actions that belong to a sentence.
func About(sentence string, actions ...Action) []Action {
	out := slices.Clone(actions)
	for i := range out {
		out[i].About = sentence
	}
	return out
}

// ActionsAbout returns copies of those of a reply's actions that belong to a
// sentence, as actions that belong to none: for an error or another sentence that
// repeats it.
func ActionsAbout(sentence string, all []Action) []Action {
	var out []Action
	for _, a := range all {
		if a.About == sentence {
			a.About = ""
			out = append(out, a)
		}
	}
	return out
}

// Do adds kinds of action without fields to the error, and returns it.
func (e *Error) Do(kinds ...ActionKind) *Error { return e.With(Acts(kinds...)...) }

// With adds actions to the error, and returns it.
func (e *Error) With(actions ...Action) *Error {
	e.Actions = append(e.Actions, actions...)
	return e
}

// ActionsOf returns the actions of every Error in the tree of err, each once,
// those of the outer errors first; nil for none.
func ActionsOf(err error) []Action {
	var out []Action
	var inner []error
	at := any(err) // this error alone; those that it wraps follow
	if e, ok := at.(*Error); ok && e != nil {
		out = append(out, e.Actions...)
	}
	switch e := at.(type) {
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	for _, i := range inner {
		for _, a := range ActionsOf(i) {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// Coded is the text of err with its actions as codes behind it, for a log or a
// program without words of its own for them.
func Coded(err error) string {
	actions := ActionsOf(err)
	if len(actions) == 0 {
		return err.Error()
	}
	codes := make([]string, len(actions))
	for i, a := range actions {
		codes[i] = a.String()
	}
	return err.Error() + " [" + strings.Join(codes, ", ") + "]"
}

// Told is err as it crosses an interface: its kind, its text, what can be done
// about it, and when to ask again. An error that nobody typed is Internal.
func Told(err error) *Error {
	told := &Error{Kind: KindOf(err), Message: err.Error(), Actions: ActionsOf(err)}
	var typed *Error
	if errors.As(err, &typed) {
		told.RetryAfter = typed.RetryAfter
	}
	return told
}
