//go:build !linux && !darwin

package disk

import (
	"errors"
	"fmt"
)

// SpaceOf returns what the file system of a folder or file has.
func SpaceOf(path string) (Space, error) {
	return Space{}, fmt.Errorf("ask for the free space of %s: %w", path, errors.ErrUnsupported)
}
