package catalog_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/catalog"
)

func TestLineWithAColumn_SaysWhatItDoesWithIt(t *testing.T) {
	for _, c := range []struct {
		above, line string
		want        catalog.Use
	}{
		{"", `db.Query("SELECT paid_at FROM orders")`, catalog.Reads},
		{"", `db.Exec("UPDATE orders SET paid_at = now() WHERE id = 1")`, catalog.Writes},
		{"", `db.Exec("UPDATE orders SET total = 1 WHERE paid_at IS NULL")`, catalog.Reads},
		{"INSERT INTO orders\n  (id,", "   paid_at)", catalog.Writes},
		{"SELECT id\nFROM orders", "ORDER  BY paid_at DESC", catalog.Reads},
		{"CREATE TABLE orders (\n  id int,", "  paid_at timestamptz", catalog.Names},
		{"", "order.paid_at = now()", catalog.Writes},
		{"", "if order.paid_at == nil {", catalog.Names},
		{"", `row["paid_at"] = 1`, catalog.Writes},
		{"", "// paid_at is never changed", catalog.Names},
	} {
		from := strings.Index(c.line, "paid_at")
		if got := catalog.UseOf(strings.Split(c.above, "\n"), c.line, from, from+len("paid_at")); got != c.want {
			t.Errorf("%q behind %q %s it, want %s", c.line, c.above, got, c.want)
		}
	}
}
