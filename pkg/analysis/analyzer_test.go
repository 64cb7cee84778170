package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// tokensOf returns the tokens of a text alone.
func tokensOf(a *Analyzer, text string, prose bool) []string {
	return a.appendText(nil, []byte(text), prose, unmarked)
}

func TestIdentifier_GivesTokensOfTheWholeAndItsParts(t *testing.T) {
	a := New()
	for text, want := range map[string]string{
		"parseHTTPHeader":            "parsehttpheader pars http header",
		"read_file":                  "read_file read file",
		"__init__":                   "init",
		"MAX_RETRY_COUNT":            "max_retry_count max retri count",
		"sha256":                     "sha256 sha 256",
		"HTTPServer2XX":              "httpserver2xx http server 2 xx",
		"TValue":                     "tvalue valu",
		"x":                          "x",
		"_":                          "",
		"running":                    "run",
		"the server's own":           "the server own",
		"don't":                      "don",
		"x = b'a'":                   "x b",
		"fmt::printf(\"%d\", 42)":    "fmt printf d 42",
		"0xDEADBEEF":                 "0xdeadbeef",
		"a-b":                        "a b",
		"std::vector<int>.push_back": "std vector int push_back push back",
	} {
		if got := strings.Join(tokensOf(a, text, false), " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestCompoundOfProse_GivesTokensOfTheWholeAndItsParts(t *testing.T) {
	a := New()
	for text, want := range map[string]string{
		"a claim-check, as read":  "a claim-check claim check as read",
		"--no-cache":              "no-cache no cach",
		"2026-11-21":              "2026-11-21 2026 11 21",
		"read_file-nowOrNever ok": "read_file-nowornever read_file read file nowornever now or never ok",
		"dash - dash--dash -":     "dash dash dash",
	} {
		if got := strings.Join(tokensOf(a, text, true), " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestEncodedData_StaysOutOfTheDictionary(t *testing.T) {
	a := New()
	hash := "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	if got := tokensOf(a, hash, false); !slices.Equal(got, []string{hash}) {
		t.Errorf("a hash gives %q", got)
	}
	if got := tokensOf(a, "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", false); len(got) != 1 {
		t.Errorf("base64 gives %q", got)
	}
	if got := tokensOf(a, "getByIdOrNullIfNotFound", false); !slices.Contains(got, "found") {
		t.Errorf("a name of short words gives %q", got)
	}
	for _, long := range []string{strings.Repeat("a", 65), strings.Repeat("Ab", 300), strings.Repeat("é", 300)} {
		if got := tokensOf(a, long, false); len(got) != 0 {
			t.Errorf("%d bytes without a break give %q", len(long), got)
		}
	}
	name := "test_that_a_very_long_name_of_a_test_is_still_found_by_its_parts_although_it_has_more_than_one_hundred_and_twenty_eight_bytes_in_all"
	if got := tokensOf(a, name, false); !slices.Contains(got, "twenti") || slices.Contains(got, name) {
		t.Errorf("a long name gives %q", got)
	}
}

func TestTextOutsideASCII_IsFoldedToItsTokens(t *testing.T) {
	a := New()
	for text, want := range map[string]string{
		"Café CAFE\u0301 cafe":       "cafe cafe cafe",
		"naïveParser":                "naiveparser naiv parser",
		"Größe GRÖSSE":               "gross gross",
		"Øresund łódź":               "oresund lodz",
		"ｐａｒｓｅＨＴＴＰ":                  "parsehttp pars http",
		"ﬁle":                        "file",
		"Привет Йод":                 "привет иод",
		"foo—bar…baz":                "foo bar baz",
		"配置文件":                       "配置 置文 文件",
		"解析HTTP头":                    "解析 http 头",
		"データベース":                     "デー ータ タベ ベー ース",
		"데이터":                        "데이 이터",
		"naïve_Größe":                "naive_grosse naiv gross",
		"\xff\xfebroken\xffbytes":    "broken byte",
		"π2":                         "π2 π 2",
		"zero\u200bwidth":            "zero width",
		"re\u0301sume\u0301 x\u00b2": "resum x2 2",
	} {
		if got := strings.Join(tokensOf(a, text, false), " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestPassage_HasTheTokensOfAllItsFields(t *testing.T) {
	span := &document.Span{Headings: []string{"Install Guide", "Linux"}, Label: "function Serve", Context: "type Server"}
	got := New().Passage("top/a/b%25c/deep/http_conn.go", span, []byte("return nil"), false)
	want := "http_conn http conn http_conn http conn a b c deep instal guid linux function serv type server return nil"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("passage gives\n%q, want\n%q", s, want)
	}
	if got := New().Passage("Makefile", &document.Span{}, nil, false); strings.Join(got, " ") != "makefil makefil" {
		t.Errorf("a file at the top without text gives %q", got)
	}
}

// texts are what the golden hash below is made of.
var texts = []string{
	"func (s *Server) ListenAndServe(addr string) error { return s.serve(addr, 8080) }",
	"def read_file(path: str) -> bytes:  # returns the whole file's content",
	"A well-known claim-check pattern: Größe, café, 配置文件, データ, Йод, ｆｕｌｌ width, ﬁle.",
	"Die Verbindungen zum Server werden nach zehn Minuten getrennt, und über neue wird verhandelt.",
	"0xFF 9f86d081884c7d659a2feaa0c55ad015 v1.2.3 x86_64 utf8 IPv6 TLSv1.3 __all__ TValue",
}

func TestTokensUnderOneVersion_StayTheSame(t *testing.T) {
	const golden = "lex3-snowball f1935b883ebb94f4"
	a := New()
	h := sha256.New()
	for _, text := range texts {
		for _, prose := range []bool{false, true} {
			fmt.Fprintf(h, "%q\n", tokensOf(a, text, prose))
			fmt.Fprintf(h, "%q\n", a.Passage("a.md", &document.Span{}, []byte(text), prose))
		}
	}
	if got := version + " " + hex.EncodeToString(h.Sum(nil))[:16]; got != golden {
		t.Errorf("version and tokens are %q, want %q: raise version, then change this line", got, golden)
	}
	if s := a.Signature(); !strings.HasPrefix(s, version+"-") {
		t.Errorf("signature %q does not begin with the version %q", s, version)
	}
}

func TestFullCache_GivesTheSameTokens(t *testing.T) {
	a := New()
	numbered := func(i int) string { return fmt.Sprintf("item%dName other_%d", i, i) }
	for i := range 2 * pieceEntries {
		tokensOf(a, numbered(i), false)
	}
	for i := 0; i < 2*pieceEntries; i += 997 {
		got, want := tokensOf(a, numbered(i), false), tokensOf(New(), numbered(i), false)
		if !slices.Equal(got, want) {
			t.Fatalf("%q gives %q with a full cache, %q with an empty one", numbered(i), got, want)
		}
	}
}

func TestConcurrentCalls_KeepTheirTokensApart(t *testing.T) {
	shared := New()
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 2000 {
				text := fmt.Sprintf("%s worker%d_%d", texts[i%len(texts)], worker, i%50)
				got := shared.Passage("a/b.go", &document.Span{}, []byte(text), true)
				if last := got[len(got)-1]; last != fmt.Sprint(i%50) {
					t.Errorf("%q ends with %q", text, last)
					return
				}
			}
		})
	}
	group.Wait()
}
