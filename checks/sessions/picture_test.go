package sessions

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

const (
	pictureWidth = 900
	firstLine    = 62 // where the text begins, below the window's buttons
	lineHeight   = 19
)

var (
	promptParts = regexp.MustCompile(`^(~\S*) \$ (.*)$`)
	hitParts    = regexp.MustCompile(`^(\S+)(:\d+)  (\d+\.\d+)  (.*)$`)
)

// draw makes a picture of the last session of a text, in the colours that a
// terminal shows.
func draw(text string) string {
	_, session, _ := strings.Cut(text, "```console\n")
	session, _, _ = strings.Cut(session, "\n```")
	lines := strings.Split(session, "\n")
	height := firstLine + lineHeight*len(lines)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="title">
<title id="title">A session: freshet finds a passage, then a file in the moment it is written, and no longer once it is gone</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dae0;white-space:pre}
.b{fill:#6cb6ff}.w{fill:#fff;font-weight:bold}.m{fill:#d8a0f0}.g{fill:#8ddb8c}.c{fill:#76d9e6;font-weight:bold}.f{fill:#9198a5}
</style>
<rect width="%[1]d" height="%[2]d" rx="9" fill="#1b1f27"/>
<circle cx="20" cy="20" r="6" fill="#ff5f57"/><circle cx="40" cy="20" r="6" fill="#febc2e"/><circle cx="60" cy="20" r="6" fill="#28c840"/>
`, pictureWidth, height)
	for i, line := range lines {
		fmt.Fprintf(&b, "<text x=\"20\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", firstLine+lineHeight*i, coloured(line))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// coloured marks the parts of a line.
func coloured(line string) string {
	if m := promptParts.FindStringSubmatch(line); m != nil {
		return span("b", m[1]) + " " + span("w", "$") + " " + html.EscapeString(m[2])
	}
	if m := hitParts.FindStringSubmatch(line); m != nil {
		return span("m", m[1]) + html.EscapeString(m[2]) + "  " + span("g", m[3]) + "  " + span("c", m[4])
	}
	if rest, ok := strings.CutPrefix(line, "    "); ok {
		return "    " + span("f", rest)
	}
	return html.EscapeString(line)
}

func span(class, text string) string {
	return fmt.Sprintf("<tspan class=%q>%s</tspan>", class, html.EscapeString(text))
}
