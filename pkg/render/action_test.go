package render_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func TestEveryAction_HasWords(t *testing.T) {
	for _, kind := range document.ActionKinds {
		if text := render.Action(document.Action{Do: kind}); text == string(kind) {
			t.Errorf("the action %s has no words", kind)
		}
	}
	for _, kind := range render.Actions() {
		if !slices.Contains(document.ActionKinds, kind) {
			t.Errorf("%s has words and is no action", kind)
		}
	}
}

func TestEveryFieldOfAnAction_IsShown(t *testing.T) {
	full := document.Action{Source: "net", Path: "docs/a b%25.md", Setting: "limits.files", Value: "12"}
	for _, kind := range document.ActionKinds {
		bare := render.Action(document.Action{Do: kind})
		a := full
		a.Do = kind
		text := render.Action(a)
		for name, value := range map[string]string{"SOURCE": "net", "SETTING": "limits.files", "VALUE": "12"} {
			if strings.Contains(bare, name) && !strings.Contains(text, value) {
				t.Errorf("%s: %q has no %s", kind, text, value)
			}
		}
		if strings.ContainsAny(text, "{}") {
			t.Errorf("%s: %q has a field that nobody knows", kind, text)
		}
	}
	for kind, want := range map[document.ActionKind]string{
		document.DoSourceAdd:   "watch it with `freshet source add 'docs/a b%.md'`",
		document.DoLetterShow:  "see how it went with `freshet dlq show 'net:docs/a b%25.md'`",
		document.DoRaiseLimit:  "raise limits.files in the configuration",
		document.DoSearchMore:  "ask for 12 hits or more with `-k 12`",
		document.DoDocumentPut: "put it with `freshet put net 'docs/a b%25.md'`",
		"dance":                "dance source=net path=docs/a b%25.md setting=limits.files value=12",
	} {
		a := full
		a.Do = kind
		if got := render.Action(a); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

func TestNextStep_StandsBehindItsSentence(t *testing.T) {
	sentences := []string{"verify: 3 differences were left", "log: 2 things were lost", "watcher: it does not answer"}
	actions := slices.Concat(
		document.About(sentences[0], document.Acts(document.DoVerifyRepair)...),
		document.About(sentences[1], document.Acts(document.DoLossList, document.DoLossAccept, document.DoStatusShow)...))
	var out strings.Builder
	if err := render.Notes(&out, terminal.Style{}, render.Places{}, contract.SearchReply{Degraded: sentences, Actions: actions}, false); err != nil {
		t.Fatal(err)
	}
	want := "degraded: verify: 3 differences were left; repair it with `freshet verify --repair`\n" +
		"degraded: log: 2 things were lost; see what was lost with `freshet log losses`, accept the loss with `freshet log accept-loss`, or see `freshet status`\n" +
		"degraded: watcher: it does not answer\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// A name in an action comes from a folder of somebody else.
func TestNameInAnAction_DoesNotSteerTheTerminal(t *testing.T) {
	text := render.Action(document.Action{Do: document.DoSourceAdd, Path: document.EncodePath("/src/\x1b[31m; rm x")})
	if strings.Contains(text, "\x1b") || !strings.Contains(text, "'/src/") {
		t.Errorf("shown as %q", text)
	}
}
