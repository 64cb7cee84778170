package mine

import "testing"

func TestComment_IsCleaned(t *testing.T) {
	for _, test := range []struct{ language, comment, want string }{
		{"go", "// Read reads [Frame]s from\n// the wire. It blocks.\n//\n//\tcode()\n", "Read reads Frames from the wire. It blocks."},
		{"java", "/**\n * Adds <b>one</b> {@link Item} to the list.\n * @param x the thing\n */", "Adds one Item to the list."},
		{"rust", "/// Parses `text` as a [number](crate::Number).\n///\n/// # Errors", "Parses text as a number."},
		{"python", `r"""Sends :class:` + "`Frame`" + ` objects."""`, "Sends Frame objects."},
		{"javascript", "/*\n * Rounds up.\n * @returns {number}\n */", "Rounds up."},
		{"python", "\"\"\"\n    Opens the file.\n\n    Args:\n        name: x\n    \"\"\"", "Opens the file."},
	} {
		lines, _ := linesOf([]byte(test.comment))
		if got := prose(test.language, lines); got != test.want {
			t.Errorf("%q became %q, want %q", test.comment, got, test.want)
		}
	}
}

func TestBadQuestion_IsNotAsked(t *testing.T) {
	for _, test := range []struct{ symbol, text, query, why string }{
		{"Queue.Push", "Push appends a message behind what waits. It never blocks.", "appends a message behind what waits", ""},
		{"Open", "Open it, e.g. by name, and read the header. More.", "it, e.g. by name, and read the header", ""},
		{"Get", "Get value.", "value", tooShort},
		{"ReadFrameHeader", "ReadFrameHeader reads a frame header.", "reads a frame header", repeatsName},
		{"parseHeader", "Works like the other and calls parseHeader again with more room.", "Works like the other and calls parseHeader again with more room", namesIt},
		{"Calls", "The generated code calls this method like:", "", breaksOff},
		{"Alias", "type alias core output with = another core output", "", noProse},
		{"is", "Does re fit to r?", "", repeatsName},
		{"Walk", "Walk is the way through every folder below a root.", "the way through every folder below a root", ""},
		{"F", "Deprecated: use the other function with a context instead.", "", boilerplate},
		{"F", "x := a[i] + b[j]; y = {1, 2}; z += 3 // (!!)", "", noProse},
	} {
		query, why := judgeDoc("go", test.symbol, test.text)
		if why != test.why || test.query != "" && query != test.query {
			t.Errorf("%q: %q, %q", test.text, query, why)
		}
	}
}

func TestVerb_IsNotTakenForTheNameOfItsFunction(t *testing.T) {
	if query, why := judgeDoc("python", "Jar.load", "Load cookies from a JSON file."); query != "Load cookies from a JSON file" || why != "" {
		t.Errorf("%q, %q", query, why)
	}
}

func TestTrivialMessage_IsNotAsked(t *testing.T) {
	for _, test := range []struct{ subject, query, why string }{
		{"Let the watcher wait for a lock that another process holds", "Let the watcher wait for a lock that another process holds", ""},
		{"fix(api): refuse tokens of an older epoch (#123)", "refuse tokens of an older epoch", ""},
		{"net/http: close idle connections when the server goes away", "close idle connections when the server goes away", ""},
		{"Bump golang.org/x/sync from 0.1.0 to 0.2.0", "", mechanical},
		{"Revert \"Let the watcher wait for a lock\"", "", mechanical},
		{"v1.2.3", "", mechanical},
		{"chore: release 1.4.0 of everything that we have", "", mechanical},
		{"gofmt the whole tree once more", "", mechanical},
		{"Fix typo in the name of a variable", "", mechanical},
		{"Add more tests", "", trivialCommit},
	} {
		query, why := judgeMessage(test.subject)
		if why != test.why || test.query != "" && query != test.query {
			t.Errorf("%q: %q, %q", test.subject, query, why)
		}
	}
}

func TestCuts_ShiftTheLines(t *testing.T) {
	cuts := []cut{{first: 2, last: 3}, {first: 5, last: 5, by: "##", replace: true}, {first: 7, last: 7}}
	text := string(edit([]byte("1\n2\n3\n4\n# 5\r\n6\n7\n8"), cuts))
	if text != "1\n4\n##\r\n6\n8" {
		t.Errorf("%q", text)
	}
	for line, want := range map[int]int{1: 1, 4: 2, 5: 3, 6: 4, 8: 5} {
		if got := shifted(line, cuts); got != want {
			t.Errorf("line %d stands at %d, want %d", line, got, want)
		}
	}
}
