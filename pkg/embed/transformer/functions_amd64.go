package transformer

// exponentials makes each value e^(value - largest); none is above largest. There is a
// multiple of panel of them.
func exponentials(m []float32, largest float32) {
	if !fast {
		exponentialsPlain(m, largest)
		return
	}
	expAVX2(&m[0], len(m), largest)
}

// gelus makes each value gelu of it. There is a multiple of panel of them.
func gelus(m []float32) {
	if !fast {
		gelusPlain(m)
		return
	}
	geluAVX2(&m[0], len(m))
}

//go:noescape
func expAVX2(m *float32, count int, largest float32)

//go:noescape
func geluAVX2(m *float32, count int)
