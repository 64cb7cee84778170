package config

import (
	"fmt"
	"os"
	"strings"
)

// expand replaces ${NAME} and ${NAME:-default} in a value with the environment.
// The default also stands for a variable that is empty. $${ stands for ${.
// It works on values after YAML was read, so a variable cannot add keys.
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
			return "", fmt.Errorf("%q has no closing brace: write ${NAME} or ${NAME:-default}, and $${ for a plain ${", text[i:])
		}
		name, fallback, hasFallback := strings.Cut(inner, ":-")
		if !isVariable(name) {
			return "", fmt.Errorf("${%s} names no environment variable: write ${NAME} or ${NAME:-default}, and $${ for a plain ${", inner)
		}
		value, set := os.LookupEnv(name)
		switch {
		case value != "" || set && !hasFallback:
			b.WriteString(value)
		case hasFallback:
			b.WriteString(fallback)
		default:
			return "", fmt.Errorf("the environment variable %s is not set: set it, or write ${%s:-default}", name, name)
		}
		text = rest
	}
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
