package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// show writes terms with the weights that are not 1.
func show(terms []Term) string {
	var out []string
	for _, t := range terms {
		s := t.Token
		if t.Weight != 1 {
			s += fmt.Sprintf("^%g", t.Weight)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestQuery_HasExactlyItsTerms(t *testing.T) {
	a := New()
	for text, want := range map[string]string{
		"how is the retry handled for failed requests": "retri handl fail request",
		"parseHTTPHeader":                   "parsehttpheader pars http header parse_http_header^0.5",
		"where read_file reads a file":      "read_file read^1.8 file^1.8 readfile^0.5",
		"the of and":                        "",
		"The":                               "the",
		"the":                               "",
		"?!":                                "",
		"":                                  "",
		"class With":                        "class with",
		"services/for/with.go":              "servic for with go",
		"claim-check store":                 "claim-check claim ~claim check ~check store ~stor ~store",
		"file file FILE":                    "file^2.4545454545454546 ~fil^2.4545454545454546 ~file^2.4545454545454546",
		"如何解析":                              "如何 何解 解析",
		"what does café mean":               "cafe mean",
		"wie wird eine Verbindung getrennt": "verbindung^0.5 ~verbind getrennt^0.5 ~getrennt",
		"MIT license":                       "mit ~mit licens ~licens ~licen ~license",
	} {
		if got := show(a.Query(text)); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestWordsForSignals_AreThoseOfTheIndex(t *testing.T) {
	a := New()
	for text, want := range map[string]string{
		"how the HTTPServer handles requests": "http server handl request",
		"http_server_test":                    "http server test",
		"x1 b utf8 getById":                   "1 utf 8 get id",
		"配置":                                  "配置",
	} {
		if got := strings.Join(a.Words(text), " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if !IsStopWord("The") || IsStopWord("server") {
		t.Error("the is no stop word, or server is one")
	}
}

func TestQuery_IsOfItsClass(t *testing.T) {
	for text, want := range map[string]Class{
		"":                                      Natural,
		"where is the retry logic":              Natural,
		"error handling middleware":             Natural,
		"what happens when: connection refused": Natural,
		"how withScientific parses a number":    Natural,
		"rate limiter":                          Natural,
		"如何解析配置":                                Natural,
		"42":                                    Natural,
		"parseHTTPHeader":                       Symbol,
		"Router":                                Symbol,
		"Rack::Response":                        Symbol,
		"std::vector push_back":                 Symbol,
		"func parseURL":                         Symbol,
		"class Session":                         Symbol,
		"http.Client":                           Symbol,
		"flush()":                               Symbol,
		"pkg/store/store.go":                    Path,
		"main.go":                               Path,
		"RWMutex.Lock":                          Symbol,
		"plot.R":                                Path,
		"*.proto":                               Path,
		"Makefile":                              Path,
		`src\net\http.c`:                        Path,
		"./run":                                 Path,
		"TCP/IP":                                Symbol,
		"TypeError: x is not a function":        Error,
		"error[E0382]: use of moved value":      Error,
		"panic: runtime error: index out of range [3]":                      Error,
		"main.go:12:3: undefined: foo":                                      Error,
		"open /tmp/x: no such file or directory":                            Error,
		"at com.acme.Main.run(Main.java:12)":                                Error,
		`File "x.py", line 3, in main`:                                      Error,
		"java.lang.NullPointerException: Cannot invoke \"String.length()\"": Error,
	} {
		if got := Classify(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestIdentifierOfAQuery_IsFound(t *testing.T) {
	for text, want := range map[string]string{
		"how withScientific parses a JSON number":    "withScientific",
		"fmt::printf and fmt::sprintf formatting":    "fmt::printf fmt::sprintf",
		"what does read_file do with http.Client?":   "read_file http.Client",
		"where is flush() called":                    "flush",
		"which file(s) and class(es) hold the `key`": "key",
		"Router":                               "Router",
		"session":                              "session",
		"$session":                             "session",
		"flush()":                              "flush",
		"GraphQL over HTTP, e.g. URLs of APIs": "GraphQL",
		"The Session Object. Then more":        "",
		"in pkg/store/my_store.go or main.go":  "",
		"parseURL parseURL":                    "parseURL",
		"main.go":                              "",
		"naïveParser of words":                 "naïveParser",
		"what does Runner:queue do with key:value and a note:this": "Runner:queue",
		"runner.Runner:queue":         "runner.Runner:queue",
		"serve uvicorn app.main:run(": "app.main:run",
		"Note: see what is below":     "",
	} {
		if got := strings.Join(Identifiers(text), " "); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// FuzzTokens checks what stores rely on, and that a query made of a passage's
// own text finds it.
func FuzzTokens(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Add("\xff İ ŉ ﷺ ǅ ½ ͺ \u0301 a\u0301_b ー 々 แมว")
	a := New()
	f.Fuzz(func(t *testing.T, text string) {
		tokens := tokensOf(a, text, true)
		if again := tokensOf(New(), text, true); !slices.Equal(tokens, again) {
			t.Fatalf("%q gives %q, then %q", text, tokens, again)
		}
		known := make(map[string]bool)
		for _, token := range tokens {
			known[token] = true
			if token == "" || len(token) > 255 || !utf8.ValidString(token) || strings.ContainsFunc(token, unicode.IsSpace) {
				t.Fatalf("%q gives the token %q", text, token)
			}
		}
		for s := (scanner{text: []byte(text), compounds: true}); ; {
			k, piece, ok := s.next()
			if !ok {
				break
			}
			if k == asciiRun {
				known[otherStyle(string(piece))] = true
			}
		}
		for _, term := range a.Query(text) {
			if !IsMarked(term.Token) && !known[term.Token] {
				t.Fatalf("the query %q has the term %q, the text gives %q", text, term.Token, tokens)
			}
			if len(term.Token) > 255 || term.Weight <= 0 {
				t.Fatalf("the query %q has the term %+v", text, term)
			}
		}
		a.Words(text)
		for _, id := range Identifiers(text) {
			if id == "" || !strings.Contains(text, id) {
				t.Fatalf("%q has the identifier %q", text, id)
			}
		}
	})
}
