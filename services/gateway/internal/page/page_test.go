package page

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
)

// most is what the page may weigh, uncompressed, in bytes.
const most = 200_000

func TestPage_IsLightAndAsksNowhereElse(t *testing.T) {
	elsewhere := regexp.MustCompile(`["'(]\s*(https?:)?//|url\(|@import`)
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`)
	total := 0
	err := fs.WalkDir(Files(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Files(), name)
		if err != nil {
			return err
		}
		total += len(text)
		if types[path.Ext(name)] == "" {
			t.Errorf("%s has no type", name)
		}
		if strings.HasPrefix(name, "vendor/") || name == "icon.svg" {
			return nil // the policy of the page holds for them, too
		}
		for what, pattern := range map[string]*regexp.Regexp{"may ask another host": elsewhere, "makes markup of text": markup} {
			if found := pattern.Find(text); found != nil {
				t.Errorf("%s %s: %s", name, what, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > most || total < most/10 {
		t.Errorf("the page has %d bytes, it may have %d", total, most)
	}
}

func TestFileThatHasNotChanged_IsNotSentAgain(t *testing.T) {
	get := func(tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/app.js", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, r)
		return w
	}
	first := get("")
	if first.Code != http.StatusOK || first.Body.Len() == 0 {
		t.Fatalf("%d", first.Code)
	}
	if again := get(first.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("it is sent again: %d", again.Code)
	}
	for _, name := range []string{"/none.js", "/../page.go", "/vendor/"} {
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+name, nil))
		if w.Code != http.StatusNotFound || bytes.Contains(w.Body.Bytes(), []byte("package")) {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
