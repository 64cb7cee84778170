package model

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestBenchmark_IsNotTrainedOn(t *testing.T) {
	x, err := newExclusion()
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]bool{
		"/go/pkg/mod/github.com/spf13/cobra@v1.10.2":            true,
		"/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1":           true,
		"/go/pkg/mod/github.com/nats-io/nats-server/v2@v2.15.2": true, // asked about by the golden questions
		"/go/pkg/mod/google.golang.org/grpc@v1.84.0":            true,
		"/home/me/src/Flask":                                    true,
		"/home/me/src/pallets/flask/src":                        true,
		"/home/me/src/flask-login":                              false,
		"/go/pkg/mod/github.com/google/uuid@v1.6.0":             false,
		"/usr/local/go/src":                                     false,
		"/go/pkg/mod/github.com/weaviate/weaviate@v1.27.0":      false,
	} {
		if x.has(folder) != want {
			t.Errorf("%s is left out: %v", folder, !want)
		}
	}
	if len(x.repositories) < 65 {
		t.Errorf("%d repositories are left out", len(x.repositories))
	}
}

func TestSourceThatIsLeftOut_IsSaid(t *testing.T) {
	var told strings.Builder
	c := Config{Project: "../..", From: []string{"/somewhere/redis", "/somewhere/else"}}
	list, err := c.sources(t.Context(), &told)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, s := range list {
		paths = append(paths, s.Path)
	}
	if slices.Contains(paths, "/somewhere/redis") || !slices.Contains(paths, "/somewhere/else") || len(paths) < 5 {
		t.Errorf("%v", paths)
	}
	for _, line := range []string{"left out:  /somewhere/redis", "trained on: /somewhere/else"} {
		if !strings.Contains(told.String(), line) {
			t.Errorf("%q is not said:\n%s", line, told.String())
		}
	}
}

func TestFileThatIsAskedFor_IsNotLearntFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.jsonl")
	if err := os.WriteFile(file, []byte(`{"id":"1","query":"how is it","relevant":["net/http/a.go"]}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	apart, err := readApart([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"go/net/http/a.go": true, "net/http/a.go": true, "go/net/http/b.go": false, "go/x/net/http/a.go": false} {
		if apart(path) != want {
			t.Errorf("%s is apart: %v", path, !want)
		}
	}
	if _, err := (&Config{Start: "somewhere"}).rows(); document.KindOf(err) != document.InvalidRequest {
		t.Error(err)
	}
}
