package apart

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// write writes a file of the tree.
func write(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// configure writes the one configuration of all services.
func configure(t *testing.T, root string, sections ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "freshet.yaml")
	write(t, filepath.Dir(file), "freshet.yaml", "nats: {url: 'nats://127.0.0.1:1'}\nsources:\n  - {root: '"+root+"', name: birds}\n"+strings.Join(sections, ""))
	return file
}

// vectors waits until the vectors of the newest version of every document are
// in the log, of so many documents.
func vectors(t *testing.T, b *bus.Bus, documents int) {
	t.Helper()
	files, outputs := b.Files(), b.Outputs(contract.StreamVectors)
	for {
		covered := map[bus.FileKey]bool{}
		outputs.Range(func(_ bus.OutputKey, h contract.OutputHead) bool {
			for view, c := range h.Covers.All() {
				k := bus.FileKey{Source: h.Source, Doc: h.Doc, View: view}
				if head, ok := files.Get(k); ok && c.Version >= head.Version && h.Count > 0 {
					covered[k] = true
				}
			}
			return true
		})
		if len(covered) == documents {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("%d of %d documents have vectors", len(covered), documents)
		}
	}
}

// reports asks all services for their part of the status until so many answer.
func reports(t *testing.T, b *bus.Bus, want int) []contract.Report {
	t.Helper()
	for {
		inbox := b.Conn().NewInbox()
		sub, err := b.Conn().SubscribeSync(inbox)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Conn().PublishRequest(contract.SubjectReport, inbox, nil); err != nil {
			t.Fatal(err)
		}
		var out []contract.Report
		for {
			m, err := sub.NextMsg(500 * time.Millisecond)
			if err != nil {
				break
			}
			var r contract.Report
			if err := json.Unmarshal(m.Data, &r); err != nil {
				t.Fatal(err)
			}
			out = append(out, r)
		}
		_ = sub.Unsubscribe()
		if len(out) >= want {
			return out
		}
		if t.Context().Err() != nil {
			t.Fatalf("there are %+v", out)
		}
	}
}

func TestServiceApart_ComesBackAfterEachOutage(t *testing.T) {
	root, log := t.TempDir(), t.TempDir()
	write(t, root, "heron.md", "# Herons\n\nThey stand in the reeds.\n")
	config := configure(t, root)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	env := "FRESHET_NATS_URL=nats://" + address // over that of the file

	// The services are there before their server is.
	var all []*process
	for _, name := range []string{"watcher", "chunker", "chunker", "embedder", "embedder"} {
		all = append(all, start(t, name, config, env))
	}
	for _, p := range all {
		p.says(`msg=waiting service=[a-z]+ for="no NATS server answers at nats://` + address)
		if code, sentence := p.readyz(); code != 503 || !strings.Contains(sentence, address) {
			t.Errorf("the %s is %d: %s", p.name, code, sentence)
		}
	}
	server, at := natsAt(t, log, port)
	for _, p := range all {
		p.ready()
		said := p.log.String()
		for _, reason := range []string{"no NATS server answers", "there is no log at"} {
			if n := strings.Count(said, reason); n > 1 || p.name == "watcher" && n != strings.Count(reason, "server") {
				t.Errorf("the %s says %d times that %s", p.name, n, reason)
			}
		}
	}
	b, err := bus.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	vectors(t, b, 1)

	count, names := map[string]int{}, map[string]bool{}
	for _, r := range reports(t, b, len(all)) {
		count[r.Service]++
		names[r.Instance] = true
	}
	if len(names) != len(all) || fmt.Sprint(count) != "map[chunker:2 embedder:2 watcher:1]" {
		t.Errorf("reports come from %v, called %v", count, names)
	}

	// The server is gone for a while. Whoever uses it comes back to it.
	server.stop(syscall.SIGTERM, 0)
	write(t, root, "egret.md", "# Egrets\n\nThey stand in the shallows.\n")
	for _, p := range all {
		p.says("connection to NATS lost")
	}
	server, again := natsAt(t, log, port)
	if u, err := url.Parse(again); err != nil || u.Port() != port {
		t.Fatalf("the server is at %s", again)
	}
	for _, p := range all {
		p.ready()
	}
	vectors(t, b, 2)
	server.kill()
	_, _ = natsAt(t, log, port)
	write(t, root, "stork.md", "# Storks\n\nThey stand on the roof.\n")
	vectors(t, b, 3)

	// One of two is enough, and a killed one is no loss.
	all[1].kill()
	all[3].stop(syscall.SIGTERM, 0)
	write(t, root, "crane.md", "# Cranes\n\nThey stand in the meadow.\n")
	vectors(t, b, 4)
	for _, i := range []int{0, 2, 4} {
		all[i].stop(syscall.SIGTERM, 0)
	}
}

// kill ends the process as a power button would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// What is under way is finished or handed back within the time to stop.
func TestStopUnderLoad_LosesNoWork(t *testing.T) {
	root := t.TempDir()
	const documents = 400
	for n := range documents {
		write(t, root, fmt.Sprintf("bird-%03d.md", n), strings.Repeat(fmt.Sprintf("# Bird %d\n\nIt stands in the reeds.\n\n", n), 40))
	}
	config := configure(t, root)
	_, at := natsAt(t, t.TempDir(), strconv.Itoa(embedded.AnyPort))
	b, err := bus.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	env := "FRESHET_NATS_URL=" + at
	watcher := start(t, "watcher", config, env)
	chunkers := []*process{start(t, "chunker", config, env), start(t, "chunker", config, env)}
	embedders := []*process{start(t, "embedder", config, env), start(t, "embedder", config, env)}
	for _, p := range append(append([]*process{watcher}, chunkers...), embedders...) {
		p.ready()
	}
	outputs := b.Outputs(contract.StreamVectors)
	for outputs.Seen() == 0 { // the first vectors are there, most are not
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("there are no vectors")
		}
	}
	chunkers[0].stop(syscall.SIGTERM, 0)
	embedders[0].stop(syscall.SIGTERM, 0)
	vectors(t, b, documents)
	dead, err := b.LastSeq(t.Context(), contract.StreamDead)
	if err != nil || dead != 0 {
		t.Errorf("%d dead letters, %v", dead, err)
	}
	for _, p := range []*process{watcher, chunkers[1], embedders[1]} {
		p.stop(syscall.SIGTERM, 0)
	}
}

func TestServiceApartWithAnEmbeddedStore_IsRefused(t *testing.T) {
	config := configure(t, t.TempDir())
	for _, name := range []string{"indexer", "query"} {
		out, err := exec.Command(program(t, name), "--config", config).CombinedOutput()
		var exit *exec.ExitError
		if text := string(out); !errors.As(err, &exit) || exit.ExitCode() != 2 || strings.Count(text, "\n") != 1 || !strings.Contains(text, name+": stores.lexical is embedded") || !strings.Contains(text, "run freshet itself [start]") {
			t.Errorf("%s: %v: %s", name, err, text)
		}
	}
}
