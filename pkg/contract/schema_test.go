package contract_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/freshet-dev/freshet/pkg/contract"
)

const schemaDir = "../../schemas"

// bodies ties each schema of a JSON body to the struct that is sent.
var bodies = map[string]reflect.Type{
	"chunks":               reflect.TypeFor[contract.ChunksBody](),
	"vectors":              reflect.TypeFor[contract.VectorsBody](),
	"indexed":              reflect.TypeFor[contract.IndexedBody](),
	"dead":                 reflect.TypeFor[contract.DeadBody](),
	"repair":               reflect.TypeFor[contract.Repair](),
	"unread":               reflect.TypeFor[contract.UnreadBody](),
	"nudge":                reflect.TypeFor[string](),
	"empty":                reflect.TypeFor[struct{}](),
	"search-request":       reflect.TypeFor[contract.SearchRequest](),
	"search-reply":         reflect.TypeFor[contract.SearchReply](),
	"grep-request":         reflect.TypeFor[contract.GrepRequest](),
	"grep-reply":           reflect.TypeFor[contract.GrepReply](),
	"files-request":        reflect.TypeFor[contract.FilesRequest](),
	"files-part":           reflect.TypeFor[contract.FilesPart](),
	"answer-request":       reflect.TypeFor[contract.AnswerRequest](),
	"answer-part":          reflect.TypeFor[contract.AnswerPart](),
	"read-request":         reflect.TypeFor[contract.ReadRequest](),
	"read-reply":           reflect.TypeFor[contract.ReadReply](),
	"outline-request":      reflect.TypeFor[contract.OutlineRequest](),
	"outline-reply":        reflect.TypeFor[contract.OutlineReply](),
	"passages-request":     reflect.TypeFor[contract.PassagesRequest](),
	"passages-reply":       reflect.TypeFor[contract.PassagesReply](),
	"access-list":          reflect.TypeFor[contract.AccessList](),
	"context-request":      reflect.TypeFor[contract.ContextRequest](),
	"context-reply":        reflect.TypeFor[contract.ContextReply](),
	"related-request":      reflect.TypeFor[contract.RelatedRequest](),
	"related-reply":        reflect.TypeFor[contract.RelatedReply](),
	"lease":                reflect.TypeFor[contract.Lease](),
	"summaries":            reflect.TypeFor[contract.Summaries](),
	"lease-check":          reflect.TypeFor[contract.LeaseCheck](),
	"lease-news":           reflect.TypeFor[contract.LeaseNews](),
	"key-stored":           reflect.TypeFor[contract.StoredKey](),
	"key-add":              reflect.TypeFor[contract.KeyAdd](),
	"key-added":            reflect.TypeFor[contract.KeyAdded](),
	"key-list":             reflect.TypeFor[contract.KeyList](),
	"key-revoke":           reflect.TypeFor[contract.KeyRevoke](),
	"key-who":              reflect.TypeFor[contract.KeyWho](),
	"principal":            reflect.TypeFor[contract.Principal](),
	"standing":             reflect.TypeFor[contract.Standing](),
	"standing-hit":         reflect.TypeFor[contract.StandingHit](),
	"watch-add":            reflect.TypeFor[contract.WatchAdd](),
	"watched":              reflect.TypeFor[contract.Watched](),
	"watch-remove":         reflect.TypeFor[contract.WatchRemove](),
	"watch-list":           reflect.TypeFor[contract.WatchList](),
	"status-reply":         reflect.TypeFor[contract.StatusReply](),
	"dead-list-request":    reflect.TypeFor[contract.DeadListRequest](),
	"dead-list-reply":      reflect.TypeFor[contract.DeadListReply](),
	"dead-show-request":    reflect.TypeFor[contract.DeadShowRequest](),
	"dead-show-reply":      reflect.TypeFor[contract.DeadShowReply](),
	"dead-change":          reflect.TypeFor[contract.DeadChange](),
	"dead-change-reply":    reflect.TypeFor[contract.DeadChangeReply](),
	"dead-outcome-request": reflect.TypeFor[contract.DeadOutcomeRequest](),
	"dead-outcome-reply":   reflect.TypeFor[contract.DeadOutcomeReply](),

	"feedback":              reflect.TypeFor[contract.Feedback](),
	"feedback-reply":        reflect.TypeFor[contract.FeedbackReply](),
	"audit-entry":           reflect.TypeFor[contract.AuditEntry](),
	"audit-list-request":    reflect.TypeFor[contract.AuditListRequest](),
	"audit-list-reply":      reflect.TypeFor[contract.AuditListReply](),
	"feedback-list-request": reflect.TypeFor[contract.FeedbackListRequest](),
	"feedback-list-reply":   reflect.TypeFor[contract.FeedbackListReply](),
	"feedback-purge-reply":  reflect.TypeFor[contract.FeedbackPurgeReply](),

	"golden-question":         reflect.TypeFor[contract.GoldenQuestion](),
	"golden-list":             reflect.TypeFor[contract.GoldenList](),
	"golden-remove":           reflect.TypeFor[contract.GoldenRemove](),
	"evaluate-request":        reflect.TypeFor[contract.EvaluateRequest](),
	"evaluation-part":         reflect.TypeFor[contract.EvaluationPart](),
	"evaluation":              reflect.TypeFor[contract.Evaluation](),
	"evaluation-list-request": reflect.TypeFor[contract.EvaluationListRequest](),
	"evaluation-list":         reflect.TypeFor[contract.EvaluationList](),
	"evaluation-remove":       reflect.TypeFor[contract.EvaluationRemove](),

	"loss-list":      reflect.TypeFor[contract.LossList](),
	"build-accept":   reflect.TypeFor[contract.BuildAccept](),
	"build-accepted": reflect.TypeFor[contract.BuildAccepted](),

	"reindex-request": reflect.TypeFor[contract.ReindexRequest](),
	"reindex-reply":   reflect.TypeFor[contract.ReindexReply](),
	"reload-request":  reflect.TypeFor[contract.ReloadRequest](),
	"reload-reply":    reflect.TypeFor[contract.ReloadReply](),

	"embed-request":        reflect.TypeFor[contract.EmbedRequest](),
	"embed-reply":          reflect.TypeFor[contract.EmbedReply](),
	"announce-request":     reflect.TypeFor[contract.Announce](),
	"announce-reply":       reflect.TypeFor[contract.AnnounceReply](),
	"put-request":          reflect.TypeFor[contract.PutRequest](),
	"delete-request":       reflect.TypeFor[contract.DeleteRequest](),
	"write-reply":          reflect.TypeFor[contract.WriteReply](),
	"change":               reflect.TypeFor[contract.Change](),
	"source-add":           reflect.TypeFor[contract.SourceAdd](),
	"source-remove":        reflect.TypeFor[contract.SourceRemove](),
	"source-list":          reflect.TypeFor[contract.SourceList](),
	"report":               reflect.TypeFor[contract.Report](),
	"erase-reply":          reflect.TypeFor[contract.EraseReply](),
	"sweep-reply":          reflect.TypeFor[contract.SweepReply](),
	"explain-file":         reflect.TypeFor[contract.ExplainFile](),
	"file-explanation":     reflect.TypeFor[contract.FileExplanation](),
	"explain-query":        reflect.TypeFor[contract.ExplainQuery](),
	"explanation":          reflect.TypeFor[contract.Explanation](),
	"verify-request":       reflect.TypeFor[contract.VerifyRequest](),
	"verify-files-request": reflect.TypeFor[contract.VerifyFilesRequest](),
	"verify-part":          reflect.TypeFor[contract.VerifyPart](),
	"store-record":         reflect.TypeFor[contract.StoreRecord](),
	"reranker":             reflect.TypeFor[contract.Reranker](),
	"reranker-request":     reflect.TypeFor[contract.RerankerRequest](),
	"reranker-reply":       reflect.TypeFor[contract.RerankerReply](),
	"kept-ranking":         reflect.TypeFor[contract.KeptRanking](),
	"ranking-request":      reflect.TypeFor[contract.RankingRequest](),
	"ranking-reply":        reflect.TypeFor[contract.RankingReply](),
	"error-reply":          reflect.TypeFor[contract.ErrorReply](),
}

