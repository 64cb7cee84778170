package agents

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// marked is a block of lines between two comments at the end of a file. The first
// comment says what the file was before, so that it can be that again.
type marked struct {
	comment string // with %s for what it says
	text    string
}

// What a file was before the block came.
const (
	wasLines   = "begin freshet"              // it ended with a line break, or was empty
	wasOpen    = "begin freshet, on its line" // its last line had no end
	wasMissing = "begin freshet, in its file"
	blockEnd   = "end freshet"
)

func tomlOf(s Setup) string {
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = strconv.Quote(a)
	}
	return "[mcp_servers." + serverName + "]\ncommand = " + strconv.Quote(s.Command) + "\nargs = [" + strings.Join(args, ", ") + "]\n"
}

func (m marked) put(text string, there bool) (string, error) {
	was, gap := wasLines, ""
	switch {
	case !there:
		was = wasMissing
	case text != "" && !strings.HasSuffix(text, "\n"):
		was, gap = wasOpen, "\n"
	}
	if strings.Contains(text, "[mcp_servers."+serverName+"]") && strings.Contains(m.text, "[mcp_servers.") {
		return "", fmt.Errorf("it has a server named freshet that was written otherwise")
	}
	return text + gap + fmt.Sprintf(m.comment, was) + "\n" + m.text + fmt.Sprintf(m.comment, blockEnd) + "\n", nil
}

func (m marked) take(text string) (rest string, gone bool) {
	mark := func(what string) string { return regexp.QuoteMeta(fmt.Sprintf(m.comment, what)) }
	for _, was := range []string{wasOpen, wasMissing, wasLines} {
		gap := ""
		if was == wasOpen {
			gap = "\n"
		}
		block := regexp.MustCompile(`(?s)` + gap + mark(was) + "\n.*?" + mark(blockEnd) + "\n")
		if at := block.FindStringIndex(text); at != nil {
			rest = text[:at[0]] + text[at[1]:]
			return rest, was == wasMissing && rest == ""
		}
	}
	return text, false
}
