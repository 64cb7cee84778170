package process

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestReferenceOfTheServices_SaysWhatThereIs(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/services.md")
	if err != nil {
		t.Fatal(err)
	}
	var usage bytes.Buffer
	if _, err := parse("chunker", []string{"--help"}, &usage); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	var known, described []string
	for _, m := range regexp.MustCompile(`(?m)^  -([a-z]+)`).FindAllStringSubmatch(usage.String(), -1) {
		known = append(known, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `--([a-z]+)`").FindAllStringSubmatch(string(page), -1) {
		if m[1] != "help" {
			described = append(described, m[1])
		}
	}
	if strings.Join(known, " ") != strings.Join(described, " ") || len(known) == 0 {
		t.Errorf("described are %v, there are %v", described, known)
	}
	if limit := "at most " + strings.TrimSuffix(stopLimit.String(), "s") + " seconds"; !strings.Contains(string(page), limit) {
		t.Errorf("the page does not say %q", limit)
	}
}
