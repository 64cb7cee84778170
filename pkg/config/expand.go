package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// filePrefix begins the name of a file in ${…}.
const filePrefix = "file:"

// secretMost bounds what is read of a file: it holds one value, such as a key.
const secretMost = 64 << 10

// expand replaces ${NAME} in a value with the environment, and ${file:/PATH}
// with the content of a file without the newlines at its end. In ${NAME:-default}
// and ${file:/PATH:-default} the default stands for a variable or file that is
// empty or not there. $${ stands for ${. It works on values after YAML was
// read, so what is put in cannot add keys.
func expand(text string) (string, error) {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		if i > 0 && text[i-1] == '$' {
			b.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		b.WriteString(text[:i])
		inner, rest, closed := strings.Cut(text[i+2:], "}")
		if !closed {
			// What stands there may be a secret.
			return "", errors.New("a ${ has no closing brace: write ${NAME} or ${NAME:-default}, and $${ for a plain ${")
		}
		name, fallback, hasFallback := strings.Cut(inner, ":-")
		value, err := lookUp(name)
		switch {
		case value != "" || err == nil && !hasFallback:
			b.WriteString(value)
		case hasFallback && (err == nil || errors.As(err, new(missing))):
			b.WriteString(fallback)
		default:
			return "", err
		}
		text = rest
	}
}

// missing is the error of a variable or file that a default can stand for.
type missing string

func (m missing) Error() string { return string(m) }

// lookUp returns what a name in ${…} stands for.
func lookUp(name string) (string, error) {
	if path, ok := strings.CutPrefix(name, filePrefix); ok {
		return readValue(path)
	}
	if !isVariable(name) {
		return "", fmt.Errorf("${%s} names no environment variable: write ${NAME}, ${NAME:-default} or ${file:/PATH}, and $${ for a plain ${", name)
	}
	value, set := os.LookupEnv(name)
	if !set {
		return "", missing(fmt.Sprintf("the environment variable %s is not set: set it, or write ${%s:-default}", name, name))
	}
	return value, nil
}

// readValue returns the content of a file without the newlines at its end.
func readValue(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("${file:%s} names no absolute path: write it as ${file:/run/secrets/NAME}", path)
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", missing(fmt.Sprintf("there is no file %s: create it, or write ${file:%s:-default}", path, path))
	}
	if err != nil {
		return "", fmt.Errorf("the file for ${file:%s} cannot be read: %w", path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, secretMost+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("the file for ${file:%s} cannot be read: %w", path, err)
	case len(text) > secretMost:
		return "", fmt.Errorf("the file %s has more than %d bytes, too many for one value: name the file that holds only the value", path, secretMost)
	}
	value := strings.TrimRight(string(text), "\r\n")
	if value == "" {
		return "", missing(fmt.Sprintf("the file %s is empty: write the value into it, or write ${file:%s:-default}", path, path))
	}
	return value, nil
}

func isVariable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
