package contract_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// golden returns the golden messages of a schema by case.
func golden(t *testing.T, name string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(schemaDir, "golden", name, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".json")] = b
	}
	return out
}

func invalid(name string) bool { return strings.HasPrefix(name, "invalid-") }

func TestEveryGolden_AgreesWithItsSchema(t *testing.T) {
	for _, name := range schemaNames(t) {
		schema := compile(t, name)
		valid, broken := 0, 0
		for kase, body := range golden(t, name) {
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				t.Errorf("%s/%s: %v", name, kase, err)
				continue
			}
			err := schema.Validate(v)
			switch {
			case invalid(kase):
				broken++
				if err == nil {
					t.Errorf("%s/%s is accepted", name, kase)
				}
			default:
				valid++
				if err != nil {
					t.Errorf("%s/%s: %v", name, kase, err)
				}
			}
		}
		if valid == 0 || broken == 0 {
			t.Errorf("%s has %d valid and %d invalid golden messages", name, valid, broken)
		}
	}
}

func TestEveryGolden_HasASchema(t *testing.T) {
	dirs, err := os.ReadDir(filepath.Join(schemaDir, "golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(schemaDir, d.Name()+".json")); err != nil {
			t.Errorf("golden/%s: %v", d.Name(), err)
		}
	}
}

// Decoding strictly and encoding again must give the same JSON: no field is
// lost, renamed, or invented.
func TestEveryGolden_SurvivesTheStruct(t *testing.T) {
	for name, typ := range bodies {
		for kase, body := range golden(t, name) {
			if invalid(kase) {
				continue
			}
			v := reflect.New(typ)
			dec := json.NewDecoder(bytes.NewReader(body))
			dec.DisallowUnknownFields()
			if err := dec.Decode(v.Interface()); err != nil {
				t.Errorf("%s/%s: %v", name, kase, err)
				continue
			}
			again, err := json.Marshal(v.Interface())
			if err != nil {
				t.Errorf("%s/%s: %v", name, kase, err)
				continue
			}
			if want, got := canonical(t, body), canonical(t, again); want != got {
				t.Errorf("%s/%s comes back changed:\nwant %s\ngot  %s", name, kase, want, got)
			}
		}
	}
}

// canonical orders the keys and keeps the numbers as they are written.
func canonical(t *testing.T, body []byte) string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Every field must be filled in at least one golden message, or a wrong name
// in the struct could hide behind omitempty.
func TestEveryField_IsFilledInAGolden(t *testing.T) {
	for name, typ := range bodies {
		seen := map[string]bool{}
		for kase, body := range golden(t, name) {
			if !invalid(kase) {
				var v any
				if err := json.Unmarshal(body, &v); err != nil {
					t.Fatal(err)
				}
				keysOf(v, "", seen)
			}
		}
		for _, path := range fieldPaths(typ, "") {
			if !seen[path] {
				t.Errorf("%s: no golden message has %s", name, path)
			}
		}
	}
}
