package eval

import (
	"slices"
	"strings"
	"testing"
)

func TestSection_HasItsLines(t *testing.T) {
	lines := strings.Split("# Guide\n\nText.\n\n## Set a `limit`\n\nOne.\n\n### Below\n\n```sh\n# Set a limit\n```\n\n## [Next](#next) <a id=\"n\"></a> {#n} ##\n\nTwo.\n\nSet a limit\n-----------\nThree.\n\n__Guide__ 2\n=======\n", "\n")
	for heading, want := range map[string][]span{
		"Guide":       {{1, 22}},
		"set a limit": {{5, 14}, {19, 22}},
		"Below":       {{9, 14}},
		"Next":        {{15, 18}},
		"Guide 2":     {{23, 25}},
		"Nowhere":     nil,
	} {
		if got := sectionsOf(lines, heading); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", heading, got, want)
		}
	}
}
