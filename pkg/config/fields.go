package config

import "reflect"

// fieldByKey returns the field of the struct v that stands under a YAML key.
func fieldByKey(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == key {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// keysOf lists the YAML keys of a struct in order.
func keysOf(typ reflect.Type) []string {
	out := make([]string, typ.NumField())
	for i := range out {
		out[i] = typ.Field(i).Tag.Get("yaml")
	}
	return out
}
