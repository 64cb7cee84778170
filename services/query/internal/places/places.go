package places

import (
	"path"
	"regexp"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

// Place is a line of a file as a question names it.
type Place struct {
	Path     string // as typed, with slashes; the folders may be those of a package
	Line     int    // from 1
	Column   int    // from 1; 0 for none
	Function string // "" for none
	// Bare says that nothing but the file's name was typed: its folders were made
	// of the name of a class.
	Bare bool
	// Sure is false where only a file of that name tells that it is a place, and
	// not a host with its port.
	Sure bool
	// Innermost says that the last of several is where it happened, as in Python.
	Innermost bool

	code string // the line's text, as it was
	hunk *hunk
}

// Found is what there is of places in a question.
type Found struct {
	Places []Place
	// Message is what else the question says; "" for nothing.
	Message string
}

// Bounds: a trace has its cause at an end, and more words than that are searched in
// vain.
const (
	most        = 64
	messageMost = 2048 // bytes
	lineMost    = 4096 // bytes of a line: a longer one is data
)

// Find looks for places.
func Find(question string) Found {
	lines := strings.Split(question, "\n")
	f := finder{single: len(lines) == 1}
	f.diff(lines)
	for i := 0; i < len(lines) && !f.isDiff; i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		if f.line(line, next) {
			i++ // it was the text of the place
		}
	}
	if len(f.places) > most {
		f.places = append(f.places[:most/2:most/2], f.places[len(f.places)-most/2:]...)
	}
	return Found{Places: f.places, Message: f.said()}
}

type finder struct {
	single, isDiff bool
	places         []Place
	message        []string
	size           int
	function       string // of the line before, where that is a call
}

