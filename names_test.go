package freshet

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the names of tests are made of: circumstance, outcome, each in words
// that begin with a capital.
var (
	aTest     = regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\)`)
	whatHolds = regexp.MustCompile(`^Test[A-Z0-9][A-Za-z0-9]*_[A-Z][A-Za-z0-9]*$`)
)

// A line of passes reads as what holds. A name without an outcome is that of
// the suite which every implementation of a port runs.
func TestEveryTest_IsNamedAfterCircumstanceAndOutcome(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"pkg", "services", "lab", "checks", "deploy"} {
		err := filepath.WalkDir(folder, func(file string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(file, "_test.go") {
				files = append(files, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range aTest.FindAllStringSubmatch(string(text), -1) {
			tests++
			if name := found[1]; name != "TestConformance" && !whatHolds.MatchString(name) {
				t.Errorf("%s: %s does not say what holds: name it Test<Circumstance>_<Outcome>", file, name)
			}
		}
	}
	if tests < 1000 {
		t.Errorf("only %d tests were found", tests)
	}
}
