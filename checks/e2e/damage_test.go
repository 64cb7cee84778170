package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/rpc"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// hurt damages the file of a block.
type hurt struct {
	name string
	do   func(t *testing.T, path string)
}

// flipped returns what flips so many bits of a file, always the same ones.
func flipped(bits int) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		raw := readFile(t, path)
		if len(raw) == 0 {
			t.Fatalf("%s is empty", path)
		}
		pick := rand.New(rand.NewPCG(uint64(bits), uint64(len(raw))))
		for range bits {
			raw[pick.IntN(len(raw))] ^= 1 << pick.IntN(8)
		}
		overwrite(t, path, raw)
	}
}

var hurts = []hurt{
	{"1 bit", flipped(1)},
	{"20 bits", flipped(20)},
	{"zeroed", func(t *testing.T, path string) { overwrite(t, path, make([]byte, len(readFile(t, path)))) }},
	{"missing", func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}},
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// overwrite changes a file in place, as a disk does: whoever has it open sees
// it too.
func overwrite(t *testing.T, path string, raw []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(raw, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// damagedStreams are the streams and buckets of the log, as the server names
// them on its disk.
var damagedStreams = []string{
	contract.StreamFiles, contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed, contract.StreamDead, contract.StreamFeedback, contract.StreamAudit,
	"KV_" + contract.BucketMeta, "KV_" + contract.BucketSources, "KV_" + contract.BucketSuspects, "KV_" + contract.BucketStores, "KV_" + contract.BucketModels,
	"KV_" + contract.BucketLeases, "KV_" + contract.BucketStanding, "KV_" + contract.BucketSummaries, "KV_" + contract.BucketEvaluations, "KV_" + contract.BucketKeys,
	"OBJ_" + contract.BucketBodies,
}

// blockOf returns the last block of a stream that has something in it.
func blockOf(t *testing.T, data, stream string) string {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(data, "log", "jetstream", "*", "streams", stream, "msgs", "*.blk"))
	if err != nil {
		t.Fatal(err)
	}
	blocks = slices.DeleteFunc(blocks, func(path string) bool { return len(readFile(t, path)) == 0 })
	if len(blocks) == 0 {
		t.Fatalf("%s has no blocks", stream)
	}
	return blocks[len(blocks)-1]
}

// unembeddable is a text that no vector can be made of.
const unembeddable = "Quarrelsome"

// refusing is the bundled model, which refuses one text.
type refusing struct{ embed.Embedder }

func (e refusing) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	vectors, errs := e.Embedder.EmbedDocuments(ctx, texts)
	for i, text := range texts {
		if strings.Contains(text, unembeddable) {
			vectors[i], errs[i] = embed.Vector{}, bus.Permanent(fmt.Errorf("no vector for %s", unembeddable))
		}
	}
	return vectors, errs
}

// estate is a state with something in each stream and bucket, and what has to
// be found in it.
type estate struct {
	data   string
	roots  []string
	model  embed.Embedder
	places map[string]string // word: where it stands
	put    map[string]string // the same of what was put by request
	token  document.Token
}

