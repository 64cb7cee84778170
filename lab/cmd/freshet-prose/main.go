// Command freshet-prose makes task sets of public collections of prose, and
// prints their names. See `make bench-prose`.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/freshet-dev/freshet/lab/prose"
)

func main() {
	out := flag.String("out", "", "folder that gets a folder of each set")
	cisi := flag.String("cisi", "", "folder with the files ALL, QRY and REL of CISI")
	xquad := flag.String("xquad", "", "folder with the files xquad.LANGUAGE.json of XQuAD")
	languages := flag.String("languages", "de,es,zh", "languages of XQuAD, separated by commas")
	flag.Parse()
	if err := run(*out, *cisi, *xquad, strings.Split(*languages, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "freshet-prose:", err)
		os.Exit(2)
	}
}

func run(out, cisi, xquad string, languages []string) error {
	if out == "" || cisi == "" && xquad == "" {
		return fmt.Errorf("name a folder with -out, and one of a collection with -cisi or -xquad")
	}
	var sets []*prose.Set
	if cisi != "" {
		set, err := prose.CISI(cisi)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	if xquad != "" {
		for _, language := range languages {
			set, err := prose.XQuAD(xquad, language)
			if err != nil {
				return err
			}
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		if err := set.Write(out); err != nil {
			return err
		}
		fmt.Println(set.Name)
	}
	return nil
}
