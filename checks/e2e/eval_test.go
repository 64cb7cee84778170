package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
)

// evaluate runs `freshet eval` and returns its exit code and what it printed.
func (r *rig) evaluate(args ...string) (code int, out, errs string) {
	r.t.Helper()
	cmd := freshetCommand(r.t, nil, append([]string{"eval", "--nats", r.url()}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code says it
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// marsh is a corpus in which each task of its file is lost at another stage.
func marsh(t *testing.T) (root, tasks string) {
	t.Helper()
	root = folder(t, "marsh")
	put := func(name, text string) { write(t, filepath.Join(root, name), text) }
	for i := range 100 {
		put(fmt.Sprintf("many/bird%02d.md", i), fmt.Sprintf("# Bird %d\n\nA heron, a heron and a heron at pond %d.\n", i, i))
	}
	put("odd.md", "# Notes\n\nOf weather, gates, ledgers and boats; somebody also mentions one heron between Tuesday and the mooring.\n")
	put("spoonbill.go", goFile("Spoonbill"))
	put(".freshetignore", "dist/\n")
	put("dist/osprey.md", "# Osprey\n\nAn osprey dives.\n")
	put("image.png", "\x89PNG\r\n\x1a\n\x00")
	put("ibis.md", "# Ibis\n\nThe ibis and the heron: an ibis wades with the heron.\n\n"+
		"## Ibis nests\n\nAn ibis nests beside the heron, ibis by ibis.\n\n"+
		"## Ibis feeds\n\nAn ibis feeds, and the heron feeds.\n\n"+
		"## Ibis sings\n\nAn ibis sings, and the heron sings.\n\n"+
		"## Ibis rests\n\nAn ibis rests, and the heron rests.\n\n"+
		"## Ibis flies\n\nWhoever flies after rain may meet an ibis, or, where reeds and willows hide the shallow water, a heron.\n")
	put("vendor/cliffs/notes.md", "# Cliffs\n\nThe puffin burrow: puffin, burrow, puffin burrow, puffin burrow.\n")
	put("puffin/burrow.md", "# Puffin burrow\n\nWhere the puffin digs its burrow.\n")
	put("puffin/colony.md", "# Colony\n\nMany a burrow of a puffin, on a slope above the sea.\n")
	put("coast.md", "# Coast\n\nAlong the coast there are gulls, terns, razorbills, guillemots, and now and then the burrow of some bird or other.\n")
	tasks = filepath.Join(t.TempDir(), "marsh.jsonl")
	write(t, tasks, `{"id":"found","query":"Spoonbill","category":"symbol","language":"go","relevant":["spoonbill.go"]}
{"id":"passage","query":"osprey ibis nests","category":"symbol","language":"markdown","relevant":[{"path":"ibis.md","start_line":5,"end_line":7}]}
{"id":"ignored","query":"osprey dives","category":"prose","language":"markdown","relevant":["dist/osprey.md"]}
{"id":"skipped","query":"image of a bird","category":"prose","language":"none","relevant":["image.png"]}
{"id":"absent","query":"bird that is not there","category":"prose","language":"none","relevant":["nowhere.md"]}
{"id":"filter","query":"heron lang:go","category":"prose","language":"markdown","relevant":["odd.md"]}
{"id":"recall","query":"heron pond","category":"prose","language":"markdown","relevant":["odd.md"]}
{"id":"held","query":"ibis","category":"prose","language":"markdown","relevant":[{"path":"ibis.md","start_line":21,"end_line":23}]}
{"id":"nothing","query":"tax return of a submarine","category":"prose","relevant":[],"answerable":false}
`)
	return root, tasks
}

func TestMiss_IsOfItsStage(t *testing.T) {
	t.Parallel()
	root, tasks := marsh(t)
	r := up(t, t.TempDir(), root)
	saved := filepath.Join(t.TempDir(), "before.json")
	code, out, errs := r.evaluate(tasks, "--json", "--save", saved)
	var report eval.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	want := map[string]string{
		"ignored": "index ignored", "skipped": "index binary", "absent": "index missing", "filter": "filter", "recall": "recall", "held": "diversify",
	}
	for _, m := range report.Misses {
		stage, why, _ := strings.Cut(want[m.ID], " ")
		if m.Stage != stage || !strings.Contains(strings.ToLower(m.Why), why) {
			t.Errorf("%s is lost at %s (%s), want %s", m.ID, m.Stage, m.Why, want[m.ID])
		}
		delete(want, m.ID)
	}
	all := report.Rows[0]
	if len(want) > 0 || report.Tasks != 9 || report.Unanswerable != 1 || all.Tasks != 8 || all.Figure(eval.Hit10).Value != .25 {
		t.Errorf("not missed: %v; %+v", want, all)
	}
	if report.Latency.Fresh || report.Latency.Warm.Count != 8 || report.Indexing != nil || report.Pending > 0 {
		t.Errorf("%+v", report)
	}

	// The same again is no difference, and less is a worse one.
	code, out, errs = r.evaluate(tasks, "--against", saved, "--misses", "--arm", "words alone=vector,signals")
	for _, part := range []string{"words alone", "marsh  9 tasks, 1 of them without an answer", "against " + saved, "8 tasks", "1.0000", "diversify 1", "dist/osprey.md: ignored"} {
		if code != 0 || !strings.Contains(out, part) {
			t.Errorf("exit %d, %q is missing in\n%s%s", code, part, out, errs)
		}
	}
	if code, _, errs = r.evaluate(tasks, "--off", "everything"); code != 2 || !strings.Contains(errs, "everything") {
		t.Errorf("a stage that does not exist, exit %d: %s", code, errs)
	}
	floors := filepath.Join(t.TempDir(), "floors.yaml")
	write(t, floors, "marsh:\n  hit@10: 0.9\n  mrr: 0.1\n")
	code, _, errs = r.evaluate(tasks, "--floors", floors)
	if code != 1 || errs != "freshet: the set marsh has hit@10 0.2500, below its floor of 0.9000\n" {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// Of two that are given by a channel, one was behind already when the channels
// were put together, the other came behind by the signals.
func TestMissOfTheOrder_IsOfItsStage(t *testing.T) {
	t.Parallel()
	root, _ := marsh(t)
	r := up(t, t.TempDir(), root)
	tasks := filepath.Join(t.TempDir(), "order.jsonl")
	write(t, tasks, `{"id":"fusion","query":"puffin burrow","relevant":["coast.md"]}
{"id":"signals","query":"puffin burrow","relevant":["vendor/cliffs/notes.md"]}
{"id":"first","query":"puffin burrow","relevant":["puffin/burrow.md"]}
`)
	_, out, errs := r.evaluate(tasks, "--json", "-k", "2")
	var report eval.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	if len(report.Misses) != 2 || report.Latency.Warm.Count != 0 {
		t.Errorf("%+v", report)
	}
	for _, m := range report.Misses {
		if m.Stage != m.ID || m.Rank < 3 {
			t.Errorf("%s is lost at %s, rank %d: %s", m.ID, m.Stage, m.Rank, m.Why)
		}
	}
}
