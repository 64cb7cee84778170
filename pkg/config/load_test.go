package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "freshet.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestNoFile_TheDefaultsAreValid(t *testing.T) {
	cfg, err := config.Load("")
	if err != nil || !reflect.DeepEqual(cfg, config.Default()) {
		t.Fatalf("%+v, %v", cfg, err)
	}
	if err := cfg.Validate(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "watcher:\n", "watcher: {}\n", "sources: []\n"} {
		cfg, err := config.Load(write(t, empty))
		if err != nil || !reflect.DeepEqual(cfg.Watcher, config.Default().Watcher) {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

func TestEveryValueOfAFile_IsTaken(t *testing.T) {
	t.Setenv("FRESHET_TEST_PORT", "5001")
	t.Setenv("FRESHET_TEST_ROOT", "/srv/a: b")
	cfg, err := config.Load(write(t, `
# a comment
data: "${FRESHET_TEST_ROOT}/state"
nats:
  port: ${FRESHET_TEST_PORT:-1}
  url: ${FRESHET_TEST_NOTHING:-}
sources:
  - root: ${FRESHET_TEST_ROOT}
    name: main
  - {root: /srv/b.git, branch: release/2}
  - root: '/srv/$${literal}'
watcher:
  debounce: 20ms
  max_file_size: 2MiB
`))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Data = "/srv/a: b/state"
	want.NATS.Port = 5001
	want.Sources = []config.Source{
		{Root: "/srv/a: b", Name: "main"}, {Root: "/srv/b.git", Branch: "release/2"}, {Root: "/srv/${literal}"},
	}
	want.Watcher.Debounce = 20 * time.Millisecond
	want.Watcher.MaxFileSize = 2 << 20
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got  %+v\nwant %+v", cfg, want)
	}
}

// Each error names the file, the line, and what to write instead.
func TestBrokenFile_IsRefusedByFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"watcher:\n  debouce: 5ms\n":                                            `:2: unknown key "debouce" in watcher: did you mean "debounce"?`,
		"wacther:\n  debounce: 5ms\n":                                           `:1: unknown key "wacther": did you mean "watcher"?`,
		"nats:\n  colour: red\n":                                                `:2: unknown key "colour" in nats: known are url, host, port, sync`,
		"sources:\n  - path: /x\n":                                              `:2: unknown key "path" in sources[0]: known are root, remote, name, branch`,
		"nats:\n  port: high\n":                                                 `:2: nats.port: "high" is not a whole number`,
		"watcher:\n  debounce: 50\n":                                            `:2: watcher.debounce: "50" is not a duration: write a number with ms, s, m or h, such as 50ms`,
		"watcher:\n  max_file_size: 1XB\n":                                      `:2: watcher.max_file_size: "1XB" is not a size: write a number with B, KiB, MiB, GiB, KB, MB or GB, such as 32MiB`,
		"watcher: 5\n":                                                          `:1: watcher must hold keys: debounce,`,
		"- a\n":                                                                 `:1: the file must hold keys: data, log,`,
		"sources: /srv\n":                                                       `:1: sources must be a list: begin each entry with a dash`,
		"data: [a]\n":                                                           `:1: data must be one value, not a list or an object`,
		"\n\ndata: ${FRESHET_TEST_UNSET}\n":                                     `:3: data: the environment variable FRESHET_TEST_UNSET is not set: set it, or write ${FRESHET_TEST_UNSET:-default}`,
		"data: ${oops\n":                                                        `:1: data: a ${ has no closing brace`,
		"data: ${}\n":                                                           `:1: data: ${} names no environment variable`,
		"data: ${1A}\n":                                                         `:1: data: ${1A} names no environment variable`,
		"data: &x /a\n":                                                         `:1: anchors, aliases and tags are not understood here`,
		"data: a\n---\ndata: b\n":                                               `:3: a second YAML document begins here`,
		"data: a\ndata: b\n":                                                    `is not YAML: line 2:`,
		"data: \"a\n":                                                           `is not YAML: `,
		"nats:\n  port: 70000\n":                                                `nats.port is 70000: use 0 to 65535`,
		"nats:\n  host: 0.0.0.0\n  open: true\n":                                `nats.open is set beside nats.host "0.0.0.0": leave it out`,
		"nats:\n  host: box\n":                                                  `nats.host is "box": write an IP address`,
		"nats: {open: true, secret_file: /s}\n":                                 `nats.secret_file is set beside nats.open`,
		"watcher:\n  git: svn\n":                                                `watcher.git is "svn": use auto, git, go-git`,
		"nats:\n  url: example.org\n":                                           `nats.url is "example.org": write it as nats://HOST:PORT`,
		"nats: {user: a}\n":                                                     `nats.password is missing: write it as ${file:/run/secrets/NAME}, or leave nats.user out`,
		"nats: {password: a}\n":                                                 `nats.user is missing: name the user of nats.password`,
		"nats: {user: a, credentials: /b}\n":                                    `nats.credentials is set beside nats.user: leave one of them out`,
		"nats: {tls: {cert: /c}}\n":                                             `nats.tls.key is missing: name the file with the private key of nats.tls.cert`,
		"nats: {tls: {key: /k}}\n":                                              `nats.tls.cert is missing: name the file with the certificate of nats.tls.key`,
		"nats: {tls: {ka: /k}}\n":                                               `:1: unknown key "ka" in nats.tls: did you mean "ca"?`,
		"nats: {replicas: 6}\n":                                                 `nats.replicas is 6: use 1 to 5`,
		"nats: {user: a, password: (secret)}\n":                                 `nats.password is the placeholder that a printed configuration has: write ${file:/run/secrets/NAME}`,
		"nats: {url: 'nats://(secret)@a:1'}\n":                                  `nats.url is the placeholder`,
		"elasticsearch: {urls: ['a:9200']}\n":                                   `elasticsearch.urls holds "a:9200": write it as https://HOST:9200`,
		"elasticsearch: {urls: https://a}\n":                                    `:1: elasticsearch.urls must be a list`,
		"elasticsearch: {urls: ['http://e:p@a:9200']}\n":                        `elasticsearch.urls holds a user or a password before a:9200: write them under elasticsearch.username and elasticsearch.password`,
		"elasticsearch: {urls: ['http://a:9200'], ca: /ca.pem}\n":               `elasticsearch.urls holds "http://a:9200", which is not encrypted, beside elasticsearch.ca: write https://, or leave that out`,
		"elasticsearch: {api_key: a, username: b}\n":                            `elasticsearch.api_key is set beside elasticsearch.username: leave one of them out`,
		"elasticsearch: {username: b}\n":                                        `elasticsearch.password is missing`,
		"elasticsearch: {password: b}\n":                                        `elasticsearch.username is missing`,
		"elasticsearch: {prefix: Freshet}\n":                                    `elasticsearch.prefix is "Freshet": use 1 to 64 of a-z`,
		"weaviate: {prefix: freshet}\n":                                         `weaviate.prefix is "freshet": use 1 to 32 letters and digits, first a capital`,
		"weaviate: {url: 'grpc://a:1'}\n":                                       `weaviate.url holds "grpc://a:1": write it as https://HOST:8080`,
		"stores: {lexical: bleve}\n":                                            `stores.lexical is "bleve": use embedded, elasticsearch`,
		"stores: {vector: elasticsearch}\n":                                     `stores.vector is "elasticsearch": use embedded, weaviate`,
		"stores: {lexical: elasticsearch}\n":                                    `elasticsearch.urls is missing: name the servers`,
		"stores: {vector: weaviate}\n":                                          `weaviate.url is missing: name the server`,
		"health: {listen: 8080}\n":                                              `health.listen is "8080": write it as HOST:PORT, or as :PORT for every address`,
		"data: ${file:secret}\n":                                                `:1: data: ${file:secret} names no absolute path: write it as ${file:/run/secrets/NAME}`,
		"\ndata: ${file:/none/here}\n":                                          `:2: data: there is no file /none/here: create it, or write ${file:/none/here:-default}`,
		"data: ${file:/}\n":                                                     `:1: data: the file for ${file:/} cannot be read`,
		"query: {priorities: [{source: a}]}\n":                                  `query.priorities[0].factor is 0: use 0.01 to 100`,
		"query: {priorities: [{source: A, factor: 2}]}\n":                       `query.priorities[0].source is "A": use 1 to 64 of`,
		"query: {priorities: [{path: /a, factor: 2}]}\n":                        `query.priorities[0].path "/a" is absolute: paths are relative to the root of their source`,
		"query: {priorities: [{path: 'a[', factor: 2}]}\n":                      `query.priorities[0].path "a[" is a malformed glob`,
		"query: {priorities: [{bonus: 2}]}\n":                                   `unknown key "bonus" in query.priorities[0]: known are source, collection, path, metadata, factor`,
		"query: {priorities: [{collection: book, factor: 2}]}\n":                `query.priorities[0].collection "book" is no name of a collection: use code- or docs-`,
		"collections: {own: [{name: book}]}\n":                                  `collections.own[0].name "book" is no name of a collection: use code- or docs-, which says what it is like`,
		"collections: {own: [{name: docs-a-b}]}\n":                              `collections.own[0].name "docs-a-b" is no name`,
		"collections: {own: [{name: docs-a}, {name: docs-a}]}\n":                `collections.own[1].name is docs-a, which another entry has`,
		"collections: {own: [{name: docs-a, paths: [/a]}]}\n":                   `collections.own[0].paths "/a" is absolute`,
		"collections: {own: [{name: docs-a, sources: [A]}]}\n":                  `collections.own[0].sources has "A": use 1 to 64 of`,
		"collections: {own: [{name: docs-a, embedder: {model: x}}]}\n":          `collections.own[0].embedder.model is for an embedder of docs-a alone`,
		"query: {priorities: [{metadata: core, factor: 2}]}\n":                  `query.priorities[0].metadata "core" is no metadata: give KEY=VALUE`,
		"query: {priorities: {a: 2}}\n":                                         `:1: query.priorities must be a list`,
		"chunker: {strategies: [{strategy: fixed, size: 100, unit: tokens}]}\n": `chunker.strategies[0].paths is missing: name the documents`,
		"chunker: {strategies: [{paths: [a], strategy: words, size: 100, unit: tokens}]}\n":                  `chunker.strategies[0].strategy is "words": use sentence, paragraph`,
		"chunker: {strategies: [{paths: [/a], strategy: fixed, size: 100, unit: tokens}]}\n":                 `chunker.strategies[0].paths "/a" is absolute`,
		"chunker: {strategies: [{paths: [a], strategy: fixed, size: 100, unit: tokens, overlap: 60}]}\n":     `chunker.strategies[0].overlap is 60, above half of size`,
		"chunker: {strategies: [{paths: [a], strategy: fixed, size: 100, unit: tokens, separators: [x]}]}\n": `chunker.strategies[0].separators are for the strategy recursive`,
		"chunker: {strategies: [{paths: [a], strategy: ast, size: 100, unit: tokens}]}\n":                    `chunker.strategies[0] is cut by syntax`,
		"query: {k: 2000}\n":                                     `query.max_k is 1000, below query.k of 2000: raise it`,
		"query: {deadline: 1h}\n":                                `query.deadline is 1h, above query.max_deadline of 1m: lower it`,
		"query: {channel_deadline: -1s}\n":                       `query.channel_deadline is -1s: use 1ms to 1h`,
		"query: {max_overfetch: 20}\n":                           `query.max_overfetch is 20, below query.overfetch of 50: raise it`,
		"query: {pending_bytes: 1}\n":                            `query.pending_bytes is 1B: use 1KiB to 1GiB`,
		"query: {diversify: 1.5}\n":                              `query.diversify is 1.5: use 0 to 1`,
		"query: {ranking: {fusion: sum}}\n":                      `query.ranking.fusion is "sum": use convex, rrf`,
		"query: {ranking: {stem: nan}}\n":                        `query.ranking.stem is NaN: use 0 to 10`,
		"query: {ranking: {coherence: -1}}\n":                    `query.ranking.coherence is -1: use 0 to 10`,
		"query: {rerank: {kind: magic}}\n":                       `query.rerank.kind is "magic": use none, cohere, tei`,
		"query: {rerank: {kind: tei}}\n":                         `query.rerank.url is missing: name the server`,
		"query: {rerank: {url: 'tei:8080'}}\n":                   `query.rerank.url holds "tei:8080": write it as https://HOST:8080`,
		"query: {rerank: {url: 'http://ada:secret@tei:8080'}}\n": `query.rerank.url holds a user or a password before tei:8080`,
		"query: {answer: {summaries: 90000}}\n":                  `query.answer.summaries is 90000, and no model makes them: choose query.answer.kind`,
		"query: {answer: {kind: openai, url: \"http://127.0.0.1:1/v1\", model: m, summaries: 100}}\n": `query.answer.summaries is 100, which may be too little for one passage`,
		"query: {rerank: {kind: cohere}}\n":   `query.rerank.model is missing: name one`,
		"query: {rerank: {passages: 1}}\n":    `query.rerank.passages is 1: use 2 to 1000`,
		"query: {rerank: {weight: 1}}\n":      `query.rerank.weight is 1: use 0.01 to 0.9`,
		"chunker: {target: 3}\n":              `chunker.target is 3: use 64 to 65536`,
		"chunker: {max: 100}\n":               `chunker.max is 100, below chunker.target of 1500: raise it`,
		"chunker: {overlap: 501}\n":           `chunker.overlap is 501: use at most 500, half of chunker.prose`,
		"chunker: {lease: 1ns}\n":             `chunker.lease is 1ns: use 1s to 1h`,
		"embedder: {workers: 1000}\n":         `embedder.workers is 1000: use 1 to 64`,
		"sources:\n  - root: notes\n":         `sources[0].root is "notes": use an absolute path`,
		"sources:\n  - name: x\n":             `sources[0].root is missing`,
		"sources:\n  - {root: /x, name: A}\n": `sources[0].name is "A": use 1 to 64 of`,
	} {
		file := write(t, text)
		_, err := config.Load(file)
		if err == nil {
			t.Errorf("%q is accepted", text)
			continue
		}
		if document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%q: kind %s", text, document.KindOf(err))
		}
		if msg := err.Error(); !strings.HasPrefix(msg, file) || !strings.Contains(msg, want) {
			t.Errorf("%q:\ngot  %s\nwant %s%s", text, msg, "FILE", want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %s", text, err)
		}
	}
}

