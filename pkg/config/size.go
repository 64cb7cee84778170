package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. Its text form is a number with a unit ("32MiB",
// "1.5GB"), whatever its case; a number alone counts bytes. KiB, MiB and GiB are
// powers of 1024, and so are K, M and G, as git and ripgrep have them; KB, MB and
// GB are powers of 1000.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// readUnits are the units that are understood, those that end as another does
// before that one.
var readUnits = []struct {
	name  string
	bytes int64
}{
	{"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10}, {"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3},
	{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"b", 1},
}

// String returns the shortest exact text form.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if n := int64(s); n != 0 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return "0B"
}

// ParseSize reads the text form. Of a fraction of a byte nothing is left.
func ParseSize(text string) (Size, error) {
	number, unit := strings.ToLower(strings.TrimSpace(text)), int64(1)
	for _, u := range readUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	wrong := fmt.Errorf("%q is not a size: write a number with B, KiB, MiB, GiB, KB, MB or GB, such as 32MiB", text)
	if whole, part, cut := strings.Cut(number, "."); cut && unit > 1 && digits(whole) && digits(part) {
		n, err := strconv.ParseFloat(number, 64)
		if bytes := n * float64(unit); err == nil && bytes < math.MaxInt64 {
			return Size(bytes), nil
		}
		return 0, wrong
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !digits(number) || n > math.MaxInt64/unit {
		return 0, wrong
	}
	return Size(n * unit), nil
}

// digits reports whether a text is digits and nothing else.
func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
