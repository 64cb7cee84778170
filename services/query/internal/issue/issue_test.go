package issue

import (
	"strings"
	"testing"
)

const below = "Steps to reproduce: start the server, send two requests at once, and wait until the first of them is answered."

func TestReport_HasItsHeadline(t *testing.T) {
	for text, want := range map[string]string{
		"Server forgets the second request\n\n" + below:                                    "Server forgets the second request",
		"# `Server.Close` hangs when a request is open\r\n\r\n" + below:                    "`Server.Close` hangs when a request is open",
		"<!-- Thanks for\nyour report! -->\nTitles are cut in the list of names\n" + below: "Titles are cut in the list of names",
	} {
		if got, _ := Read(text); got != want {
			t.Errorf("%q: headline %q, want %q", text, got, want)
		}
	}
}

func TestFormOfAReport_IsNotSearched(t *testing.T) {
	_, visible := Read("Server forgets the second request\n<!-- Please search\nfirst -->\n" + below)
	if strings.Contains(visible, "Please") || !strings.Contains(visible, "Steps to reproduce") {
		t.Errorf("visible is %q", visible)
	}
}

func TestOtherText_IsNotTakenForAReport(t *testing.T) {
	for _, text := range []string{
		"", "\n", below, "how are requests answered\nin order", // too little below it
		"func (s *Server) Close(ctx context.Context) error {\n" + below,
		"int add(int a, int b);\n" + below, "import os\n" + below, "public static void main(String[] args) {\n" + below,
		"Traceback (most recent call last):\n" + below, "pkg/store/store.go\n" + below,
		strings.Repeat("many words ", 30) + "\n" + below, // a paragraph, and no headline
	} {
		if got, visible := Read(text); got != "" || visible != text {
			t.Errorf("%q: headline %q", text, got)
		}
	}
}
