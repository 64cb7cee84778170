// Command freshet-ranks compares the first hits of every question of a task set
// with those that are kept in a file, or writes them. See `make ranks`.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/ranks"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Exit codes, beside 0.
const (
	differ = 1 // as `freshet eval` has it below a floor
	failed = 2
)

func main() {
	set := flag.String("set", "", "name of the task set")
	run := flag.String("run", "", "run that `freshet eval --save` wrote")
	made := flag.String("made", "", "file that says what the corpus is made of, one thing a line")
	file := flag.String("file", "", "file with the ranks")
	update := flag.Bool("update", false, "write the file instead of comparing with it")
	strict := flag.Bool("strict", false, "fail where the corpus is made of other versions than the file's; else that is told, and nothing compared")
	flag.Parse()
	code, err := check(*set, *run, *made, *file, *update, *strict)
	if err != nil {
		fmt.Fprintln(os.Stderr, "freshet-ranks:", err)
		code = failed
	}
	os.Exit(code)
}

func check(set, run, made, file string, update, strict bool) (code int, err error) {
	saved, err := eval.Load(run)
	if err != nil {
		return failed, err
	}
	versions, err := os.ReadFile(made)
	if err != nil {
		return failed, fmt.Errorf("read what the corpus is made of: %w", err)
	}
	now, err := ranks.Of(set, strings.Split(strings.TrimSpace(string(versions)), "\n"), &saved)
	if document.KindOf(err) == document.Unavailable && !strict && !update {
		fmt.Fprintf(os.Stderr, "ranks: %s: not compared: %v\n", set, err) // the machine was busy
		return 0, nil
	}
	if err != nil {
		return failed, err
	}
	if update {
		return 0, now.Write(file)
	}
	was, err := ranks.Read(file)
	if err != nil {
		return failed, err
	}
	if other := ranks.MadeOfOther(was, now); other != "" {
		fmt.Fprintf(os.Stderr, "ranks: %s: not compared, since the corpus is another: %s; `make ranks UPDATE=yes` writes them for this one\n", set, other)
		if strict {
			return differ, nil
		}
		return 0, nil
	}
	text, n := ranks.Differences(was, now)
	if n > 0 {
		fmt.Fprintf(os.Stderr, "%sranks: %s: %d of %d questions have other hits than in %s; where that is meant, `make ranks UPDATE=yes` writes them\n", text, set, n, len(now.Questions), file)
		return differ, nil
	}
	fmt.Printf("ranks: the first hits of all %d questions are as in %s\n", len(now.Questions), file)
	return 0, nil
}
