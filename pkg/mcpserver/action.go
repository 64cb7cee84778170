package mcpserver

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// done says of each action what an agent does for it: a tool of this server, or a
// command that it, or the person behind it, runs in a shell. A field stands in
// braces, and its name in capitals where the action does not have it.
var done = map[document.ActionKind]string{
	document.DoStart:         "have freshet started in a terminal: `freshet up FOLDER`",
	document.DoStatusShow:    "call the tool status",
	document.DoStateChoose:   "start this server with `--data FOLDER` of the running freshet",
	document.DoServerChoose:  "start this server with `--nats URL` of the running freshet",
	document.DoProcessResume: "have the process go on: `kill -CONT {value}`",
	document.DoProcessEnd:    "have the process ended: `kill {value}`",

	document.DoConnectionShow: "take the login from `freshet connection` where freshet runs",
	document.DoLoginShow:      "take the login from `freshet connection --role {value}` where freshet runs",
	document.DoLoginDefault:   "name no role",
	document.DoPageOpen:       "open the page with `freshet open` where freshet runs",

	document.DoConfigWrite:   "have a configuration written: `freshet config print`",
	document.DoConfigDefault: "name no configuration file",
	document.DoRaiseLimit:    "have {setting} raised in freshet's configuration",

	document.DoSourceList:   "call the tool status for the sources that there are",
	document.DoSourceAdd:    "have the folder watched: `freshet source add {path}`",
	document.DoSourceAddAPI: "have the source added: `freshet source add --api {source}`",
	document.DoSourceAccept: "have it accepted as it is: `freshet source add --accept {path}`",
	document.DoSourceRemove: "have it given up: `freshet source remove {source}`",
	document.DoSourcePlan:   "see what is large in it: `freshet plan {path}`",
	document.DoServerAdd:    "have the folder added: `freshet source add PATH --nats {value}`",
	document.DoStateAdd:     "have the folder added: `freshet source add PATH --data {path}`",
	document.DoDocumentPut:  "have it put: `freshet put {source} {path}`",
	document.DoExplain:      "see why with `freshet explain {path}`",

	document.DoTokenTake:  "leave the token out, or take a new one from an answer",
	document.DoAnnounce:   "have it looked at now: `freshet token {path}`",
	document.DoSearchWait: "ask with the token `latest`",

	document.DoSearchMore:   "ask with limit {value} or more",
	document.DoSearchSource: "ask with source {source}",
	document.DoSearchPath:   "ask with path {path}",

	document.DoVerify:       "have everything compared: `freshet verify`",
	document.DoVerifyRepair: "have it repaired: `freshet verify --repair`",
	document.DoLossList:     "see what was lost: `freshet log losses`",
	document.DoLossAccept:   "have the loss accepted: `freshet log accept-loss`",
	document.DoBuildAccept:  "have it built: `freshet rebuild --accept {value}`",
	document.DoReindexTell:  "see how far it is: `freshet reindex status`",
	document.DoReindexBack:  "have the former one answer again: `freshet reindex rollback`",
	document.DoLetterShow:   "see how it went: `freshet dlq show {path}`",
	document.DoLetterRetry:  "when the cause is gone, have it tried again: `freshet dlq retry {path}`",

	document.DoRerankerTrain:  "have it trained again: `freshet train reranker TASKS`",
	document.DoRerankerRemove: "have it taken back: `freshet train reranker --remove`",
	document.DoRankingRemove:  "have it taken back: `freshet eval keep --remove`",
	document.DoEmbedderTrain:  "have one trained: `freshet train embedder --out {path}`",
	document.DoCalibrate:      "have one written: `freshet eval calibrate TASKS`",
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// todo says what to do for an action, without a full stop.
func todo(a document.Action) string {
	text, known := done[a.Do]
	if !known {
		return terminal.Printable(a.String())
	}
	fields := map[string]string{"source": string(a.Source), "path": a.Path.Raw(), "setting": a.Setting, "value": a.Value}
	return terminal.Printable(placeholder.ReplaceAllStringFunc(text, func(field string) string {
		name := strings.Trim(field, "{}")
		if name == "setting" && fields[name] != "" {
			return fields[name]
		}
		return terminal.ShellWord(cmp.Or(fields[name], strings.ToUpper(name)))
	}))
}

// sentence puts what can be done behind a text that says what is wrong.
func sentence(text string, actions []document.Action) string {
	text = terminal.Printable(text)
	var all []string
	for _, a := range actions {
		all = append(all, todo(a))
	}
	if len(all) == 0 {
		return text
	}
	return strings.TrimRight(text, ".") + "; " + strings.Join(all, ", or ")
}
