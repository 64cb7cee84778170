package language

import (
	"slices"
	"strings"
)

// What a word names: as the value of a filter, in a question by itself, and in a
// question beside words that say so.
var filtered, inQuestion, besideNouns = vocabulary()

func vocabulary() (filter, question, beside map[string][]string) {
	filter, question, beside = map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, r := range table {
		for _, words := range []string{r.name, r.extensions, r.aliases, r.words, r.beside} {
			add(filter, words, r.name)
		}
		add(question, r.words, r.name)
		add(beside, r.beside, r.name)
	}
	for _, r := range table {
		if r.family != "" {
			join(filter, r)
			join(question, r)
			join(beside, r)
		}
	}
	return
}

func add(into map[string][]string, words, name string) {
	for w := range strings.FieldsSeq(words) {
		w = strings.ToLower(w)
		if !slices.Contains(into[w], name) {
			into[w] = append(into[w], name)
		}
	}
}

// join has who names the family of a language get the language as well.
func join(into map[string][]string, r row) {
	for word, names := range into {
		if slices.Contains(names, r.family) && !slices.Contains(names, r.name) {
			into[word] = append(names, r.name)
		}
	}
}

// Named returns the names of the languages that a word stands for where a
// language is asked for: a name, an alias or an extension, in any case; nil
// where it stands for none. The slice must not be changed.
func Named(word string) []string { return filtered[strings.ToLower(strings.TrimSpace(word))] }

// Called returns the names of the languages that a word of a question (in lower
// case) means by itself. The slice must not be changed.
func Called(word string) []string { return inQuestion[word] }

// CalledBeside returns those that a word means only where the words beside it
// say that a language is meant: "in go", "c files". The slice must not be changed.
func CalledBeside(word string) []string { return besideNouns[word] }

// Words are all that Named knows, sorted.
func Words() []string {
	out := make([]string, 0, len(filtered))
	for w := range filtered {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}
