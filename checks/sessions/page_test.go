package sessions

import (
	"regexp"
	"strings"
)

// page is a document with sessions in it: its lines, and where their commands
// are.
type page struct {
	lines []string
	steps []step
}

// step is a command of a session, or a block of the shell without output.
type step struct {
	command string
	shown   bool // what it prints stands below it
	from    int  // first line of that
	to      int  // the line behind it
}

var prompt = regexp.MustCompile(`^(?:~\S* )?\$ (.*)$`)

// readPage finds the blocks of the languages console and sh, in their order.
func readPage(text string) page {
	p := page{lines: strings.Split(text, "\n")}
	for i := 0; i < len(p.lines); i++ {
		language, ok := strings.CutPrefix(p.lines[i], "```")
		if !ok {
			continue
		}
		end := i + 1
		for p.lines[end] != "```" {
			end++
		}
		switch language {
		case "sh":
			p.steps = append(p.steps, step{command: strings.Join(p.lines[i+1:end], "\n")})
		case "console":
			p.readConsole(i+1, end)
		}
		i = end
	}
	return p
}

// readConsole reads the lines of a session: commands, each with what it prints.
func (p *page) readConsole(from, to int) {
	for i := from; i < to; {
		m := prompt.FindStringSubmatch(p.lines[i])
		if m == nil {
			i++
			continue
		}
		command := m[1]
		i++
		for strings.Contains(command, "<<END") && !strings.HasSuffix(command, "\nEND") {
			command += "\n" + p.lines[i]
			i++
		}
		s := step{command: command, shown: true, from: i}
		for i < to && !prompt.MatchString(p.lines[i]) {
			i++
		}
		s.to = i
		p.steps = append(p.steps, s)
	}
}

// with returns the text with what each step printed. Where the page ends it with
// an ellipsis, the rest stays out.
func (p *page) with(printed []string) string {
	var out []string
	at := 0
	for i, s := range p.steps {
		if !s.shown {
			continue
		}
		out = append(out, p.lines[at:s.from]...)
		lines := strings.Split(strings.TrimSuffix(printed[i], "\n"), "\n")
		if was := p.lines[s.from:s.to]; len(was) > 0 && was[len(was)-1] == "…" {
			lines = append(lines[:min(len(lines), len(was)-1)], "…")
		}
		if printed[i] != "" {
			out = append(out, lines...)
		}
		at = s.to
	}
	return strings.Join(append(out, p.lines[at:]...), "\n")
}