// compile returns the schema named; formats such as date-time are asserted.
func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	entries, err := filepath.Glob(filepath.Join(schemaDir, "*.json"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("no schemas in %s: %v", schemaDir, err)
	}
	const base = "https://github.com/freshet-dev/freshet/schemas/"
	for _, file := range entries {
		doc := parseJSON(t, file)
		id, _ := doc.(map[string]any)["$id"].(string)
		if want := base + filepath.Base(file); id != want {
			t.Fatalf("%s has $id %q, want %q", file, id, want)
		}
		if err := c.AddResource(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile(base + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parseJSON(t *testing.T, file string) any {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

// schemaNames lists the schemas of messages: all but the shared definitions
// and the configuration, which package config ties.
func schemaNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(schemaDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if name != "defs" && name != "config" {
			out = append(out, name)
		}
	}
	return out
}

func TestEverySchema_HasAStruct(t *testing.T) {
	for _, name := range schemaNames(t) {
		_, isBody := bodies[name]
		_, isHeader := heads[name]
		if isBody == isHeader {
			t.Errorf("schema %s is tied to no struct, or to two: name it in bodies, above", name)
		}
	}
}

// Every struct that stands in JSON is a message or a part of one.
func TestEveryStruct_HasASchema(t *testing.T) {
	tied := map[reflect.Type]bool{}
	for _, typ := range bodies {
		structsOf(typ, tied)
	}
	names := map[string]bool{}
	for typ := range tied {
		if strings.HasSuffix(typ.PkgPath(), "/contract") {
			names[typ.Name()] = true
		}
	}
	for _, name := range taggedStructs(t) {
		if !names[name] {
			t.Errorf("struct %s has JSON tags but is part of no message that a schema describes", name)
		}
	}
}

// structsOf collects typ and every struct that it holds.
func structsOf(typ reflect.Type, into map[reflect.Type]bool) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		structsOf(typ.Elem(), into)
	case reflect.Map:
		structsOf(typ.Key(), into)
		structsOf(typ.Elem(), into)
	case reflect.Struct:
		if into[typ] {
			return
		}
		into[typ] = true
		for i := range typ.NumField() {
			structsOf(typ.Field(i).Type, into)
		}
	}
}

// Generators of clients name a type after its title: two of one name end it, or take one
// for the other; and some know an enumeration only by its type.
func TestTitlesOfSchemas_NameOneTypeEach(t *testing.T) {
	entries, err := os.ReadDir(schemaDir)
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]string{}
	var look func(at string, value any)
	look = func(at string, value any) {
		switch value := value.(type) {
		case []any:
			for i, v := range value {
				look(fmt.Sprintf("%s/%d", at, i), v)
			}
		case map[string]any:
			_, typed := value["type"]
			if title, ok := value["title"].(string); ok {
				if before, taken := first[strings.ToLower(title)]; taken {
					t.Errorf("%s and %s are both titled %q", before, at, title)
				}
				first[strings.ToLower(title)] = at
			}
			if _, ok := value["enum"].([]any); ok && !typed && !strings.HasSuffix(at, "/propertyNames") {
				t.Errorf("%s has an enumeration and no type", at)
			}
			for key, v := range value {
				look(at+"/"+key, v)
			}
		}
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(schemaDir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		look(e.Name(), schema)
	}
	if len(first) < 100 {
		t.Errorf("only %d titles were found", len(first))
	}
}
