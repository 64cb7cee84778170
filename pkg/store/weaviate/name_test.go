package weaviate_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

// legal is the server's rule; its folders are in lower case, and a name of a
// file has at most 255 bytes.
var legal = regexp.MustCompile(`^[A-Z][_0-9A-Za-z]{0,199}$`)

func TestTwoNames_HaveTwoClasses(t *testing.T) {
	long := strings.Repeat("x", 159)
	names := []string{
		"code-5f2a91c0", "code_5f2a91c0", "code5f2a91c0", "code-5f2a91c1", "Code-5f2a91c0", "code_2d5f2a91c0", "code_5f2d5f2a91c0",
		" ", "-", "_", "__", "_2d", "2d", "é", "\xe9", "_c3_a9", "/tmp/x/001", "/tmp/x/002",
		long, long + "x", long + "xx", long + "xy", long + "-", long + "_2d", strings.Repeat("-", 53), strings.Repeat("-", 54), strings.Repeat("-", 5400),
	}
	seen := make(map[string]string)
	for _, name := range names {
		class := weaviate.ClassName("freshet", name)
		if !legal.MatchString(class) {
			t.Errorf("%q becomes %q, which is no class", name, class)
		}
		folder := strings.ToLower(class)
		if other, twice := seen[folder]; twice {
			t.Errorf("%q and %q share the folder %s", name, other, folder)
		}
		seen[folder] = name
	}
	if got := weaviate.ClassName("freshet", "code-5f2a91c0"); got != "Freshet_code_2d5f2a91c0" {
		t.Errorf("the class is %s: existing stores would not be found", got)
	}
}
