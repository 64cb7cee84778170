package hostile

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Every input is there under its name, none is made twice, and the same seed
// makes the same.
func TestGenerator_CountsWhatItMade(t *testing.T) {
	var before []Input
	for range 2 {
		root, outside := t.TempDir(), t.TempDir()
		if err := Outside(outside); err != nil {
			t.Fatal(err)
		}
		hard := filepath.Join(t.TempDir(), "hard.txt")
		if err := os.WriteFile(hard, []byte("hard\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		tree, err := Folder(root, outside, hard, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen, families := map[string]bool{}, map[string]int{}
		for _, in := range tree.Inputs {
			if seen[in.Path] {
				t.Errorf("%q is made twice", in.Path)
			}
			seen[in.Path] = true
			families[in.Family]++
			if in.Family == "path at the limit" {
				continue // the system does not take such a path
			}
			if _, err := os.Lstat(filepath.Join(root, in.Path)); err != nil {
				t.Errorf("%s: %v", in.Family, err)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(families)) {
			t.Logf("%4d %s", families[f], f)
		}
		t.Logf("%d inputs, %d missing: %q", len(tree.Inputs), len(tree.Missing), tree.Missing)
		if before != nil && !slices.Equal(words(before), words(tree.Inputs)) {
			t.Error("the same seed made something else")
		}
		before = tree.Inputs
	}
}

func words(in []Input) []string {
	out := make([]string, 0, len(in))
	for _, i := range in {
		out = append(out, i.Word)
	}
	slices.Sort(out)
	return out
}
