// Package config reads the one YAML file that configures everything. It is
// strict: an unknown key is an error that names the nearest known one. No file
// is needed; every key has a default.
//
// The keys, their defaults' meaning and their limits stand once, in the tags of
// the structs: yaml (the key), doc (one sentence), min and max (limits), and
// enum (allowed values); see is what the reference page leads to. Validate and
// YAML go by them, and `make reference` writes the schema in schemas/config.json,
// that of the chart's values, and docs/reference/configuration.md.
package config