// newEstate makes one, stopped cleanly.
func newEstate(t *testing.T) *estate {
	t.Helper()
	plain, err := open.Embedder(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	e := &estate{data: t.TempDir(), model: refusing{plain}, places: map[string]string{}, put: map[string]string{}}
	root := folder(t, "library")
	for i, word := range library(t, root, 9) {
		e.places[word] = fmt.Sprintf("library/shelf%d/%s.go", i%3, word)
	}
	write(t, filepath.Join(root, "large.md"), largeText("Leviathan"))
	e.places["Leviathan"] = "library/large.md"
	write(t, filepath.Join(root, "refused.go"), goFile(unembeddable))
	work := folder(t, "birds")
	git(t, work, "init", "--quiet", "--initial-branch=main")
	write(t, filepath.Join(work, "one.go"), goFile("Albatross"))
	git(t, work, "add", ".")
	git(t, work, "commit", "--quiet", "--message=first")
	bare := filepath.Join(folder(t, "served"), "birds.git")
	git(t, work, "clone", "--quiet", "--bare", ".", bare)
	e.roots = []string{root, bare}

	r := e.up(t, e.data)
	for _, s := range r.ready.Sources {
		if s.Root == bare {
			e.places["Albatross"] = string(s.Source) + "/one.go"
		}
	}
	r.addAPI("tickets")
	for _, word := range []string{"Heronry", "Kittiwake", "Lapwinged"} {
		e.put[word] = "tickets/" + word + ".go"
		r.put("tickets", word+".go", goFile("Former"+word))
		r.put("tickets", word+".go", goFile(word))
	}
	e.put["Behemoth"] = "tickets/large.md"
	e.token, err = document.ParseToken(r.put("tickets", "large.md", largeText("Behemoth")))
	if err != nil {
		t.Fatal(err)
	}
	r.quiet() // a search waits a minute at most
	rep := r.find("Behemoth", e.token.String())
	praise := contract.Feedback{Kind: contract.FeedbackUp, Query: "Behemoth", Token: rep.Token, Hits: []contract.FeedbackHit{{Source: "tickets", Path: "large.md"}}}
	ask[contract.Feedback, contract.FeedbackReply](t, r.bus, contract.SubjectFeedback, praise)
	r.gaveUpOn("refused.go")
	ask[contract.DeadChange, contract.DeadChangeReply](t, r.bus, contract.SubjectDeadDrop, contract.DeadChange{All: true})
	for _, bucket := range []string{contract.BucketModels, contract.BucketSuspects, contract.BucketLeases, contract.BucketStanding} {
		kv, err := r.bus.JetStream().KeyValue(t.Context(), bucket)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kv.Put(t.Context(), "kept", []byte(strings.Repeat("1", 64))); err != nil {
			t.Fatal(err)
		}
	}
	// What a model says of passages stays for as long as the document is there.
	said := contract.Summaries{By: strings.Repeat("a model ", 8), Passages: []contract.Summary{}}
	raw, err := json.Marshal(said)
	if err == nil {
		_, err = r.bus.Bucket(contract.BucketSummaries).Put(t.Context(), contract.SummariesKey("tickets", document.DocOf("large.md")), raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	ask[contract.GoldenQuestion, contract.GoldenList](t, r.bus, contract.SubjectGoldenPut, contract.GoldenQuestion{Source: "tickets", Query: "which ticket tells of the Behemoth", Answers: []contract.GoldenAnswer{{Path: "large.md"}}})
	ask[contract.KeyAdd, contract.KeyAdded](t, r.bus, contract.SubjectKeysAdd, contract.KeyAdd{Name: "laptop"})
	r.quiet()
	r.stop()
	return e
}

// largeText is what stands in an object of its own, beside the log.
func largeText(word string) string {
	pick := rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32s", word))))
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %[1]s\n\nThe %[1]s of %[1]s is a %[1]s.\n\n# Letters\n", word)
	for line := 0; b.Len() < 740<<10; line++ {
		b.WriteString("\n")
		for range 400 {
			b.WriteByte(letters[pick.Uint64()%64])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// gaveUpOn waits until a stage has given up on a path.
func (r *rig) gaveUpOn(path document.Path) {
	r.t.Helper()
	for {
		list := ask[contract.DeadListRequest, contract.DeadListReply](r.t, r.bus, contract.SubjectDeadList, contract.DeadListRequest{})
		if slices.ContainsFunc(list.Letters, func(l contract.DeadLetter) bool { return l.Path == path }) {
			return
		}
	}
}

func (e *estate) options(data string) func(*freshet.Options) {
	return func(o *freshet.Options) {
		o.Embedders, o.CheckLog = open.Alike(e.model), 100*time.Millisecond
		o.Config.Access.Audit = time.Hour
	}
}

func (e *estate) up(t *testing.T, data string) *rig {
	t.Helper()
	return upWith(t, data, e.options(data), e.roots...)
}

// copied returns a copy of the state.
func (e *estate) copied(t *testing.T) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "state")
	if err := os.CopyFS(data, os.DirFS(e.data)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	return data
}

// judge holds a run after damage against what was there, and returns the
// outcome in words.
func (e *estate) judge(t *testing.T, r *rig, stream string) string {
	t.Helper()
	sum := r.quiet()
	// Before anything is asked that is noted, too.
	if entries := ask[contract.AuditListRequest, contract.AuditListReply](t, r.bus, contract.SubjectAuditList, contract.AuditListRequest{}).Entries; len(entries) == 0 && !anyLoss(sum, contract.LossAudit) {
		t.Error("who asked what is lost, and nobody says so")
	}
	if keys := ask[struct{}, contract.KeyList](t, r.bus, contract.SubjectKeysList, struct{}{}).Keys; len(keys) == 0 && !anyLoss(sum, contract.LossKey) {
		t.Error("a key is lost, and nobody says so")
	}
	if golden := ask[struct{}, contract.GoldenList](t, r.bus, contract.SubjectGoldenList, struct{}{}).Questions; len(golden) == 0 && !anyLoss(sum, contract.LossGolden) {
		t.Error("a golden question is lost, and nobody says so")
	}
	lost := map[string]bool{}
	for _, l := range sum.Losses {
		name := l.Name
		if l.Path != "" {
			name = string(l.Path)
		}
		if l.Source != "" {
			name = string(l.Source) + "/" + name
		}
		lost[string(l.What)+" "+name] = true
	}
	for word, place := range e.places {
		r.shows("latest", word, place)
	}
	for word, place := range e.put {
		switch got := strings.Join(found(r.find(word, "latest"), word), " "); {
		case got == place && !lost["document "+place]:
		case got == "" && (lost["document "+place] || lost["source tickets"]):
		default:
			t.Errorf("%s, which was put, is found in %q; lost: %v", word, got, lost)
		}
		r.shows("latest", "Former"+word, "")
	}
	if stream == contract.StreamFiles {
		_, err := client.Search.Ask(t.Context(), r.bus.Conn(), contract.SearchRequest{Query: "Behemoth", Token: e.token.String()})
		if document.KindOf(err) != document.TokenUnknown {
			t.Errorf("the token %s of a damaged log is answered with %v", e.token, err)
		}
	}
	events := ask[contract.FeedbackListRequest, contract.FeedbackListReply](t, r.bus, contract.SubjectFeedbackList, contract.FeedbackListRequest{})
	if len(events.Events) == 0 && !anyLoss(sum, contract.LossFeedback) {
		t.Error("feedback is lost, and nobody says so")
	}
	sources := r.sources()
	if !slices.Contains(sources, "tickets") && !lost["source tickets"] {
		t.Errorf("sources: %v, and nobody says so", sources)
	}
	// A version that is made again may fail again.
	if st := r.status(); len(st.Failed) > 0 && !anyLoss(sum, contract.LossLetter) && stream != contract.StreamFiles {
		t.Errorf("a dismissed letter is back, and nobody says so: %v", st.Failed)
	}
	if len(sum.Losses) == 0 {
		return "heals"
	}
	return e.accepted(t, r, sum)
}

// accepted has the loss accepted, and checks that all is equal then.
func (e *estate) accepted(t *testing.T, r *rig, sum contract.VerifySummary) string {
	t.Helper()
	if sum.Equal {
		t.Errorf("equal, although %v is lost", sum.Losses)
	}
	if !slices.Contains(r.sources(), "tickets") {
		r.addAPI("tickets")
	}
	rep := ask[struct{}, contract.LossList](t, r.bus, contract.SubjectLossesAccept, struct{}{})
	if len(rep.Losses) != len(sum.Losses) {
		t.Errorf("accepted %v, lost was %v", rep.Losses, sum.Losses)
	}
	if sum := r.quiet(); !sum.Equal {
		t.Errorf("not equal after the loss was accepted: %+v", sum)
	}
	var kinds []string
	for _, kind := range contract.LossKinds {
		if lossNames[kind] == "" {
			t.Errorf("the table has no name for a loss of the kind %s", kind)
		}
		if anyLoss(sum, kind) {
			kinds = append(kinds, lossNames[kind])
		}
	}
	return "heals but for " + strings.Join(kinds, ", ")
}

// lossNames is what the table calls what is lost.
var lossNames = map[contract.LossKind]string{
	contract.LossDocument: "documents put by request", contract.LossSource: "the list of sources", contract.LossModel: "models",
	contract.LossFeedback: "feedback", contract.LossAudit: "the audit log", contract.LossKey: "keys", contract.LossGolden: "golden questions", contract.LossLetter: "dead letters", contract.LossRecord: "the list of what was lost",
}

func anyLoss(sum contract.VerifySummary, kind contract.LossKind) bool {
	return slices.ContainsFunc(sum.Losses, func(l contract.Loss) bool { return l.What == kind })
}

func (r *rig) sources() (names []document.Source) {
	r.t.Helper()
	for _, s := range ask[struct{}, contract.SourceList](r.t, r.bus, contract.SubjectSourcesList, struct{}{}).Sources {
		names = append(names, s.Source)
	}
	return names
}

// quiet compares until nothing differs by itself any more. A document that is
// lost stays missing until that is accepted.
func (r *rig) quiet() contract.VerifySummary {
	r.t.Helper()
	var differences []contract.Difference
	for range 40 {
		found, sum := r.verify(contract.VerifyRequest{})
		differences = slices.DeleteFunc(found, func(d contract.Difference) bool {
			return d.Stage == contract.VerifyFiles && d.What == contract.FaultMissing && slices.ContainsFunc(sum.Losses, func(l contract.Loss) bool {
				return l.What == contract.LossDocument && l.Source == d.Source && l.Path == d.Path
			})
		})
		if len(differences) == 0 && sum.Pending == 0 {
			return sum
		}
		select {
		case <-time.After(50 * time.Millisecond): // what is on its way needs the processor
		case <-r.t.Context().Done():
		}
	}
	r.t.Fatalf("it does not come to rest: %+v", differences)
	return contract.VerifySummary{}
}

// damages are the cases: each kind on each stream, or one flipped bit on each
// of a few.
func damages(few ...string) (cases []damaged) {
	for _, stream := range damagedStreams {
		for _, h := range hurts {
			if everyDamage || h.name == "1 bit" && (len(few) == 0 || slices.Contains(few, stream)) {
				cases = append(cases, damaged{stream, h})
			}
		}
	}
	return cases
}

type damaged struct {
	stream string
	hurt   hurt
}

func (d damaged) String() string { return d.stream + " " + d.hurt.name }

// A block of the log is damaged. While nothing runs: the next start heals it, or
// names what it cannot. While the program runs: it ends with a sentence that
// names the stream and what to do; then as before.
func TestDamagedBlock_IsHealedOrNamed(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	outcomes := map[string][]string{} // at rest, running
	for _, c := range damages() {
		t.Run(c.String()+" at rest", func(t *testing.T) {
			data := e.copied(t)
			c.hurt.do(t, blockOf(t, data, c.stream))
			r := e.up(t, data)
			outcomes[c.String()] = append(outcomes[c.String()], e.judge(t, r, c.stream))
			r.stop()
		})
	}
	for _, c := range damages(contract.StreamFiles, contract.StreamIndexed, "KV_"+contract.BucketMeta) {
		t.Run(c.String()+" running", func(t *testing.T) {
			data := e.copied(t)
			r := e.up(t, data)
			c.hurt.do(t, blockOf(t, data, c.stream))
			e.ends(t, r, c)
			r = e.up(t, data)
			outcomes[c.String()] = append(outcomes[c.String()], "ends; the next start "+e.judge(t, r, c.stream))
			r.stop()
		})
	}
	t.Log("outcome: | stream or bucket | damage | at rest: the start | while it runs |")
	t.Log("outcome: | --- | --- | --- | --- |")
	for _, c := range damages() {
		t.Logf("outcome: | %s | %s | %s |", c.stream, c.hurt.name, strings.Join(outcomes[c.String()], " | "))
	}
}

// ends waits for the end of a run whose log was damaged. What the server has in
// memory or open it may serve until then: no answer lacks something without a
// word.
func (e *estate) ends(t *testing.T, r *rig, c damaged) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- <-r.done
		cancel() // nobody answers any more
	}()
	for word, place := range e.places {
		rep, err := rpc.Call[contract.SearchRequest, contract.SearchReply](ctx, r.bus.Conn(), contract.SubjectSearch,
			contract.SearchRequest{Query: word, Token: "latest", Text: contract.TextFull, DeadlineMS: 60_000})
		if err != nil {
			break // it has ended
		}
		if got := strings.Join(found(rep, word), " "); got != place && len(rep.Degraded) == 0 && len(rep.Pending) == 0 {
			t.Errorf("%q is found in %q without a word, not in %s", word, got, place)
		}
	}
	r.bus.Close()
	err := <-ended
	r.cancel() // it has ended
	r.cancel = nil
	if !errors.Is(err, embedded.ErrDamaged) || document.KindOf(err) != document.Unavailable ||
		!strings.Contains(err.Error(), c.stream) || !strings.Contains(err.Error(), "start freshet again") {
		t.Errorf("a damaged block of %s ends the run with %v", c.stream, err)
	}
}
