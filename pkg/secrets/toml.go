package secrets

import (
	"fmt"
	"strconv"
	"strings"
)

// table is one of a file of rules: its name and what it says.
type table struct {
	name   string // "rules", "rules.allowlists"
	values map[string][]string
}

// readTOML reads of TOML what gitleaks writes: tables, and texts, numbers and lists of
// texts in them. Anything else is an error that names the line.
func readTOML(text string) ([]table, error) {
	out := []table{{values: map[string][]string{}}}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			out = append(out, table{name: strings.Trim(line, "[] "), values: map[string][]string{}})
			continue
		}
		key, value, ok := strings.Cut(line, " = ")
		if !ok {
			return nil, fmt.Errorf("line %d is no setting: %s", i+1, line)
		}
		at := i
		if strings.HasPrefix(value, "[") && !strings.HasSuffix(value, "]") {
			for i+1 < len(lines) && strings.TrimSpace(lines[i]) != "]" {
				i++
				if l := strings.TrimSpace(lines[i]); !strings.HasPrefix(l, "#") {
					value += l
				}
			}
		}
		values, err := textsOf(value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at+1, err)
		}
		out[len(out)-1].values[key] = values
	}
	return out, nil
}

// textsOf reads a text, a number, or a list of texts.
func textsOf(value string) ([]string, error) {
	rest, list := strings.CutPrefix(value, "[")
	if !list {
		text, behind, err := textOf(value)
		if err == nil && strings.TrimSpace(behind) != "" && behind[0] != '#' {
			err = fmt.Errorf("%q stands behind a value", behind)
		}
		return []string{text}, err
	}
	var out []string
	for {
		rest = strings.TrimLeft(rest, ", \t")
		if strings.HasPrefix(rest, "]") {
			return out, nil
		}
		text, behind, err := textOf(rest)
		if err != nil {
			return nil, err
		}
		out, rest = append(out, text), behind
	}
}

// textOf reads one value, and returns what stands behind it.
func textOf(s string) (text, behind string, err error) {
	if rest, ok := strings.CutPrefix(s, "'''"); ok {
		text, behind, ok := strings.Cut(rest, "'''")
		if !ok {
			return "", "", fmt.Errorf("a text does not end: %s", s)
		}
		return text, behind, nil
	}
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", fmt.Errorf("a text does not end: %s", s)
		}
		text, err := strconv.Unquote(quoted)
		return text, s[len(quoted):], err
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil {
		return "", "", fmt.Errorf("%q is no value that is known here", s)
	}
	return s, "", nil
}
