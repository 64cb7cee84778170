package query

import (
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"
)

// moment is a time as a person reads it, in the machine's own zone.
func moment(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func passages(n int) string {
	if n == 1 {
		return "1 passage"
	}
	return fmt.Sprintf("%d passages", n)
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

func are(n int) string {
	if n == 1 {
		return "1 passage is"
	}
	return fmt.Sprintf("%d passages are", n)
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// sentence makes a note stand by itself.
func sentence(note string) string {
	first, n := utf8.DecodeRuneInString(note)
	return string(unicode.ToUpper(first)) + note[n:] + "."
}

func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
