package contract_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	testSource     = document.Source("api")
	testGeneration = document.Generation("code-5f2a91c0")
)

// heads ties each schema of headers to the parser of its heads. read returns
// the headers that the parsed head writes again.
var heads = map[string]func(path document.Path, header nats.Header) (nats.Header, error){
	"files-headers": func(path document.Path, header nats.Header) (nats.Header, error) {
		doc := document.DocOf(path)
		if path == "" {
			doc = document.MarkerDoc
		}
		h, err := contract.ParseFileHead(contract.FileSubject(testSource, doc, "release/2"), 7, header)
		return h.Header(), err
	},
	"chunks-headers": func(path document.Path, header nats.Header) (nats.Header, error) {
		return outputHead(contract.ChunksSubject(testGeneration, testSource, document.DocOf(path)), header)
	},
	"vectors-headers": func(path document.Path, header nats.Header) (nats.Header, error) {
		return outputHead(contract.VectorsSubject(testGeneration, testSource, document.DocOf(path)), header)
	},
	"indexed-headers": func(path document.Path, header nats.Header) (nats.Header, error) {
		return outputHead(contract.IndexedSubject(testGeneration, document.Vector, testSource, document.DocOf(path)), header)
	},
	"dead-headers": func(path document.Path, header nats.Header) (nats.Header, error) {
		h, err := contract.ParseDeadHead(contract.DeadSubject(contract.StageChunker, testSource, document.DocOf(path), "0d4c1be2"), 7, header)
		return h.Header(), err
	},
}

func outputHead(subject string, header nats.Header) (nats.Header, error) {
	h, err := contract.ParseOutputHead(subject, 7, header)
	return h.Header(), err
}

// transport are headers that package bus adds and takes away.
var transport = []string{contract.HeaderEncoding, contract.HeaderClaim, contract.HeaderMeta}

func TestHead_SurvivesItsHeaders(t *testing.T) {
	for name, read := range heads {
		for kase, body := range golden(t, name) {
			if invalid(kase) {
				continue
			}
			var flat map[string]string
			if err := json.Unmarshal(body, &flat); err != nil {
				t.Fatal(err)
			}
			header := nats.Header{}
			for k, v := range flat {
				if !slices.Contains(transport, k) {
					header[k] = []string{v}
				}
			}
			again, err := read(document.Path(flat[contract.HeaderPath]), header)
			if err != nil {
				t.Errorf("%s/%s: %v", name, kase, err)
			} else if !maps.EqualFunc(header, again, slices.Equal) {
				t.Errorf("%s/%s comes back changed:\nwant %v\ngot  %v", name, kase, header, again)
			}
		}
	}
}

// The constants and the schemas name the same headers.
func TestEveryHeader_StandsInASchema(t *testing.T) {
	known := map[string]bool{}
	for name := range heads {
		for p := range parseJSON(t, schemaDir+"/"+name+".json").(map[string]any)["properties"].(map[string]any) {
			known[p] = true
		}
	}
	declared := map[string]bool{}
	for constant, value := range constantsWith(t, "Header") {
		declared[value] = true
		if !known[value] {
			t.Errorf("%s (%s) stands in no schema of headers", constant, value)
		}
	}
	for p := range known {
		if !declared[p] {
			t.Errorf("header %s stands in a schema, but is no constant of the package", p)
		}
	}
}

func TestHeadWithoutNeededHeader_IsRefused(t *testing.T) {
	subject := contract.FileSubject(testSource, document.DocOf("a.go"), document.Worktree)
	for name, header := range map[string]nats.Header{
		"no operation": {contract.HeaderPath: {"a.go"}},
		"no path":      {contract.HeaderOp: {"put"}},
	} {
		if _, err := contract.ParseFileHead(subject, 1, header); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	chunks := contract.ChunksSubject(testGeneration, testSource, document.DocOf("a.go"))
	if _, err := contract.ParseFileHead(chunks, 1, nats.Header{contract.HeaderOp: {"put"}, contract.HeaderPath: {"a"}}); err == nil {
		t.Error("a head of CHUNKS was read as one of FILES")
	}
	if _, err := contract.ParseOutputHead(chunks, 1, nats.Header{contract.HeaderCovers: {"worktree"}}); err == nil {
		t.Error("broken coverage was accepted")
	}
	if _, err := contract.ParseDeadHead(chunks, 1, nats.Header{}); err == nil {
		t.Error("a head of CHUNKS was read as one of DEAD")
	}
}

func TestNewerVersionOfAView_CoverageGrows(t *testing.T) {
	a := contract.Covering("main", contract.Cover{Version: 5}).With("dev", contract.Cover{Version: 9})
	b := a.With("main", contract.Cover{Version: 6})
	if !b.Includes(a) || a.Includes(b) {
		t.Error("a newer version of one view does not count as more")
	}
	if a.Includes(contract.Covering("other", contract.Cover{Version: 1})) {
		t.Error("a view that is not covered counts as covered")
	}
	if a.At("main").Version != 5 {
		t.Error("what something was made of has changed")
	}
	if got := b.Newest(); got != 9 {
		t.Errorf("newest is %d, want 9", got)
	}
	again, err := contract.ParseCovers(b.String())
	if err != nil || !reflect.DeepEqual(again, b) {
		t.Errorf("%q reads back as %v, %v", b.String(), again, err)
	}
}

func enums() map[string][]string {
	out := map[string][]string{}
	for _, s := range contract.Stages {
		out["stage"] = append(out["stage"], string(s))
	}
	for _, s := range document.Sinks {
		out["sink"] = append(out["sink"], string(s))
	}
	for _, s := range contract.VerifyStages {
		out["verify_stage"] = append(out["verify_stage"], string(s))
	}
	for _, f := range contract.VerifyFaults {
		out["verify_fault"] = append(out["verify_fault"], string(f))
	}
	for _, o := range contract.VerifyOutcomes {
		out["verify_outcome"] = append(out["verify_outcome"], string(o))
	}
	for _, g := range contract.VerifyGaps {
		out["verify_gap"] = append(out["verify_gap"], string(g))
	}
	for _, k := range document.ErrorKinds {
		out["error_kind"] = append(out["error_kind"], string(k))
	}
	for _, k := range document.ActionKinds {
		out["action_kind"] = append(out["action_kind"], string(k))
	}
	for _, k := range contract.LossKinds {
		out["loss_kind"] = append(out["loss_kind"], string(k))
	}
	for _, s := range contract.LetterStates {
		out["letter_state"] = append(out["letter_state"], string(s))
	}
	for _, k := range contract.FailureKinds {
		out["failure_kind"] = append(out["failure_kind"], string(k))
	}
	for _, o := range contract.RetryOutcomes {
		out["retry_outcome"] = append(out["retry_outcome"], string(o))
	}
	for _, k := range contract.FeedbackKinds {
		out["feedback_kind"] = append(out["feedback_kind"], string(k))
	}
	out["chunk_kind"] = []string{
		document.KindFunction, document.KindMethod, document.KindClass, document.KindType, document.KindModule,
		document.KindVariable, document.KindHeader, document.KindSection, document.KindBlock,
	}
	return out
}
