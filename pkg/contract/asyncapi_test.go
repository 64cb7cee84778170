package contract_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func asyncapi(t *testing.T) map[string]any {
	t.Helper()
	b, err := os.ReadFile(schemaDir + "/asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// addresses returns the channels of asyncapi.yaml by address.
func addresses(t *testing.T) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, c := range asyncapi(t)["channels"].(map[string]any) {
		c := c.(map[string]any)
		if a, ok := c["address"].(string); ok && a != "null" {
			out[a] = c
		}
	}
	return out
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// builders ties each function of the package that builds a subject to its
// address; the arguments stand for themselves in the result.
var builders = map[string]struct{ address, built, stream string }{
	"NudgeSubject":    {"freshet.nudge.{stage}", contract.NudgeSubject("STAGE"), ""},
	"CancelSubject":   {"freshet.cancel.{id}", contract.CancelSubject("ID"), ""},
	"AliveSubject":    {"freshet.alive.{id}", contract.AliveSubject("ID"), ""},
	"StandingSubject": {"freshet.standing.{id}", contract.StandingSubject("ID"), ""},
	"ChangeSubject":   {"freshet.changes.{source}.{view}", contract.ChangeSubject("SOURCE", "view"), ""},
	"FileSubject":     {"freshet.files.{source}.{doc}.{view}", contract.FileSubject("SOURCE", "DOC", "view"), contract.StreamFiles},
	"ChunksSubject":   {"freshet.chunks.{generation}.{source}.{doc}", contract.ChunksSubject("GENERATION", "SOURCE", "DOC"), contract.StreamChunks},
	"VectorsSubject":  {"freshet.vectors.{generation}.{source}.{doc}", contract.VectorsSubject("GENERATION", "SOURCE", "DOC"), contract.StreamVectors},
	"IndexedSubject":  {"freshet.indexed.{generation}.{sink}.{source}.{doc}", contract.IndexedSubject("GENERATION", "SINK", "SOURCE", "DOC"), contract.StreamIndexed},
	"DeadSubject":     {"freshet.dead.{stage}.{source}.{doc}.{build}", contract.DeadSubject("STAGE", "SOURCE", "DOC", "BUILD"), contract.StreamDead},

	"FeedbackEventSubject": {"freshet.feedback.events.{about}", contract.FeedbackEventSubject("ABOUT"), contract.StreamFeedback},
	"AuditEntrySubject":    {"freshet.audit.entries.{about}", contract.AuditEntrySubject("ABOUT"), contract.StreamAudit},
}

func TestEverySubjectBuilder_StandsInAsyncAPI(t *testing.T) {
	channels := addresses(t)
	want := contract.Key{Source: "SOURCE", Doc: "DOC", View: "view", Generation: "GENERATION", Sink: "SINK", Stage: "STAGE", Build: "BUILD", About: "ABOUT"}
	for _, name := range readSource(t).builders {
		b, ok := builders[name]
		if !ok {
			t.Errorf("%s is tied to no address", name)
			continue
		}
		channel := channels[b.address]
		if channel == nil {
			t.Errorf("%s: asyncapi.yaml has no channel %s", name, b.address)
			continue
		}
		upper := parameter.ReplaceAllStringFunc(b.address, func(p string) string {
			if p == "{view}" {
				return "view" // upper case would be encoded
			}
			return strings.ToUpper(strings.Trim(p, "{}"))
		})
		if b.built != upper {
			t.Errorf("%s builds %s, its address is %s", name, b.built, b.address)
		}
		if stream, _ := channel["x-stream"].(string); stream != b.stream {
			t.Errorf("%s: asyncapi.yaml puts it into stream %q, want %q", name, stream, b.stream)
		}
		if b.stream == "" {
			continue
		}
		key, err := contract.ParseSubject(b.built)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expect := contract.Key{Stream: b.stream}
		for _, m := range parameter.FindAllStringSubmatch(b.address, -1) {
			f := strings.ToUpper(m[1][:1]) + m[1][1:]
			reflect.ValueOf(&expect).Elem().FieldByName(f).Set(reflect.ValueOf(want).FieldByName(f))
		}
		if key != expect {
			t.Errorf("%s reads back as %+v, want %+v", name, key, expect)
		}
		if pattern := parameter.ReplaceAllString(b.address, "*"); contract.StreamSubjects(b.stream) != pattern {
			t.Errorf("stream %s is bound to %s, want %s", b.stream, contract.StreamSubjects(b.stream), pattern)
		}
	}
}

func TestEveryEndpoint_StandsInAsyncAPI(t *testing.T) {
	channels := addresses(t)
	known := map[string]bool{
		contract.KeyAddress(contract.BucketStores, contract.StoreKey("{generation}", "{sink}")):     true,
		contract.KeyAddress(contract.BucketModels, contract.ModelReranker):                          true,
		contract.KeyAddress(contract.BucketModels, contract.ModelRanking):                           true,
		contract.KeyAddress(contract.BucketLeases, "{lease}"):                                       true,
		contract.KeyAddress(contract.BucketStanding, "{standing}"):                                  true,
		contract.KeyAddress(contract.BucketSummaries, contract.SummariesKey("{source}", "{doc}")):   true,
		contract.KeyAddress(contract.BucketEvaluations, contract.GoldenKey("{source}", "{golden}")): true,
		contract.KeyAddress(contract.BucketEvaluations, contract.EvaluationKey("{evaluation}")):     true,
		contract.KeyAddress(contract.BucketKeys, "{key}"):                                           true,
	}
	for _, b := range builders {
		known[b.address] = true
	}
	for name, subject := range constantsWith(t, "Subject") {
		known[subject] = true
		if channels[subject] == nil {
			t.Errorf("%s (%s) is no channel of asyncapi.yaml", name, subject)
		}
		for _, stream := range append([]string{contract.StreamFeedback, contract.StreamAudit}, contract.Streams...) {
			if matches(contract.StreamSubjects(stream), subject) {
				t.Errorf("requests on %s would be stored in %s", subject, stream)
			}
		}
	}
	for address := range channels {
		if !known[address] {
			t.Errorf("asyncapi.yaml has channel %s, which no code builds", address)
		}
	}
}

// matches reports whether a subject fits a pattern of single-token wildcards.
func matches(pattern, subject string) bool {
	p, s := strings.Split(pattern, "."), strings.Split(subject, ".")
	if len(p) != len(s) {
		return false
	}
	for i := range p {
		if p[i] != "*" && p[i] != s[i] {
			return false
		}
	}
	return true
}

func TestEveryReferenceOfAsyncAPI_LeadsSomewhere(t *testing.T) {
	doc := asyncapi(t)
	used := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				if file, ok := strings.CutPrefix(ref, "./"); ok {
					used[strings.TrimSuffix(file, ".json")] = true
				} else if !pointsAt(doc, ref) {
					t.Errorf("reference %s leads nowhere", ref)
				}
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	for _, name := range schemaNames(t) {
		if !used[name] {
			t.Errorf("schema %s is used by no message of asyncapi.yaml", name)
		}
		delete(used, name)
	}
	for name := range used {
		t.Errorf("asyncapi.yaml uses schema %s, which is not there", name)
	}
}

func pointsAt(doc map[string]any, ref string) bool {
	var at any = doc
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if at, ok = m[step]; !ok {
			return false
		}
	}
	return true
}

func TestEveryOperation_HasItsChannelAndReply(t *testing.T) {
	doc := asyncapi(t)
	channels := doc["channels"].(map[string]any)
	inUse := map[string]bool{}
	for name, op := range doc["operations"].(map[string]any) {
		op := op.(map[string]any)
		ref := op["channel"].(map[string]any)["$ref"].(string)
		channel := strings.TrimPrefix(ref, "#/channels/")
		inUse[channel] = true
		reply, hasReply := op["reply"].(map[string]any)
		if (op["action"] == "receive") != hasReply {
			t.Errorf("operation %s: action %v, reply %v", name, op["action"], hasReply)
		}
		if hasReply {
			inUse[strings.TrimPrefix(reply["channel"].(map[string]any)["$ref"].(string), "#/channels/")] = true
		}
	}
	for name := range channels {
		if !inUse[name] {
			t.Errorf("channel %s is used by no operation", name)
		}
	}
}

func TestEveryStage_IsReadBackFromItsSubject(t *testing.T) {
	for _, st := range contract.Stages {
		k, err := contract.ParseSubject(contract.DeadSubject(st, testSource, document.DocOf("a"), "0d4c1be2"))
		if err != nil || k.Stage != st {
			t.Errorf("stage %s reads back as %q: %v", st, k.Stage, err)
		}
	}
}
