// Command freshet-issues makes task sets of issues of public projects, and prints
// the names of the trees to ask. See `make bench-issues`.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/freshet-dev/freshet/lab/issues"
)

func main() {
	out := flag.String("out", "", "folder that gets the tasks of each tree")
	file := flag.String("issues", "", "file with an issue of SWE-bench a line")
	trees := flag.String("trees", "", "folder with the trees owner__name, or owner__name@NUMBER for issues from that number on")
	flag.Parse()
	if err := run(*out, *file, *trees); err != nil {
		fmt.Fprintln(os.Stderr, "freshet-issues:", err)
		os.Exit(2)
	}
}

func run(out, file, trees string) error {
	if out == "" || file == "" || trees == "" {
		return fmt.Errorf("name a folder with -out, the issues with -issues and the folder of their trees with -trees")
	}
	sets, err := issues.Read(file, trees)
	if err != nil {
		return err
	}
	for i := range sets {
		if err := sets[i].Write(out); err != nil {
			return err
		}
		fmt.Println(sets[i].Name)
	}
	return nil
}
