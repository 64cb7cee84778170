package disk

// Space is what a file system has, in bytes.
type Space struct {
	Free  int64 // for this user
	Total int64
}
