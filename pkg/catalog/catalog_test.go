package catalog_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/catalog"
	"github.com/freshet-dev/freshet/pkg/document"
)

// said is what is known of a table, in lines.
func said(c *catalog.Catalog) string {
	var b strings.Builder
	for _, t := range c.Tables() {
		if t.View {
			b.WriteString("view ")
		}
		b.WriteString(t.Name + "|" + t.Description + "|" + string(t.Kind) + "\n")
		for _, col := range t.Columns {
			b.WriteString("  " + col.Name + "|" + col.Type + "|" + col.Description + "|" + string(col.Kind) + "\n")
		}
	}
	return b.String()
}

func TestDefinitionsOfSeveralDialects_AreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		sql, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".sql") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		var c catalog.Catalog
		c.AddSQL(string(sql), catalog.Reviewed)
		if got := said(&c); got != string(want) {
			t.Errorf("%s: got\n%swant\n%s", file, got, want)
		}
	}
}

func TestDescriptionsOfOneColumn_TheBetterKindStays(t *testing.T) {
	var c catalog.Catalog
	c.AddSQL("CREATE TABLE orders (customer_id bigint); -- of old\n", catalog.Generated)
	for _, step := range []struct {
		yaml, want string
		kind       catalog.Kind
	}{
		{"- {name: orders, column: customer_id, description: made up, confidence: 0.5}", "made up|generated", catalog.Generated},
		{"- {name: orders, columns: [{name: customer_id, description: looked at, kind: reviewed}]}", "looked at|reviewed", catalog.Generated},
		{"- {name: orders, column: customer_id, description: guessed}", "looked at|reviewed", catalog.Generated},
		{"- {name: orders, column: customer_id, description: who ordered, kind: manual}", "who ordered|manual", catalog.Generated},
	} {
		if err := c.AddYAML([]byte(step.yaml), step.kind); err != nil {
			t.Fatal(err)
		}
		if want := "orders||\n  customer_id|bigint|" + step.want + "\n"; said(&c) != want {
			t.Errorf("after %s: got %s, want %s", step.yaml, said(&c), want)
		}
	}
	if err := c.AddJSONL([]byte(`{"name":"shop.items","type":"view","description":"What is sold.","confidence":0.5}`+"\n"+`{"name":"shop.items","column":"sku"}`+"\n"), catalog.Reviewed); err != nil {
		t.Fatal(err)
	}
	docs := c.Documents()
	want := catalog.Document{
		Path: "shop/items.md", Text: "# shop.items\n\nTable shop.items: What is sold.\n\n- `sku` \n",
		Metadata: document.Metadata{"catalog": {"table"}, "kind": {"reviewed"}, "confidence": {"0.5"}},
	}
	if len(docs) != 4 || !reflect.DeepEqual(docs[2], want) {
		t.Errorf("got %+v, want %+v", docs[2], want)
	}
	if d := docs[1]; d.Path != "orders/customer_id.column.md" || !strings.Contains(d.Text, "Column customer_id of the table orders: who ordered\n\nType: bigint\n") || d.Metadata["kind"][0] != "manual" {
		t.Errorf("got %+v", d)
	}
}

func TestEntryThatCannotBe_IsRefusedByItsNumber(t *testing.T) {
	for text, want := range map[string]string{
		"- {name: a}\n- {description: x}":            "entry 2: name is missing",
		"- {name: a, description: x, kind: good}":    `entry 1: "good" is no kind`,
		"- {name: a, confidence: 2}":                 "entry 1: confidence is 2",
		"- {name: a, columns: [{description: x}]}":   "column 1 of a: has to have a name",
		"- {name: a, colour: red}":                   "is no list of entries",
		"name: a":                                    "is no list of entries",
		"- {name: a, columns: [{name: b, kind: x}]}": "is no kind",
	} {
		var c catalog.Catalog
		err := c.AddYAML([]byte(text), catalog.Manual)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if len(c.Tables()) > 0 {
			t.Errorf("%q: a part was taken", text)
		}
	}
	var c catalog.Catalog
	if err := c.AddJSONL([]byte("{\"name\":\"a\"}\n{\"nam\":\"b\"}\n"), catalog.Manual); err == nil || !strings.Contains(err.Error(), "entry 2") {
		t.Error(err)
	}
}

// Whatever stands in a file, every path is one that a document can have, and no two are
// alike.
func FuzzAddSQL(f *testing.F) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		sql, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(sql))
	}
	f.Add("create table a (x int; create table b (key text, value text")
	f.Add("create table a.b.\"c/../d\" (x int, \"\" int, y.z int); comment on column a. is '")
	f.Fuzz(func(t *testing.T, sql string) {
		var c catalog.Catalog
		c.AddSQL(sql, catalog.Manual)
		paths := map[document.Path]bool{}
		for _, d := range c.Documents() {
			if paths[d.Path] {
				t.Errorf("two documents have the path %q", d.Path)
			}
			paths[d.Path] = true
			if err := document.CheckPath(d.Path); err != nil {
				t.Errorf("%q: %v", d.Path, err)
			}
			if err := d.Metadata.Check(); err != nil {
				t.Errorf("%q: %v", d.Path, err)
			}
		}
	})
}
