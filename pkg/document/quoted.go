package document

import (
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxQuoted is how many characters of what somebody sent an error repeats.
const maxQuoted = 80

// Shorten returns at most 80 characters of a text for an error, the last an
// ellipsis where there are more.
func Shorten(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	at := 0
	for range maxQuoted - 1 {
		if at >= len(text) {
			return text
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	if _, n := utf8.DecodeRuneInString(text[at:]); at+n >= len(text) {
		return text
	}
	return text[:at] + "…"
}

// shortenQuoted returns the arguments of a format with the strings shortened
// that a plain %q quotes. A format that names its arguments by number, or takes a
// width from them, is left alone.
func shortenQuoted(format string, args []any) []any {
	var out []any
	i := 0
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			break
		}
		format = strings.TrimLeft(format[at+1:], "+-# 0123456789.")
		if format == "" || format[0] == '[' || format[0] == '*' {
			break
		}
		verb := format[0]
		format = format[1:]
		if verb == '%' {
			continue
		}
		if verb == 'q' && i < len(args) {
			if v := reflect.ValueOf(args[i]); v.Kind() == reflect.String && len(v.String()) > maxQuoted {
				if out == nil {
					out = append(out, args...)
				}
				out[i] = Shorten(v.String())
			}
		}
		i++
	}
	if out == nil {
		return args
	}
	return out
}