// said joins what is no place. A question of places alone says which files and
// functions.
func (f *finder) said() string {
	if text := strings.TrimSpace(strings.Join(f.message, "\n")); text != "" {
		return text
	}
	var names []string
	seen := map[string]bool{}
	for i := range f.places {
		p := &f.places[i]
		for _, name := range []string{path.Base(p.Path), p.Function} {
			if name != "" && !seen[name] && len(names) < most/4 {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, " ")
}

func (f *finder) say(line string) {
	line = strings.TrimSpace(line)
	if left := messageMost - f.size; len(line) > left {
		line = strings.ToValidUTF8(line[:max(left, 0)], "")
	}
	if line == "" {
		return
	}
	f.size += len(line) + 1
	f.message = append(f.message, line)
}

// file is a path as it stands in a line: no white space, a name with an extension.
const file = `((?:[A-Za-z]:)?[\pL\pN_./\\@+~\[\]-]*[\pL\pN_\]-]\.[A-Za-z]\w{0,9}|(?:[\w./-]*/)?[A-Z]\w*file)`

var (
	python  = regexp.MustCompile(`File "([^"]+)", line (\d+)(?:, in (.+))?`)
	inside  = regexp.MustCompile(`^\s*at (?:async |new )*(.+?) \((.+?):(\d+):(\d+)\)\s*$`)
	java    = regexp.MustCompile(`^\s*at (?:[\w.@-]*/+)*([\pL\pN_.$<>-]+)\(([\pL\pN_$-]+\.\w+):(\d+)\)`)
	dotnet  = regexp.MustCompile(`^\s*at (.+?) in (.+):line (\d+)\s*$`)
	php     = regexp.MustCompile(`(?:in|at) (\S+\.\w+)(?: on)? line (\d+)`)
	spoken  = regexp.MustCompile(file + `[,:]?(?: at| on)? lines? (\d+)(?: ?[-–] ?\d+)?`)
	lineOf  = regexp.MustCompile(`\b[Ll]ines? (\d+)(?: ?[-–] ?\d+)? (?:of|in) ` + file)
	bracket = regexp.MustCompile(file + `\((\d+)(?:,\s*(\d+))?\)`)
	anchor  = regexp.MustCompile(file + `#L(\d+)(?:-L?\d+)?`)
	colon   = regexp.MustCompile(file + `(?:\?[^\s:()]*)?:(\d+)(?::(\d+))?`)
	ruby    = regexp.MustCompile("^:in [`']([^']+)'")
	goCall  = regexp.MustCompile(`^(?:created by )?([\pL\pN_./*()\[\]{}$-]+?)(?:\([^()]*\)| in goroutine \d+)?$`)
	noise   = regexp.MustCompile(`^(?:goroutine \d+ .*|Traceback \(most recent call last\):|Stack trace:|stack backtrace:|exit status \d+|FAIL|\s*[~^]+\s*|\s*\d*\s*\|.*|\s*=.*|\d+ \| .*)$`)
)

// line reads one line of a question; used says that the next one belongs to it.
func (f *finder) line(line, next string) (used bool) {
	call := f.function
	f.function = ""
	if len(line) > lineMost || !strings.ContainsAny(line, "0123456789") {
		f.plain(line, next)
		return false
	}
	before := len(f.places)
	switch {
	case f.forms(line, next):
		return len(f.places) > before && f.places[before].code != ""
	case f.others(line, call):
		return false
	}
	f.plain(line, next)
	return false
}

// forms reads the frames that are a line of their own.
func (f *finder) forms(line, next string) bool {
	at := strings.HasPrefix(strings.TrimLeft(line, " \t"), "at ")
	if !at && !strings.Contains(line, `", line `) {
		return false // most lines: cheaper to find out than to match them
	}
	if m := python.FindStringSubmatchIndex(line); m != nil {
		p := Place{Path: slashed(part(line, m, 1)), Line: number(part(line, m, 2)), Function: part(line, m, 3), Sure: true, Innermost: true}
		if strings.HasPrefix(next, "    ") && !python.MatchString(next) {
			p.code = strings.TrimSpace(next)
		}
		if strings.HasPrefix(p.Path, "<") {
			return true // <stdin> is no file
		}
		f.places = append(f.places, p)
		return true
	}
	if m := inside.FindStringSubmatch(line); m != nil {
		f.places = append(f.places, Place{Path: slashed(m[2]), Line: number(m[3]), Column: number(m[4]), Function: m[1], Sure: true})
		return true
	}
	if m := dotnet.FindStringSubmatch(line); m != nil {
		f.places = append(f.places, Place{Path: slashed(m[2]), Line: number(m[3]), Function: m[1], Sure: true})
		return true
	}
	if m := java.FindStringSubmatch(line); m != nil {
		f.places = append(f.places, Place{Path: ofClass(m[1], m[2]), Line: number(m[3]), Function: m[1], Bare: true, Sure: true})
		return true
	}
	return false
}

// others reads places within a line; what else it says is a message.
func (f *finder) others(line, call string) bool {
	for _, within := range []struct {
		has        string
		form       *regexp.Regexp
		file, line int // which groups
	}{{"#L", anchor, 1, 2}, {"(", bracket, 1, 2}, {" line ", php, 1, 2}, {" line", spoken, 1, 2}, {"ine", lineOf, 2, 1}, {":", colon, 1, 2}} {
		if !strings.Contains(line, within.has) {
			continue
		}
		form := within.form
		all := form.FindAllStringSubmatchIndex(line, most)
		rest, at, found := "", 0, false
		for _, m := range all {
			p := Place{Path: slashed(part(line, m, within.file)), Line: number(part(line, m, within.line)), Function: call}
			if len(m) > 6 {
				p.Column = number(part(line, m, 3))
			}
			p.Sure = language.OfPath(document.Path(p.Path)) != ""
			if goesOn(line[m[1]:]) || p.Line == 0 || !p.Sure && (form == bracket || form == spoken || form == lineOf) {
				continue
			}
			if in := ruby.FindStringSubmatch(line[m[1]:]); in != nil {
				p.Function = in[1]
			}
			found = true
			f.places = append(f.places, p)
			rest += line[at:m[0]]
			if f.single {
				rest += path.Base(p.Path)
			}
			at = m[1]
		}
		if found {
			f.tell(rest + line[at:])
			return true
		}
	}
	return false
}

// tell takes what a line says beside its places, unless that is nothing.
func (f *finder) tell(rest string) {
	trimmed := strings.Trim(rest, " \t:,;()-<>'\"`")
	switch {
	case f.single:
		f.say(rest)
	case strings.HasPrefix(trimmed, "+0x"), strings.HasPrefix(trimmed, "in "), trimmed == "at", trimmed == "from", noise.MatchString(rest):
	case strings.ContainsAny(trimmed, " ") || len(trimmed) > 8:
		f.say(trimmed)
	}
}

// plain takes a line without a place: a call above its place, noise, or a message.
func (f *finder) plain(line, next string) {
	if strings.HasPrefix(next, "\t") && len(line) <= lineMost && len(next) <= lineMost {
		if m := goCall.FindStringSubmatch(line); m != nil && colon.MatchString(next) {
			f.function = m[1]
			return
		}
	}
	if !f.single && noise.MatchString(line) {
		return
	}
	f.say(line)
}

// goesOn reports whether a number is only the beginning of what stands there.
func goesOn(after string) bool {
	return after != "" && (after[0] == '.' && len(after) > 1 && after[1] >= '0' && after[1] <= '9' || after[0] == '_' || after[0] >= 'a' && after[0] <= 'z' || after[0] >= 'A' && after[0] <= 'Z')
}

// ofClass makes the path of a file of its class: com.foo.Bar.run in Bar.java is
// com/foo/Bar.java.
func ofClass(class, name string) string {
	parts := strings.Split(class, ".")
	if len(parts) < 3 {
		return name
	}
	return strings.Join(parts[:len(parts)-2], "/") + "/" + name
}

func part(line string, m []int, i int) string {
	if m[2*i] < 0 {
		return ""
	}
	return line[m[2*i]:m[2*i+1]]
}

// number is a number of at most nine digits, 0 for none.
func number(text string) (n int) {
	if len(text) > 9 {
		return 0
	}
	for _, c := range text {
		n = 10*n + int(c-'0')
	}
	return n
}

var scheme = regexp.MustCompile(`^(?:[a-z][a-z-]*:/{2,3}|[A-Za-z]:[\\/])`)

// slashed is a path with slashes and without what is before it.
func slashed(p string) string {
	rooted := strings.HasPrefix(p, "/")
	p = scheme.ReplaceAllStringFunc(p, func(string) string { rooted = true; return "" })
	p = strings.ReplaceAll(p, `\`, "/")
	p, _, _ = strings.Cut(p, "?")
	p = strings.TrimPrefix(path.Clean(p), "/")
	for strings.HasPrefix(p, "../") {
		p = p[len("../"):]
	}
	if rooted {
		return "/" + p
	}
	return p
}
