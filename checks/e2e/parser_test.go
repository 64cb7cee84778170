package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// parsers returns the process ids of this process' parser children.
func parsers(t *testing.T) []int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[1] != strconv.Itoa(os.Getpid()) || fields[3] != cutter.ChildArgument {
			continue
		}
		pid, err := strconv.Atoi(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// Parser children are killed again and again while they work; every document
// is found all the same.
func TestParserChildrenAreKilled_EveryDocumentIsFound(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	r := up(t, data, root)
	var words []string
	var token string
	killed := 0
	// Where all is done before a child is met at work, there is more to do.
	for r.counter("chunker", "parser_restarts") == 0 {
		for i := range 60 {
			word := fmt.Sprintf("Parchment%c%c", 'a'+len(words)/26, 'a'+len(words)%26)
			words = append(words, word)
			var b strings.Builder
			b.WriteString(goFile(word))
			for k := range 100 {
				fmt.Fprintf(&b, "\nfunc %s%d(x int) int {\n\tif x > %d {\n\t\treturn x\n\t}\n\treturn %d\n}\n", "filler", k, k, i)
			}
			write(t, filepath.Join(root, word+".go"), b.String())
		}
		token = r.look(root).String()
		settled := make(chan error, 1)
		go func() {
			_, err := client.Search.Ask(t.Context(), r.bus.Conn(), contract.SearchRequest{Query: words[0], Token: token, DeadlineMS: 60_000})
			settled <- err
		}()
		for waiting := true; waiting; {
			select {
			case err := <-settled:
				if err != nil {
					t.Fatal(err)
				}
				waiting = false
			default:
			}
			for _, pid := range parsers(t) {
				process, err := os.FindProcess(pid)
				if err == nil && process.Kill() == nil {
					killed++
				}
			}
		}
	}
	for _, word := range words {
		r.shows(token, word, "library/"+word+".go")
	}
	for _, f := range r.status().Failed {
		t.Errorf("given up: %+v", f)
	}
	if killed == 0 {
		t.Error("children were started again and none was killed")
	}
	r.stop()
	storesEqualLog(t, data)
}
