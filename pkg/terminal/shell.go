package terminal

import "strings"

// ShellWord makes a word safe for a command line of a POSIX shell that is to be
// copied. What needs no quotes has none.
func ShellWord(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@:,=", r)
	}
	if word != "" && word[0] != '-' && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
