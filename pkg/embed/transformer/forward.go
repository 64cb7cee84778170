package transformer

// pass is what a forward pass needs. It is used by one goroutine.
type pass struct {
	m       *model
	starts  []int // of texts in the rows, and the end
	rows    int
	x, y    []float32 // a row for each token
	q, k, v []float32
	wide    []float32
	in      rowsIn
	head    heads
}

// heads is what the attention of one head of one text needs.
type heads struct {
	q, scores, out []float32
	keys, values   panels
}

// run returns the vectors of texts, given as ids, of any length: each text's does not
// depend on the others. They are the caller's.
func (p *pass) run(texts [][]int32) [][]float32 {
	p.begin(texts)
	for i := range p.m.layers {
		p.layer(&p.m.layers[i])
	}
	out := make([][]float32, len(texts))
	for i := range texts {
		out[i] = p.pool(p.starts[i], p.starts[i+1])
	}
	return out
}

// begin sets the rows to what the tokens of the texts are.
func (p *pass) begin(texts [][]int32) {
	m := p.m
	p.starts = append(p.starts[:0], 0)
	p.rows = 0
	for _, ids := range texts {
		p.rows += len(ids)
		p.starts = append(p.starts, p.rows)
	}
	tall := up(p.rows, tileRows)
	n := tall * m.Hidden
	for _, b := range []*[]float32{&p.x, &p.y, &p.q, &p.k, &p.v} {
		*b = grow(*b, n)
	}
	p.wide = grow(p.wide, tall*m.Intermediate)
	clear(p.x)
	row := 0
	for _, ids := range texts {
		for at, id := range ids {
			x := p.x[row*m.Hidden:][:m.Hidden]
			word, position := m.word[int(id)*m.Hidden:][:m.Hidden], m.position[at*m.Hidden:][:m.Hidden]
			for i := range x {
				x[i] = word[i] + position[i] + m.kind[i]
			}
			row++
		}
	}
	normalise(p.x[:p.rows*m.Hidden], m.Hidden, m.begin.weight, m.begin.bias, m.Epsilon)
}

// linear sets each of outs to what its part makes of the same rows.
func (p *pass) linear(in []float32, outs [][]float32, parts ...*linear) {
	first, length := parts[0], len(in)/up(p.rows, tileRows)
	if first.scales != nil {
		p.in.take(in, p.rows, length)
		if first.bytes.values == nil {
			p.in.widen()
		}
	}
	for i, l := range parts {
		out := outs[i]
		switch {
		case l.scales == nil:
			multiply(out, in, p.rows, &l.weight)
			addTo(out[:p.rows*len(l.bias)], l.bias)
		case l.bytes.values != nil:
			multiplyBytes(out, &p.in, p.rows, &l.bytes, l.scales, l.bias)
		default:
			multiply(out, p.in.values, p.rows, &l.weight)
			finish(out, p.rows, len(l.bias), &p.in, l.scales, l.bias)
		}
	}
}

// layer replaces the rows by what a layer makes of them.
func (p *pass) layer(l *layer) {
	m := p.m
	p.linear(p.x, [][]float32{p.q, p.k, p.v}, &l.query, &l.key, &l.value)
	size := m.Hidden / m.Heads
	for i := range len(p.starts) - 1 {
		for h := range m.Heads {
			p.attend(p.starts[i], p.starts[i+1], h*size, size)
		}
	}
	// What was attended to is in q; each head has read its part of that.
	p.linear(p.q, [][]float32{p.y}, &l.output)
	p.add(l.attended)
	p.linear(p.x, [][]float32{p.wide}, &l.wide)
	gelus(p.wide[:p.rows*m.Intermediate])
	p.linear(p.wide, [][]float32{p.y}, &l.narrow)
	p.add(l.done)
}

// add adds y to x.
func (p *pass) add(n layerNorm) {
	x := p.x[:p.rows*p.m.Hidden]
	for i, v := range p.y[:len(x)] {
		x[i] += v
	}
	normalise(x, p.m.Hidden, n.weight, n.bias, p.m.Epsilon)
}

// attend replaces the part of one head of the queries of one text, rows from to to, by
// what it attends to.
func (p *pass) attend(from, to, column, size int) {
	n, hidden, h := to-from, p.m.Hidden, &p.head
	tall := up(n, tileRows)
	h.q = grow(h.q, tall*size)
	h.keys.reset(size, n)
	h.values.reset(n, size)
	for r := range n {
		at := (from+r)*hidden + column
		copy(h.q[r*size:], p.q[at:][:size])
		for c, v := range p.k[at:][:size] {
			h.keys.put(c, r, v)
		}
		for c, v := range p.v[at:][:size] {
			h.values.put(r, c, v)
		}
	}
	clear(h.q[n*size:])
	width := up(n, panel)
	h.scores = grow(h.scores, tall*width)
	multiply(h.scores, h.q, n, &h.keys)
	softmax(h.scores, n, n, width)
	// Rows of the scores are as long as there are keys from here on.
	for r := range n {
		copy(h.scores[r*n:], h.scores[r*width:][:n])
	}
	wide := up(size, panel)
	h.out = grow(h.out, tall*wide)
	multiply(h.out, h.scores, n, &h.values)
	for r := range n {
		copy(p.q[(from+r)*hidden+column:][:size], h.out[r*wide:])
	}
}

// pool returns the sum of a text's rows, whose direction is that of their mean.
func (p *pass) pool(from, to int) []float32 {
	hidden := p.m.Hidden
	out := make([]float32, hidden)
	if p.m.First {
		to = from + 1
	}
	for r := from; r < to; r++ {
		for i, v := range p.x[r*hidden:][:hidden] {
			out[i] += v
		}
	}
	return out
}
