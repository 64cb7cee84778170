package transformer

// A product of matrices is made in tiles of tileRows rows and panel columns. The right
// side is kept in panels: panel columns beside each other, row after row, so that a tile
// reads it from front to back.
const (
	tileRows = 12
	panel    = 16
)

// panels is the right side of a product: rows × columns, in panels. Columns that fill
// the last panel are zero.
type panels struct {
	rows, columns int
	values        []float32
}

func up(n, to int) int { return (n + to - 1) / to * to }

// reset makes room for a matrix of a size, with zeros.
func (p *panels) reset(rows, columns int) {
	p.rows, p.columns = rows, columns
	p.values = grow(p.values, rows*up(columns, panel))
	clear(p.values)
}

// put sets a value.
func (p *panels) put(row, column int, v float32) {
	p.values[(column/panel*p.rows+row)*panel+column%panel] = v
}

// packTransposed returns the panels of a matrix that is given column after column, which
// is how models keep their weights.
func packTransposed(m []float32, rows, columns int) panels {
	var p panels
	p.reset(rows, columns)
	for c := range columns {
		for r, v := range m[c*rows:][:rows] {
			p.put(r, c, v)
		}
	}
	return p
}

// multiply sets out to the product of a, whose rows are p.rows long, and p. Rows of out
// are p.columns long, rounded up to a panel. Of a and out there are rows, rounded up to
// tileRows; what is behind the last row of a counts for nothing.
func multiply(out, a []float32, rows int, p *panels) {
	width := up(p.columns, panel)
	rows = up(rows, tileRows)
	_, _ = out[rows*width-1], a[rows*p.rows-1]
	for at := 0; at < width; at += panel {
		b := p.values[at*p.rows:][: p.rows*panel : p.rows*panel]
		for r := 0; r < rows; r += tileRows {
			tile(out[r*width+at:], width, a[r*p.rows:], p.rows, b)
		}
	}
}

// tilePlain multiplies tileRows rows of a, k values long, with a panel of as many rows.
func tilePlain(out []float32, width int, a []float32, k int, b []float32) {
	for r := range tileRows {
		var sum [panel]float32
		for i, v := range a[r*k:][:k] {
			row := b[i*panel:][:panel:panel]
			for c := range sum {
				sum[c] += v * row[c]
			}
		}
		copy(out[r*width:][:panel], sum[:])
	}
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