func TestMissingFile_IsRefused(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"))
	if document.KindOf(err) != document.NotFound || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("%v", err)
	}
}

func TestSeveralProblems_AreAllNamed(t *testing.T) {
	_, err := config.Load(write(t, `
nats: {port: -1}
sources:
  - {root: /a, name: same}
  - {root: /b, name: same}
watcher: {debounce: 2s, max_debounce: 1s}
`))
	var p *config.Problems
	if !errors.As(err, &p) {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range p.List {
		paths = append(paths, e.Path)
	}
	if got := strings.Join(paths, " "); got != "nats.port sources[1].name watcher.max_debounce" {
		t.Errorf("problems with %s:\n%v", got, err)
	}
}

func FuzzLoadedConfiguration_IsValid(f *testing.F) {
	f.Add("watcher:\n  debounce: 20ms\n")
	f.Add("sources:\n  - root: ${HOME:-x}\n")
	f.Add("? a\n: b\n")
	f.Add("data: |\n  a\n")
	f.Add("data: !!str a\n<<: *x\n")
	f.Add("[1]: 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := write(t, text)
		cfg, err := config.Load(file)
		if err == nil {
			err = cfg.Validate()
			if err != nil {
				t.Errorf("%q was loaded and is not valid: %v", text, err)
			}
		} else if document.KindOf(err) == document.Internal {
			t.Errorf("%q: an error without a kind: %v", text, err)
		}
	})
}
