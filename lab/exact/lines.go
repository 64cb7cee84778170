package exact

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lengths of the lines that are asked for, in characters, and the largest file
// that they are taken from, in bytes.
const (
	shortest = 20
	longest  = 120
	largest  = 256 << 10
)

// lines lists the lines of a tree's text files that stand in it once, without
// the white space around them, by path and number.
func lines(root string) ([]Question, error) {
	seen := map[string]int{} // the place in all, -1 for a line that stands more than once
	var all []Question
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.Size() > largest) {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil || bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(content), "\n") {
			line = strings.TrimSpace(line)
			if n := utf8.RuneCountInString(line); n < shortest || n > longest {
				continue
			}
			if at, ok := seen[line]; ok {
				if at >= 0 {
					all[at].Text = "" // stands twice
				}
				seen[line] = -1
				continue
			}
			seen[line] = len(all)
			all = append(all, Question{Text: line, Right: []Spot{{filepath.ToSlash(rel), i + 1}}, Shown: line})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the lines of %s: %w", root, err)
	}
	return slices.DeleteFunc(all, func(q Question) bool { return q.Text == "" }), nil
}
