package config

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/nearest"
)

// override puts the values of environment variables over the settings and
// returns the keys of those that were set, with their variables. A variable is
// read as a value of the file is, so it may hold ${file:…}; in a list, commas
// separate the entries. An empty one counts as not set.
func (c *Config) override(environ []string) (map[string]string, error) {
	given := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, variablePrefix) && value != "" && !ofKubernetes(name, value) {
			given[name] = value
		}
	}
	set := map[string]string{}
	var known []string
	for _, s := range settings(reflect.ValueOf(c).Elem(), "") {
		name := s.variable()
		known = append(known, name)
		text, ok := given[name]
		if !ok {
			continue
		}
		delete(given, name)
		if err := setText(s.value, text); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "%s: %w", name, err)
		}
		set[s.key] = name
	}
	for _, entry := range environ { // in their order
		name, _, _ := strings.Cut(entry, "=")
		if _, left := given[name]; !left {
			continue
		}
		if err := mistaken(name, known); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// setText sets a scalar or a list of scalars.
func setText(v reflect.Value, text string) error {
	text, err := expand(text)
	if err != nil {
		return err
	}
	if v.Kind() != reflect.Slice {
		return setScalar(v, text)
	}
	entries := strings.Split(text, ",")
	out := reflect.MakeSlice(v.Type(), len(entries), len(entries))
	for i, e := range entries {
		if err := setScalar(out.Index(i), strings.TrimSpace(e)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

// links are the variables that Kubernetes sets in every container for every
// service, such as FRESHET_NATS_PORT=tcp://10.0.0.1:4222 for one that is called
// freshet-nats.
var links = regexp.MustCompile(`_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT_[0-9]+_(TCP|UDP|SCTP)(_|$)`)

func ofKubernetes(name, value string) bool {
	return links.MatchString(name) || strings.HasSuffix(name, "_PORT") && strings.Contains(value, "://")
}

// mistyped is how many letters of a variable may be wrong. FRESHET_TEST_PORT is
// three away from FRESHET_NATS_PORT, and another thing.
const mistyped = 2

// mistaken is the error of a variable that sets nothing and looks as if it
// were to: one that begins as the name of a section does, or nearly is a known
// one. All others are somebody else's, such as FRESHET_PORT for a file that
// says ${FRESHET_PORT}.
func mistaken(name string, known []string) error {
	for _, list := range []string{"sources", "query.priorities", "gateway.hooks", "chunker.strategies", "collections.own"} {
		if name == Variable(list) {
			return document.Errorf(document.InvalidRequest, "%s: %s stand in the configuration file only", name, list)
		}
	}
	if near, ok := nearest.Within(mistyped, name, known); ok {
		return document.Errorf(document.InvalidRequest, "the environment variable %s sets nothing: did you mean %s?", name, near)
	}
	section, _, _ := strings.Cut(strings.TrimPrefix(name, variablePrefix), "_")
	var of []string
	for _, k := range known {
		if len(section) > 2 && strings.HasPrefix(k, variablePrefix+section) {
			of = append(of, k)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return document.Errorf(document.InvalidRequest, "the environment variable %s sets nothing: known are %s; give one of your own another name", name, strings.Join(of, ", "))
}
