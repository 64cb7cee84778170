//go:build !amd64

package transformer

func exponentials(m []float32, largest float32) { exponentialsPlain(m, largest) }

func gelus(m []float32) { gelusPlain(m) }
