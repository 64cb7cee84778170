package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tables and columns of definitions and of a catalog file are found by what is said of
// them; the code that writes and reads a column is listed; and what is not defined any
// more goes.
func TestCatalog_IsFoundAndSaysWhatReadsAndWritesAColumn(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	data, shop, db := filepath.Join(top, "s"), filepath.Join(top, "shop"), filepath.Join(top, "db")
	for file, text := range map[string]string{
		filepath.Join(shop, "pay.go"):        "package shop\n\nconst pay = `UPDATE orders\n  SET paid_at = now()`\n\nconst open = `SELECT id FROM orders WHERE paid_at IS NULL`\n",
		filepath.Join(shop, "other.go"):      "package shop\n\n// paid_at of another table.\n",
		filepath.Join(db, "schema.sql"):      "CREATE TABLE shop.orders (\n  id bigint,\n  paid_at timestamptz -- when the money came\n);\nCREATE TABLE shop.carts (id bigint);\n",
		filepath.Join(db, "said/said.jsonl"): `{"name":"shop.orders","column":"paid_at","description":"Moment of the remittance.","kind":"manual","confidence":0.9}` + "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	i := start(t, data, shop)
	defer i.stop()
	put := func(args ...string) string {
		return strings.TrimSpace(must(t, append([]string{"catalog", "put", "tables", db, "--data", data}, args...)...))
	}
	token := put()
	if got := must(t, "search", "moment of the remittance", "--token", token, "--data", data, "--no-excerpt"); !strings.HasPrefix(got, "tables:shop/orders/paid_at.column.md") {
		t.Errorf("found is %s", got)
	}
	if got := must(t, "search", "remittance", "--meta", "kind=manual", "--data", data, "--no-excerpt"); strings.Count(got, "\n") != 1 {
		t.Errorf("by its kind: %s", got)
	}
	uses := must(t, "catalog", "uses", "shop.orders.paid_at", "--data", data)
	if want := "shop/pay.go:4  writes  SET paid_at = now()`\nshop/pay.go:6  reads  const open = `SELECT id FROM orders WHERE paid_at IS NULL`\n"; uses != want {
		t.Errorf("got %s, want %s", uses, want)
	}
	if got := must(t, "catalog", "uses", "orders.paid_at", "--only", "writes", "--data", data); strings.Count(got, "\n") != 1 {
		t.Errorf("writes are %s", got)
	}
	if got := must(t, "catalog", "uses", "shop.orders", "--data", data); strings.Count(got, "\n") != 2 {
		t.Errorf("a table of a schema is used by %s", got)
	}
	if r := run(t, "catalog", "uses", "orders.none", "--data", data); r.code != 1 || r.stdout != "" {
		t.Errorf("what nobody uses: exit %d, %s", r.code, r.stdout)
	}

	var again struct{ Tables, Columns, Changed, Deleted int }
	if err := json.Unmarshal([]byte(put("--json")), &again); err != nil || again.Tables != 2 || again.Columns != 3 || again.Changed+again.Deleted != 0 {
		t.Errorf("put once more: %+v, %v", again, err)
	}
	if err := os.WriteFile(filepath.Join(db, "schema.sql"), []byte("CREATE TABLE shop.orders (id bigint);\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(put("--json")), &again); err != nil || again.Deleted != 2 || again.Changed != 2 {
		t.Errorf("without a table and the type of a column: %+v, %v", again, err)
	}
	if got := must(t, "files", "--source", "tables", "--token", "latest", "--data", data); strings.Contains(got, "carts") || !strings.Contains(got, "paid_at.column.md") {
		t.Errorf("left is %s", got)
	}
}

func TestCatalogThatCannotBePut_IsRefused(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	bad := filepath.Join(top, "bad.yaml")
	if err := os.WriteFile(bad, []byte("- {name: a}\n- {description: b}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"put", "tables", bad}, bad + ": entry 2: name is missing"},
		{[]string{"put", "tables", filepath.Join(top, "none.sql")}, "none.sql cannot be read"},
		{[]string{"put", "tables", top, "--kind", "good"}, `--kind: "good" is no kind`},
		{[]string{"put", "Tables", top}, "Tables"},
		{[]string{"uses", "a.b", "--only", "eats"}, `--only is "eats"`},
	} {
		r := run(t, append([]string{"catalog", "--data", filepath.Join(top, "s")}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%q: exit %d: %s", c.args, r.code, r.stderr)
		}
	}
	defined := filepath.Join(top, "a.sql")
	if err := os.WriteFile(defined, []byte("create table items (sku text);"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := must(t, "catalog", "put", "tables", "--dry-run", defined); got != "items.md\nitems/sku.column.md\n" {
		t.Errorf("a dry run prints %s", got)
	}
}
