package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// member is a server's entry in an object of a JSON file, which may have comments.
// It is put in behind the object's brace, in one form, and only that form is taken
// out: so the rest of the file stays byte for byte.
type member struct {
	key   string // of the object that holds servers
	value string // of the entry, as JSON in one line
}

const serverName = "freshet"

func jsonOf(s Setup, of shape) string {
	value := struct {
		Type    string   `json:"type,omitempty"`
		Command any      `json:"command"`
		Args    []string `json:"args,omitempty"`
	}{Command: s.Command, Args: s.Args}
	switch of {
	case typed:
		value.Type = "stdio"
	case local:
		value.Type, value.Command, value.Args = "local", append([]string{s.Command}, s.Args...), nil
	}
	js, err := json.Marshal(value)
	if err != nil {
		panic("agents: strings cannot be encoded: " + err.Error())
	}
	return string(js)
}

// The forms, from the one with most around the entry: a file of its own, an object
// of its own, and an entry in an object that is there. They are indented so that
// none can be taken for another one with what a file had before.
func (m member) whole(value string) string {
	return "{\"" + m.key + "\": {\n  \"" + serverName + "\": " + value + "\n}}\n"
}

func (m member) object(value string) string {
	return "\n  \"" + m.key + "\": {\n    \"" + serverName + "\": " + value + "\n  }"
}

func (m member) entry(value string) string { return "\n    \"" + serverName + "\": " + value }

// ours is the value of an entry that this program has written at some time, for a
// program elsewhere.
const ours = `(?:\{(?:"type":"stdio",)?"command":` + word + `,"args":\["mcp"(?:,` + word + `)*\]\}|\{"type":"local","command":\[` + word + `,"mcp"(?:,` + word + `)*\]\})`

// word is a string of JSON.
const word = `"(?:[^"\\]|\\.)*"`

// take returns the text without the entry. gone says that nothing of a file that was
// made for the entry is left.
func (m member) take(text string) (rest string, gone bool) {
	if regexp.MustCompile(`^` + pattern(m.whole("VALUE")) + `$`).MatchString(text) {
		return "", true
	}
	for _, form := range []string{m.object("VALUE"), m.entry("VALUE")} {
		// Behind the brace of an object, before its next member or its end.
		at := regexp.MustCompile(`\{(` + pattern(form) + `,?)`).FindStringSubmatchIndex(text)
		if at != nil {
			return text[:at[2]] + text[at[3]:], false
		}
	}
	return text, false
}

// pattern matches a form with any value of ours.
func pattern(form string) string {
	return strings.Replace(regexp.QuoteMeta(form), "VALUE", ours, 1)
}

// put returns the text with the entry.
func (m member) put(text string, there bool) (string, error) {
	if !there {
		return m.whole(m.value), nil
	}
	top, err := scan(text)
	if err != nil {
		return "", err
	}
	insert := func(at int, form string, empty bool) string {
		if !empty {
			form += ","
		}
		return text[:at] + form + text[at:]
	}
	servers, ok := top.members[m.key]
	switch {
	case !ok:
		return insert(top.inside, m.object(m.value), top.empty), nil
	case servers.members == nil:
		return "", fmt.Errorf("%q is no object", m.key)
	}
	if _, other := servers.members[serverName]; other {
		return "", errors.New("it has a server named freshet that was written otherwise")
	}
	return insert(servers.inside, m.entry(m.value), servers.empty), nil
}

// object is one of a JSON text, with the objects in it by their keys.
type object struct {
	inside  int // offset behind the brace
	empty   bool
	members map[string]*object // of a value that is no object the members are nil
}

// scan reads a JSON text that may have comments and commas at ends, and whose value
// is an object.
func scan(text string) (*object, error) {
	s := &scanner{text: text}
	s.space()
	top, err := s.value()
	if err == nil && top.members == nil {
		err = errors.New("it holds no object")
	}
	if s.space(); err == nil && s.at < len(text) {
		err = fmt.Errorf("something stands behind its end, at byte %d", s.at)
	}
	return top, err
}

type scanner struct {
	text string
	at   int
}

// space passes over blanks, comments and a byte order mark.
func (s *scanner) space() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			s.at++
		case strings.HasPrefix(rest, "\ufeff"):
			s.at += len("\ufeff")
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.at += end
		case strings.HasPrefix(rest, "/*") && strings.Contains(rest[2:], "*/"):
			s.at += strings.Index(rest[2:], "*/") + 4
		default:
			return
		}
	}
}

func (s *scanner) next() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) wrong() error { return fmt.Errorf("it is no JSON at byte %d", s.at) }

var literal = regexp.MustCompile(`^(?:true|false|null|-?[0-9][0-9.eE+-]*)`)

func (s *scanner) value() (*object, error) {
	switch c := s.next(); {
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == '"':
		_, err := s.str()
		return &object{}, err
	default:
		n := len(literal.FindString(s.text[s.at:]))
		if n == 0 {
			return nil, s.wrong()
		}
		s.at += n
		return &object{}, nil
	}
}

func (s *scanner) str() (string, error) {
	start := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			var out string
			if json.Unmarshal([]byte(s.text[start:s.at]), &out) != nil {
				return "", s.wrong()
			}
			return out, nil
		}
	}
	return "", s.wrong()
}

func (s *scanner) array() (*object, error) {
	s.at++
	for {
		s.space()
		if s.next() == ']' {
			s.at++
			return &object{}, nil
		}
		if _, err := s.value(); err != nil {
			return nil, err
		}
		if err := s.comma(']'); err != nil {
			return nil, err
		}
	}
}

func (s *scanner) object() (*object, error) {
	s.at++
	out := &object{inside: s.at, members: map[string]*object{}}
	for {
		s.space()
		if s.next() == '}' {
			s.at++
			out.empty = len(out.members) == 0
			return out, nil
		}
		if s.next() != '"' {
			return nil, s.wrong()
		}
		key, err := s.str()
		if err != nil {
			return nil, err
		}
		if s.space(); s.next() != ':' {
			return nil, s.wrong()
		}
		s.at++
		s.space()
		if out.members[key], err = s.value(); err != nil {
			return nil, err
		}
		if err := s.comma('}'); err != nil {
			return nil, err
		}
	}
}

// comma passes over what parts two values, and stays before an end.
func (s *scanner) comma(end byte) error {
	s.space()
	switch s.next() {
	case ',':
		s.at++
		return nil
	case end:
		return nil
	}
	return s.wrong()
}
