package config

import (
	"reflect"
	"strings"
)

// setting is one value that a person can write.
type setting struct {
	key   string // "nats.tls.ca"
	value reflect.Value
}

// settings lists the scalars and the lists of scalars of a struct in order.
func settings(v reflect.Value, at string) []setting {
	var out []setting
	for i := range v.NumField() {
		f, key := v.Field(i), join(at, v.Type().Field(i).Tag.Get("yaml"))
		switch {
		case f.Kind() == reflect.Struct:
			out = append(out, settings(f, key)...)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
			// Only a file can say what stands there.
		default:
			out = append(out, setting{key, f})
		}
	}
	return out
}

// variable is the environment variable that overrides the setting.
func (s setting) variable() string { return Variable(s.key) }

// Variable returns the environment variable that overrides the setting with a
// key, such as FRESHET_NATS_TLS_CA for nats.tls.ca.
func Variable(key string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

const variablePrefix = "FRESHET_"
