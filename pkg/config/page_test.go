package config

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// made stands above what is made of the structs; what is above it is written by
// hand.
const made = "<!-- Made from pkg/config by `make reference`: change the text there. -->\n"

// page is the reference of the configuration: the text that is there, and all
// keys.
func page(t *testing.T, there []byte) []byte {
	t.Helper()
	head, _, ok := bytes.Cut(there, []byte(made))
	if !ok {
		t.Fatalf("the page does not say where the keys begin: write %q above them", made)
	}
	w := &pageWriter{}
	w.WriteString(string(head) + made + "\n## Top level\n\n")
	v := reflect.ValueOf(Default())
	w.keys(t, v, "")
	w.sections(t, v, "", "##")
	return []byte(strings.TrimRight(w.String(), "\n") + "\n")
}

type pageWriter struct{ strings.Builder }

// sections describes the structs in a struct.
func (w *pageWriter) sections(t *testing.T, v reflect.Value, at, level string) {
	t.Helper()
	for i := range v.NumField() {
		f, tag := v.Field(i), v.Type().Field(i).Tag
		if f.Kind() != reflect.Struct {
			continue
		}
		key := join(at, tag.Get("yaml"))
		fmt.Fprintf(w, "%s `%s`\n\n%s\n\n", level, key, meaning(tag, at))
		w.keys(t, f, key)
		w.sections(t, f, key, level+"#")
	}
}

// keys lists the settings of a struct, but for the structs in it.
func (w *pageWriter) keys(t *testing.T, v reflect.Value, at string) {
	t.Helper()
	w.WriteString("| key | default | meaning |\n| --- | --- | --- |\n")
	var lists []int
	for i := range v.NumField() {
		f, tag := v.Field(i), v.Type().Field(i).Tag
		value := "[]"
		switch f.Kind() {
		case reflect.Struct:
			continue
		case reflect.Slice:
			if f.Type().Elem().Kind() == reflect.Struct {
				lists = append(lists, i)
			}
		default:
			var err error
			if value, err = scalarYAML(f); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(w, "| `%s` | `%s` | %s |\n", join(at, tag.Get("yaml")), value, meaning(tag, at))
	}
	w.WriteString("\n")
	for _, i := range lists {
		key := join(at, v.Type().Field(i).Tag.Get("yaml"))
		fmt.Fprintf(w, "An entry of `%s`:\n\n| key | meaning |\n| --- | --- |\n", key)
		entry := v.Field(i).Type().Elem()
		for j := range entry.NumField() {
			tag := entry.Field(j).Tag
			fmt.Fprintf(w, "| `%s[].%s` | %s |\n", key, tag.Get("yaml"), meaning(tag, key))
		}
		w.WriteString("\n")
	}
}

// meaning is what the tags of a key say, as Markdown.
func meaning(tag reflect.StructTag, section string) string {
	text := inCode(tag.Get("doc"), section)
	low, high := tag.Get("min"), tag.Get("max")
	switch {
	case low != "" || high != "":
		text += " Allowed: " + allowed(low, high) + "."
	case tag.Get("enum") != "":
		text += " One of: `" + strings.ReplaceAll(tag.Get("enum"), ",", "`, `") + "`."
	}
	if see := tag.Get("see"); see != "" {
		text += " See " + see + "."
	}
	return text
}

// literals are what is written in code on a page, beside keys.
const literals = "freshet (?:up|plan|verify|train embedder|eval tune)\\b|(?:https?|nats|tls)://[^\\s,;]*[^\\s,;.]|--[a-z-]+|/v2/rerank|/rerank|/healthz|/readyz|GOMEMLIMIT|HOST:PORT|:PORT|\\.creds"

// inCode puts code marks around keys, commands, addresses and the like.
func inCode(text, section string) string {
	var names []string
	for _, s := range settings(reflect.ValueOf(Default()), "") {
		if strings.Contains(s.key, ".") {
			names = append(names, regexp.QuoteMeta(s.key))
		}
		if near, ok := strings.CutPrefix(s.key, section+"."); ok && strings.Contains(near, "_") {
			names = append(names, near)
		}
	}
	// The longest first, so that no key is taken for the beginning of another.
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	code := regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b(?:: [a-z][\w:/]*\w)?|` + literals)
	return code.ReplaceAllString(text, "`$0`")
}
