package places

import (
	"fmt"
	"strings"
	"testing"
)

func show(f Found) string {
	var parts []string
	for _, p := range f.Places {
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%s:%d:%d %s", p.Path, p.Line, p.Column, p.Function), " "))
	}
	return strings.Join(parts, ", ") + " | " + strings.ReplaceAll(f.Message, "\n", " / ")
}

func TestPlace_IsReadInAllItsForms(t *testing.T) {
	for text, want := range map[string]string{
		"merge.go:93":                                     "merge.go:93:0 | merge.go",
		"merge.go:93:9":                                   "merge.go:93:9 | merge.go",
		"what happens at pkg/merge.go:93?":                "pkg/merge.go:93:0 | what happens at merge.go?",
		"store/merge.go#L93-L97":                          "store/merge.go:93:0 | merge.go",
		`File "x.py", line 12, in f`:                      "x.py:12:0 f | x.py f",
		"at f (a.js:3:9)":                                 "a.js:3:9 f | a.js f",
		"    at async g (file:///srv/a.mjs:3:9)":          "/srv/a.mjs:3:9 g | a.mjs g",
		"at com.foo.Bar.run(Bar.java:12)":                 "com/foo/Bar.java:12:0 com.foo.Bar.run | Bar.java com.foo.Bar.run",
		"./prog.go:8:2: undefined: foo":                   "prog.go:8:2 | prog.go: undefined: foo",
		`C:\src\app\Main.cs(12,5): error CS0103: no name`: "/src/app/Main.cs:12:5 | Main.cs: error CS0103: no name",
		"src/a.ts(3,9): error TS2322: Type":               "src/a.ts:3:9 | a.ts: error TS2322: Type",
		"   at App.Run() in /src/App.cs:line 7":           "/src/App.cs:7:0 App.Run() | App.cs App.Run()",
		"thread 'main' panicked at src/main.rs:3:5:":      "src/main.rs:3:5 | thread 'main' panicked at main.rs:",
		"  --> src/main.rs:3:5":                           "src/main.rs:3:5 | --> main.rs",
		"PHP Fatal error: x in /srv/a.php on line 12":     "/srv/a.php:12:0 | PHP Fatal error: x a.php",
		"a.rb:12:in `run': no method (NoMethodError)":     "a.rb:12:0 run | a.rb:in `run': no method (NoMethodError)",
		"Makefile:12: *** missing separator":              "Makefile:12:0 | Makefile: *** missing separator",
		"foo.c: In function 'f'":                          " | foo.c: In function 'f'",
		"panic: boom\n\ngoroutine 1 [running]:\nmain.(*T).run(0x1, {0x2, 0x3})\n\t/home/me/p/run.go:12 +0x1d\nmain.main()\n\t/home/me/p/main.go:5 +0x2\nexit status 2": "/home/me/p/run.go:12:0 main.(*T).run, /home/me/p/main.go:5:0 main.main | panic: boom",
		"Traceback (most recent call last):\n  File \"/a/x.py\", line 3, in f\n    g()\n  File \"/a/y.py\", line 4, in g\n    raise E(1)\nE: 1":                        "/a/x.py:3:0 f, /a/y.py:4:0 g | E: 1",
		"--- a/x.go\n+++ b/x.go\n@@ -10,3 +12,3 @@ func f() {\n a\n-b\n+c\n d\n@@ -20 +22 @@\n-x\n+y\n":                                                                "x.go:13:0 func f() {, x.go:22:0 | b / c / x / y",
		"  File \"<stdin>\", line 1, in <module>\n  File \"y.py\", line 4, in g\nE: 1":                                                                                 "y.py:4:0 g | E: 1",
		"client.go line 600":                    "client.go:600:0 | client.go",
		"why does net/client.go, line 600 fail": "net/client.go:600:0 | why does client.go fail",
		"client.go on lines 600-620":            "client.go:600:0 | client.go",
		"what does line 93 of pkg/merge.go do":  "pkg/merge.go:93:0 | what does merge.go do",
		"Line 7 in a.py raises":                 "a.py:7:0 | a.py raises",
		// No places.
		"example.com line 4": " | example.com line 4", "line 4 of example.com": " | line 4 of example.com", "read line 3 of a file": " | read line 3 of a file",
		"deadline 3 of a.py":       " | deadline 3 of a.py",
		"listen on 127.0.0.1:8080": " | listen on 127.0.0.1:8080", "at 12:30 today": " | at 12:30 today", "std::vector:3": " | std::vector:3",
		"version v1.2.3:4": " | version v1.2.3:4", "how is merge.go used": " | how is merge.go used",
	} {
		if got := show(Find(text)); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	if f := Find("cannot reach example.com:443 today"); len(f.Places) != 1 || f.Places[0].Sure {
		t.Errorf("a host is surely a file: %+v", f)
	}
}

func TestLineOfAPlaceHasMoved_ItIsFound(t *testing.T) {
	text := []byte("one\ntwo\nthree\nfour\nfive\nsix\n")
	trace := Find("  File \"x.py\", line 2, in f\n    five\n")
	if got := trace.Places[0].In(text); got != 5 {
		t.Errorf("the line is %d", got)
	}
	diff := "--- a/x\n+++ b/x\n@@ -%d,2 +%d,2 @@\n three\n-four\n+FOUR\n"
	for _, c := range [][2]int{{1, 1}, {3, 3}, {90, 2}} {
		if got := Find(fmt.Sprintf(diff, c[0], c[1])).Places[0].In(text); got != 4 {
			t.Errorf("%v: the hunk is at %d", c, got)
		}
	}
	if got := Find("x.go:7").Places[0].In(text); got != 0 {
		t.Errorf("line 7 of 6 is %d", got)
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"a.go:1:2: x", "  File \"a\", line 1\n    x", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "at f (a.js:1:2)", "at a.b.C(C.java:1)", "f()\n\ta.go:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, question string) {
		for _, p := range Find(question).Places {
			if p.Path == "" || p.Line < 0 {
				t.Fatalf("%q: %+v", question, p)
			}
			for _, text := range []string{"", "x", "a\nb\n", question} {
				if n := p.In([]byte(text)); n < 0 || n > strings.Count(text, "\n")+1 {
					t.Fatalf("%q: line %d of %q", question, n, text)
				}
			}
		}
	})
}

// Texts that are all places, or all but places, are as long as a question may be.
func TestLongText_IsReadUpToItsLimits(t *testing.T) {
	for _, p := range []string{"a.go:1 ", "at ", "at f (", "a.go:1:1\n", "File \"", "@@ -1 +1 @@\n", "+++ a\n@@ -1 +1 @@\n+x\n", "a(", "../", "word "} {
		if f := Find(strings.Repeat(p, 65536/len(p))); len(f.Places) > most || len(f.Message) > messageMost+most {
			t.Errorf("%q: %d places, %d bytes of message", p, len(f.Places), len(f.Message))
		}
	}
}
