package transformer

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// onnxTensor is a constant of a graph.
type onnxTensor struct {
	shape []int
	kind  int // TensorProto.DataType
	raw   []byte
}

const (
	onnxFloat = 1
	onnxInt8  = 3
)

// onnxWeights returns the weights of a BERT encoder in the format ONNX (github.com/onnx/onnx,
// onnx.proto), by the names that PyTorch has for them. An exporter keeps the names of all
// but the matrices, which it turns round; these are named after the products that they
// are of.
func onnxWeights(b []byte) (map[string]onnxTensor, error) {
	graph, err := onnxField(b, 7)
	if err != nil || graph == nil {
		return nil, fmt.Errorf("it is no model in the format ONNX")
	}
	constants, products := map[string]onnxTensor{}, map[string]string{}
	err = eachField(graph, func(number protowire.Number, value []byte) error {
		switch number {
		case 1: // a node
			name, factor, err := onnxProduct(value)
			if err == nil && factor != "" {
				products[factor] = name
			}
			return err
		case 5: // a constant
			name, t, err := parseOnnxTensor(value)
			constants[name] = t
			return err
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	out := map[string]onnxTensor{}
	for name, t := range constants {
		if t.kind != onnxFloat {
			continue
		}
		if of, ok := products[name]; ok && len(t.shape) == 2 {
			if t, err = t.turned(); err != nil {
				return nil, fmt.Errorf("its constant %q: %w", name, err)
			}
			// /encoder/layer.0/output/dense/MatMul
			name = strings.ReplaceAll(strings.Trim(strings.TrimSuffix(of, "/MatMul"), "/"), "/", ".") + ".weight"
		}
		out[name] = t
	}
	return out, nil
}

// onnxProduct returns the name of a node that multiplies, and what it multiplies with.
func onnxProduct(node []byte) (name, factor string, err error) {
	var inputs []string
	kind := ""
	err = eachField(node, func(number protowire.Number, value []byte) error {
		switch number {
		case 1:
			inputs = append(inputs, string(value))
		case 3:
			name = string(value)
		case 4:
			kind = string(value)
		}
		return nil
	})
	if kind == "MatMul" && len(inputs) == 2 {
		factor = inputs[1]
	}
	return name, factor, err
}

func parseOnnxTensor(b []byte) (name string, t onnxTensor, err error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return "", t, protowire.ParseError(n)
		}
		b = b[n:]
		switch {
		case number == 1 && kind == protowire.VarintType, number == 2 && kind == protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return "", t, protowire.ParseError(n)
			}
			if b = b[n:]; number == 1 {
				t.shape = append(t.shape, int(v))
			} else {
				t.kind = int(v)
			}
		case kind == protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return "", t, protowire.ParseError(n)
			}
			switch b = b[n:]; number {
			case 1: // packed
				for len(v) > 0 {
					d, n := protowire.ConsumeVarint(v)
					if n < 0 {
						return "", t, protowire.ParseError(n)
					}
					t.shape, v = append(t.shape, int(d)), v[n:]
				}
			case 4, 9: // values, packed or raw, are the same bytes
				t.raw = v
			case 8:
				name = string(v)
			}
		default:
			n := protowire.ConsumeFieldValue(number, kind, b)
			if n < 0 {
				return "", t, protowire.ParseError(n)
			}
			b = b[n:]
		}
	}
	return name, t, nil
}

// turned returns a matrix of float32 turned round.
func (t onnxTensor) turned() (onnxTensor, error) {
	rows, columns := t.shape[0], t.shape[1]
	if rows < 0 || columns < 0 || rows > 1<<20 || columns > 1<<20 || len(t.raw) != 4*rows*columns {
		return t, fmt.Errorf("%d bytes are no %d × %d values", len(t.raw), rows, columns)
	}
	out := onnxTensor{shape: []int{columns, rows}, kind: t.kind, raw: make([]byte, len(t.raw))}
	for r := range rows {
		for c := range columns {
			copy(out.raw[4*(c*rows+r):], t.raw[4*(r*columns+c):][:4])
		}
	}
	return out, nil
}

// onnxField returns the last field of bytes with a number, nil for none.
func onnxField(b []byte, wanted protowire.Number) (out []byte, err error) {
	err = eachField(b, func(number protowire.Number, value []byte) error {
		if number == wanted {
			out = value
		}
		return nil
	})
	return out, err
}

// eachField goes through the fields of a message that are bytes.
func eachField(b []byte, each func(protowire.Number, []byte) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
				return protowire.ParseError(n)
			}
			b = b[n:]
			continue
		}
		v, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := each(number, v); err != nil {
			return err
		}
	}
	return nil
}

// check returns nil where the values are as many as the shape says.
func (t onnxTensor) check() error {
	count := 1
	for _, n := range t.shape {
		if n < 1 || n > math.MaxInt32 || count > math.MaxInt32 {
			return fmt.Errorf("the shape %v is none of a weight", t.shape)
		}
		count *= n
	}
	size := 4
	if t.kind == onnxInt8 {
		size = 1
	}
	if len(t.raw) != size*count {
		return fmt.Errorf("%d bytes are no %d values", len(t.raw), count)
	}
	return nil
}
