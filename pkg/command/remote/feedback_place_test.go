package remote

import (
	"os"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestLinesBehindAPath_AreRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("notes:7", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]place{
		"a.go":        {path: "a.go"},
		"a.go:3-9":    {"a.go", 3, 9},
		"a.go:3":      {"a.go", 3, 3},
		"s:a.go:3-9":  {"s:a.go", 3, 9},
		"s:a.go":      {path: "s:a.go"},
		"a.go:x":      {path: "a.go:x"},
		"notes:7":     {path: "notes:7"}, // a file of that name
		"notes:7:1-2": {"notes:7", 1, 2},
	} {
		if at, err := parsePlace(arg); err != nil || at != want {
			t.Errorf("%s is %+v, %v", arg, at, err)
		}
	}
	for _, arg := range []string{"a.go:9-3", "a.go:0", "a.go:0-3"} {
		if at, err := parsePlace(arg); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%s is %+v, %v", arg, at, err)
		}
	}
}
