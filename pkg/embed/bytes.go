package embed

import "unsafe"

// Bytes views the vector's values as bytes, as messages and files hold them.
// They share v's memory.
func (v Vector) Bytes() []byte {
	if len(v.Data) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v.Data[0])), len(v.Data))
}

// VectorOf is the reverse of Bytes. The vector shares b's memory.
func VectorOf(scale float32, b []byte) Vector {
	if len(b) == 0 {
		return Vector{}
	}
	return Vector{Scale: scale, Data: unsafe.Slice((*int8)(unsafe.Pointer(&b[0])), len(b))}
}
