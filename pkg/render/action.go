package render

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// typed says of each action what a person types for it. A field stands in braces,
// and its name in capitals where the action does not have it; {document} is a path
// with its source, as the command line takes both.
var typed = map[document.ActionKind]string{
	document.DoStart:         "start freshet with `freshet up PATH`",
	document.DoStatusShow:    "see `freshet status`",
	document.DoStateChoose:   "choose the state folder with `--data DIR`",
	document.DoServerChoose:  "choose the server with `--nats URL`",
	document.DoProcessResume: "let it go on with `kill -CONT {value}`",
	document.DoProcessEnd:    "end it with `kill {value}`",

	document.DoConnectionShow: "take the login from what `freshet connection` prints where freshet runs",
	document.DoLoginShow:      "use the login that `freshet connection --role {value}` prints where freshet runs",
	document.DoLoginDefault:   "see the login that is used without `--role`",
	document.DoPageOpen:       "open the page with `freshet open`",

	document.DoConfigWrite:   "write one with `freshet config print > {path}`",
	document.DoConfigDefault: "leave `--config` out",
	document.DoRaiseLimit:    "raise {setting} in the configuration",

	document.DoSourceList:   "see `freshet source list`",
	document.DoSourceAdd:    "watch it with `freshet source add {path}`",
	document.DoSourceAddAPI: "add it with `freshet source add --api {source}`",
	document.DoSourceAccept: "accept it as it is with `freshet source add --accept {path}`",
	document.DoSourceRemove: "give it up with `freshet source remove {source}`",
	document.DoSourcePlan:   "look at what is large in it with `freshet plan {path}`",
	document.DoServerAdd:    "add a folder to the running one with `freshet source add PATH --nats {value}`",
	document.DoStateAdd:     "add a folder to the running one with `freshet source add PATH --data {path}`",
	document.DoDocumentPut:  "put it with `freshet put {source} {encoded}`",
	document.DoExplain:      "see what is there with `freshet explain {path}`",

	document.DoTokenTake:  "take a new one with `freshet token`",
	document.DoAnnounce:   "have it looked at now with `freshet token {path}`",
	document.DoSearchWait: "wait for it with `freshet search --token latest QUERY`",

	document.DoSearchMore:   "ask for {value} hits or more with `-k {value}`",
	document.DoSearchSource: "name the source with `--source {source}`",
	document.DoSearchPath:   "narrow the search with `--path {encoded}`",

	document.DoVerify:       "compare everything with `freshet verify`",
	document.DoVerifyRepair: "repair it with `freshet verify --repair`",
	document.DoLossList:     "see what was lost with `freshet log losses`",
	document.DoLossAccept:   "accept the loss with `freshet log accept-loss`",
	document.DoBuildAccept:  "have it built with `freshet rebuild --accept {value}`",
	document.DoReindexTell:  "see how far it is with `freshet reindex status`",
	document.DoReindexBack:  "go back with `freshet reindex rollback`",
	document.DoLetterShow:   "see how it went with `freshet dlq show {document}`",
	document.DoLetterRetry:  "when the cause is gone, try again with `freshet dlq retry {document}`",

	document.DoRerankerTrain:  "train it again with `freshet train reranker TASKS`",
	document.DoRerankerRemove: "take it back with `freshet train reranker --remove`",
	document.DoRankingRemove:  "take it back with `freshet eval keep --remove`",
	document.DoEmbedderTrain:  "train one with `freshet train embedder --out {path}`",
	document.DoCalibrate:      "write one with `freshet eval calibrate TASKS`",
}

// Actions lists the actions that have words.
func Actions() []document.ActionKind { return slices.Sorted(maps.Keys(typed)) }

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// Action says what a person types for an action, in a few words without a full
// stop. An action that this version does not know stands as its code.
func Action(a document.Action) string {
	text, known := typed[a.Do]
	if !known {
		return terminal.Printable(a.String())
	}
	return terminal.Printable(placeholder.ReplaceAllStringFunc(text, func(name string) string {
		return fieldOf(a, strings.Trim(name, "{}"))
	}))
}

// fieldOf is a field of an action as it is typed.
func fieldOf(a document.Action, name string) string {
	value := map[string]string{
		"source": string(a.Source), "path": a.Path.Raw(), "encoded": string(a.Path), "value": a.Value,
	}[name]
	switch {
	case name == "setting" && a.Setting != "":
		return a.Setting // a sentence names it, nobody types it
	case name == "document" && a.Path != "":
		value = string(a.Source) + ":" + string(a.Path)
	case name == "document", name == "encoded" && value == "":
		name = "path"
	}
	if value == "" {
		return strings.ToUpper(name)
	}
	return terminal.ShellWord(value)
}

// Sentence puts what can be done behind a text that says what is wrong; either may
// be missing.
func Sentence(text string, actions []document.Action) string {
	if len(actions) == 0 {
		return text
	}
	said := make([]string, len(actions))
	for i, a := range actions {
		said[i] = Action(a)
	}
	last := len(said) - 1
	todo := said[last]
	switch last {
	case 0:
	case 1:
		todo = said[0] + ", or " + todo
	default:
		todo = strings.Join(said[:last], ", ") + ", or " + todo
	}
	if text == "" {
		return todo
	}
	return strings.TrimRight(text, ".") + "; " + todo
}

// Error is the text of an error, and what can be done about it.
func Error(err error) string { return Sentence(err.Error(), document.ActionsOf(err)) }

// With is one of the sentences of a reply, with those of the reply's actions
// that belong to it.
func With(sentence string, actions []document.Action) string {
	return Sentence(sentence, document.ActionsAbout(sentence, actions))
}

// Steps are actions that belong to no sentence, each as one.
func Steps(actions []document.Action) []string {
	var out []string
	for _, a := range actions {
		if text := Action(a); a.About == "" {
			out = append(out, strings.ToUpper(text[:1])+text[1:]+".")
		}
	}
	return out
}
