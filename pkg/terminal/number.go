package terminal

import (
	"fmt"
	"strconv"
)

// Count writes a number with thousands set off: 12,345.
func Count[T ~int | ~int64 | ~uint64](n T) string {
	text := strconv.FormatInt(int64(n), 10)
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// Bytes writes a size with a binary unit.
func Bytes[T ~int64 | ~uint64](n T) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", int64(n))
}

// Documents writes a number of documents.
func Documents(n int) string { return Plural(n, "document", "documents") }

// Plural writes a number with the word for what it counts.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}
