// Package dot multiplies vectors of int8.
package dot

// Question is the query's side of dot products. It has 1 to 16,384 values, so
// that no sum overflows.
type Question struct {
	values []int8
	sum    int32 // of values
}

// NewQuestion returns the query's side for its values, which it keeps.
func NewQuestion(values []int8) Question {
	q := Question{values: values}
	for _, v := range values {
		q.sum += int32(v)
	}
	return q
}

// A Kernel computes the dot products of a query with consecutive rows of as
// many values: out[i] = Σ query[j] · rows[i·dims + j]. rows holds at least
// len(out) rows.
type Kernel struct {
	Name string
	// Dot is safe for concurrent use.
	Dot func(out []int32, query Question, rows []int8)
}

// Best is the fastest one that this processor has.
func Best() Kernel { return kernels()[0] }

// dotPlain is the kernel in plain Go.
func dotPlain(out []int32, q Question, rows []int8) {
	query, dims := q.values, len(q.values)
	for i := range out {
		row := rows[i*dims:][:dims:dims]
		var a, b, c, d int32
		j := 0
		for ; j+4 <= dims; j += 4 {
			q, r := query[j:j+4:j+4], row[j:j+4:j+4]
			a += int32(q[0]) * int32(r[0])
			b += int32(q[1]) * int32(r[1])
			c += int32(q[2]) * int32(r[2])
			d += int32(q[3]) * int32(r[3])
		}
		for ; j < dims; j++ {
			a += int32(query[j]) * int32(row[j])
		}
		out[i] = a + b + c + d
	}
}
