// Package page is the page: files that a browser is given as they are.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed all:files
var embedded embed.FS

// Files are those of the page.
func Files() fs.FS {
	files, err := fs.Sub(embedded, "files")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return files
}

var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}

// Handler gives out the files. A browser asks each time whether one has changed,
// since the program may be another by then.
func Handler() http.Handler {
	files := Files()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "The page can only be read.", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			w.Header().Set("Content-Type", types[".txt"])
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("There is no such page.\n"))
			return
		}
		sum := sha256.Sum256(text)
		w.Header().Set("Content-Type", types[path.Ext(name)])
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(string(text)))
	})
}

// The script of this page keeps the half of the session and goes on to the page. A
// redirect would not do: a browser sends a strict cookie only where a page of ours
// led.
var opened = template.Must(template.New("opened").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>freshet</title>
<meta name="freshet-page" content="{{.}}">
<script src="/opened.js"></script>
<p>The page opens.</p></html>
`))

const refused = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>freshet</title>
<link rel="stylesheet" href="/style.css">
<main class="gate"><h1>This link has been used</h1>
<p>A link opens the page once, within a minute. Take a new one:</p>
<pre>freshet open</pre></main></html>
`

// Opened answers a browser that is let in, with the page's half of its session.
func Opened(w http.ResponseWriter, half string) {
	w.Header().Set("Content-Type", types[".html"])
	_ = opened.Execute(w, half) // who does not read it any more has left
}

// Refused answers a browser whose link was used or has ended.
func Refused(w http.ResponseWriter) {
	w.Header().Set("Content-Type", types[".html"])
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(refused))
}
