package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
)

// RipgrepArm names what is found without any index.
var RipgrepArm = Arm{Name: "ripgrep"}

// grepLines is the length of a passage of ripgrep's: that of a chunk of code of
// the usual 1,500 bytes.
const grepLines = 40

// Ripgrep answers tasks with what `rg` finds of the query's words in folders,
// as whole words and in either case: the passages with the most different words
// first, of these those with the most.
func Ripgrep(ctx context.Context, folders []string, tasks []Task, o Options) ([]Answer, error) {
	o.SetDefaults()
	if _, err := exec.LookPath("rg"); err != nil {
		return nil, document.Errorf(document.NotFound, "ripgrep is not installed here (%w): install it (Debian: apt install ripgrep; macOS: brew install ripgrep), or leave --ripgrep out", err)
	}
	folders, err := resolved(folders)
	if err != nil {
		return nil, err
	}
	var out []Answer
	for i := range tasks {
		o.Progress("ripgrep", i, len(tasks))
		a := Answer{ID: tasks[i].ID, Query: tasks[i].Query}
		begin := time.Now()
		if words := grepWords(a.Query); len(words) > 0 {
			text, err := grep(ctx, folders, words)
			if err != nil {
				return nil, err
			}
			a.Hits = grepped(text, folders, max(o.K, depth))
		}
		a.MS = milliseconds(time.Since(begin))
		out = append(out, a)
	}
	return out, nil
}

// grepWords are the words that a person would look for.
func grepWords(query string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if !analysis.IsStopWord(w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func grep(ctx context.Context, folders, words []string) ([]byte, error) {
	args := []string{"--no-config", "--fixed-strings", "--word-regexp", "--ignore-case", "--only-matching", "--line-number", "--null", "--no-heading", "--color=never"}
	for _, w := range words {
		args = append(args, "--regexp="+w)
	}
	cmd := exec.CommandContext(ctx, "rg", slices.Concat(args, []string{"--"}, folders)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil, nil // no match
	}
	if err != nil {
		return nil, fmt.Errorf("rg: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	return out, nil
}

// grepPassage is a run of matches that fits into one passage.
type grepPassage struct {
	file       string
	start, end int
	words      map[string]bool
	matches    int
}

// grepped reads "file NUL line:match" lines, of which those of a file come
// together and in order, and returns the best k passages.
func grepped(text []byte, folders []string, k int) []Hit {
	var all []*grepPassage
	var at *grepPassage
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		file, rest, _ := strings.Cut(lines.Text(), "\x00")
		number, match, ok := strings.Cut(rest, ":")
		line, err := strconv.Atoi(number)
		if err != nil || !ok {
			continue // a match within a line that holds a NUL
		}
		if at == nil || at.file != file || line >= at.start+grepLines {
			at = &grepPassage{file: file, start: line, words: map[string]bool{}}
			all = append(all, at)
		}
		at.end, at.words[strings.ToLower(match)] = line, true
		at.matches++
	}
	slices.SortFunc(all, func(a, b *grepPassage) int {
		return cmp.Or(len(b.words)-len(a.words), b.matches-a.matches, strings.Compare(a.file, b.file), a.start-b.start)
	})
	out := []Hit{}
	for _, g := range all[:min(len(all), k)] {
		h := Hit{Path: g.file, StartLine: g.start, EndLine: g.end, Score: float64(len(g.words))}
		for _, f := range folders {
			if rel, err := filepath.Rel(f, g.file); err == nil && filepath.IsLocal(rel) {
				h.Path, h.Source = filepath.ToSlash(rel), document.Source(filepath.Base(f))
			}
		}
		out = append(out, h)
	}
	return out
}
