package language

import "slices"

// akin are the languages whose code uses each other's names.
var akin = [][]string{{"c", "cpp"}, {"javascript", "typescript", "tsx"}, {"java", "kotlin"}}

// Akin reports whether code of one language uses what is defined in the other.
func Akin(a, b string) bool {
	return a == b || slices.ContainsFunc(akin, func(family []string) bool {
		return slices.Contains(family, a) && slices.Contains(family, b)
	})
}
