package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/freshet-dev/freshet/pkg/charset"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// line is where a line stands and what it is.
type line struct {
	path   string
	number int
	offset int64
	text   string
}

// ripgrep searches documents of a folder. As for freshet, the carriage return
// before a line feed ends a line (--crlf), so that $ stands before it.
type ripgrep struct {
	program string
	dir     string
	batches [][]string // of paths below dir, as many as one command takes
	// others are the documents in other encodings than UTF-8: freshet has their text in
	// UTF-8, and here the bytes are compared.
	others map[string]bool
}

// argumentBytes bounds the paths of one command.
const argumentBytes = 1 << 20

func newRipgrep(program, dir string, paths []string) *ripgrep {
	r := &ripgrep{program: program, dir: dir, others: map[string]bool{}}
	var batch []string
	size := 0
	for _, p := range paths {
		if content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p))); err == nil && !bytes.Equal(charset.Plain(content), content) {
			r.others[p] = true
			continue
		}
		if size+len(p) > argumentBytes {
			r.batches, batch, size = append(r.batches, batch), nil, 0
		}
		batch, size = append(batch, "./"+p), size+len(p)+16
	}
	r.batches = append(r.batches, batch)
	return r
}

// leaveOut takes the lines of documents in other encodings out of an answer.
func (r *ripgrep) leaveOut(reply *contract.GrepReply) {
	reply.Files = slices.DeleteFunc(reply.Files, func(f contract.GrepFile) bool {
		other := r.others[f.Path.Raw()]
		if other {
			reply.Lines -= len(f.Lines)
		}
		return other
	})
}

// ask returns the lines that match, in no order, and how long it took to have them
// printed.
func (r *ripgrep) ask(ctx context.Context, p Pattern) (out []line, took time.Duration, err error) {
	for _, batch := range r.batches {
		args := []string{"--no-config", "--no-unicode", "--text", "--encoding", "none", "--crlf", "--color", "never",
			"--no-heading", "--with-filename", "--line-number", "--byte-offset", "--null"}
		if p.Fixed {
			args = append(args, "--fixed-strings")
		}
		cmd := exec.CommandContext(ctx, r.program, append(append(args, "--regexp", p.Text, "--"), batch...)...)
		cmd.Dir = r.dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		began := time.Now()
		printed, err := cmd.Output()
		took += time.Since(began)
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: no line matches
			return nil, took, fmt.Errorf("ask %s for %q: %w: %.500s", r.program, p.Text, err, stderr.String())
		}
		if out, err = parse(out, printed); err != nil {
			return nil, took, fmt.Errorf("read what %s printed for %q: %w", r.program, p.Text, err)
		}
	}
	return out, took, nil
}

// parse reads PATH NUL NUMBER:OFFSET:TEXT.
func parse(out []line, printed []byte) ([]line, error) {
	for row := range bytes.Lines(printed) {
		path, rest, ok := bytes.Cut(bytes.TrimSuffix(row, []byte("\n")), []byte{0})
		number, rest, ok2 := bytes.Cut(rest, []byte(":"))
		offset, text, ok3 := bytes.Cut(rest, []byte(":"))
		n, err := strconv.Atoi(string(number))
		at, err2 := strconv.ParseInt(string(offset), 10, 64)
		if !ok || !ok2 || !ok3 || err != nil || err2 != nil {
			return nil, fmt.Errorf("%.200q is no line of a file", row)
		}
		// What ends a line is no part of it here, and the carriage return is there.
		out = append(out, line{string(bytes.TrimPrefix(path, []byte("./"))), n, at, string(bytes.TrimSuffix(text, []byte("\r")))})
	}
	return out, nil
}
