package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/chunker"
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
		if len(fields) < 4 || fields[1] != strconv.Itoa(os.Getpid()) || fields[3] != chunker.ParserArgument {
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
func TestParserChildIsKilled(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	r := up(t, data, root)
	const files = 60
	words := make([]string, files)
	for i := range files {
		words[i] = "Parchment" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		var b strings.Builder
		b.WriteString(goFile(words[i]))
		for k := range 100 {
			fmt.Fprintf(&b, "\nfunc %s%d(x int) int {\n\tif x > %d {\n\t\treturn x\n\t}\n\treturn %d\n}\n", "filler", k, k, i)
		}
		write(t, filepath.Join(root, words[i]+".go"), b.String())
	}
	token := r.look(root).String()
	settled := make(chan error, 1)
	go func() {
		_, err := bus.Call[contract.SearchRequest, contract.SearchReply](t.Context(), r.bus.Conn(), contract.SubjectSearch,
			contract.SearchRequest{Query: words[0], Token: token, DeadlineMS: 60_000})
		settled <- err
	}()
	killed := 0
	for waiting := true; waiting || killed == 0; {
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
	for _, word := range words {
		r.shows(token, word, "library/"+word+".go")
	}
	for _, f := range r.status().Failed {
		t.Errorf("given up: %+v", f)
	}
	if n := r.counter("chunker", "parser_restarts"); n == 0 {
		t.Errorf("%d children were killed and none started again", killed)
	}
	r.stop()
	storesEqualLog(t, data)
}
