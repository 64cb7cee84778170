package block

import "os"

// A message that is removed from a stream stays in the server's files: a block
// is written anew when more than half of it is gone, and the last one never is.
// The server overwrites what it is asked to delete securely, but not what newer
// messages or a purge push out. So what is gone is overwritten here, record by
// record, as the server itself does it (eraseMsg in its filestore.go): the
// length of the record stays, its sequence is marked as erased, its content is
// zeros, and its checksum is right again. The server reads such records, and
// leaves them out when it writes a block anew.

// Erased counts what was overwritten.
type Erased struct {
	Messages int   `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

// Erase overwrites those messages of a block of a stream of the log in dir that
// are dead. The server may write behind them meanwhile, and neither start nor
// end. A block that is damaged, or of a layout that is not known here, stays.
func Erase(dir, stream string, f File, dead func(seq uint64) bool) (Erased, error) {
	var total Erased
	buf, err := os.ReadFile(f.Path)
	if err != nil {
		return total, err
	}
	sum := SumOf(stream, f.Number)
	var todo []place
	for r := range walk(buf) {
		switch {
		case r.Erased || r.Tomb || !dead(r.Seq):
		case r.At+r.Size == len(buf):
			// By the last checksum of its last block the server knows its own
			// index of the stream again. Only what a tombstone follows is gone.
		case !sum.right(buf[r.At : r.At+r.Size]):
			return total, nil
		default:
			todo = append(todo, place{r.At, r.Size, r.Seq})
			total.Messages++
			total.Bytes += int64(r.Size)
		}
	}
	if len(todo) == 0 {
		return total, nil
	}
	return total, overwrite(dir, redo{Stream: stream, Path: f.Path, Records: todo}, len(buf))
}
