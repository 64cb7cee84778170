package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/adapt"
	"github.com/freshet-dev/freshet/lab/adapt/jargon"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

// project writes one whose words are its own, or those of everybody.
func project(t *testing.T, plain bool) string {
	t.Helper()
	source := t.TempDir()
	if err := jargon.Write(source, plain); err != nil {
		t.Fatal(err)
	}
	return source
}

// with sets a variable of the environment.
func with(cmd *exec.Cmd, key, value string) *exec.Cmd {
	cmd.Env = append(cmd.Env, key+"="+value)
	return cmd
}

const useModel = "FRESHET_EMBEDDER_MODEL"

func TestTrainedModel_IsUsed(t *testing.T) {
	t.Parallel()
	source, folder := project(t, false), filepath.Join(t.TempDir(), "model")
	embedder := func(folder string) string {
		t.Helper()
		space, err := open.Space(config.Embedder{Model: folder})
		if err != nil {
			t.Fatal(err)
		}
		return space.Identity
	}
	var report adapt.Report
	dec := json.NewDecoder(strings.NewReader(must(t, "train", "embedder", "--from", source, "--out", folder, "--epochs", "2", "--json")))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&report); err != nil {
		t.Fatal(err)
	}
	if !report.Won || report.Out != folder || report.Trained == embedder("") {
		t.Fatalf("%+v", report)
	}
	if id := embedder(folder); id != report.Trained {
		t.Errorf("the model written is %s, not %s", id, report.Trained)
	}
	refuse(t, program(t, "train", "embedder", "--from", source, "--out", folder), "is not empty")

	// The same state with one model after the other: each has a generation of its
	// own, and finds.
	data := filepath.Join(t.TempDir(), "s")
	at := func(model string) (identity string, generations []string) {
		i := startWith(t, []string{useModel + "=" + model}, data, source)
		defer i.stop()
		// What was built before answers until the new build is complete.
		var status contract.StatusReply
		for again := true; again; again = status.Next != nil {
			status = strict[contract.StatusReply](t, "status-reply", must(t, "status", "--json", "--data", data))
		}
		reply := strict[contract.SearchReply](t, "search-reply", must(t, "search", "which penguin needs a violin", "--json", "--explain", "--data", data))
		if len(reply.Hits) == 0 || len(reply.Degraded) > 0 {
			t.Errorf("%d hits, degraded by %v", len(reply.Hits), reply.Degraded)
		}
		vectors := false
		for _, h := range reply.Hits {
			_, has := h.Channels["vector"]
			vectors = vectors || has
		}
		if !vectors {
			t.Error("no hit is found by its vector")
		}
		for len(generations) != 1 { // the one before goes once nobody needs it
			var err error
			if generations, err = filepath.Glob(filepath.Join(data, "stores", "code-*")); err != nil {
				t.Fatal(err)
			}
		}
		return status.Embedder, generations
	}
	trained, one := at(folder)
	bundled, two := at("")
	if trained != report.Trained || bundled != embedder("") {
		t.Errorf("the embedders are %s and %s", trained, bundled)
	}
	if one[0] == two[0] {
		t.Errorf("the stores are %v and %v", one, two)
	}

	table := filepath.Join(folder, "table_int8.bin")
	if err := os.Truncate(table, 1000); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"up", source, "--data", data, "--nats-port", "0"}, {"plan", source}, {"config", "check"}, {"train", "embedder", "--from", source}} {
		refuse(t, with(program(t, args...), useModel, folder), folder, "damaged", "copy the whole folder")
	}
	refuse(t, with(program(t, "config", "check"), useModel, "models/mine"), "absolute path")
}

func TestModelThatDoesNotWin_IsNotWritten(t *testing.T) {
	t.Parallel()
	out, folder := filepath.Join(t.TempDir(), "tasks"), filepath.Join(t.TempDir(), "model")
	must(t, "eval", "make", project(t, true), "--out", out, "--kinds", "docstring")
	tasks := filepath.Join(out, "tasks.jsonl")
	r := run(t, "train", "embedder", tasks, "--out", folder, "--epochs", "1")
	if r.code != 0 || !strings.Contains(r.stdout, "Not better") || r.stderr != "" {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("it was written: %v", err)
	}
	alone := filepath.Join(t.TempDir(), "tasks.jsonl")
	put(t, alone, `{"id":"1","query":"how is it","relevant":["a.go"]}`+"\n")
	refuse(t, program(t, "train", "embedder", alone), "corpus", "--from")
	refuse(t, program(t, "train", "embedder"), "nothing to train on", "--from")
	refuse(t, program(t, "train", "embedder", tasks, "--from", out), "one or the other")
	refuse(t, program(t, "train", "embedder", tasks, "--epochs", "0"), "--epochs", "1 to 100")
}
