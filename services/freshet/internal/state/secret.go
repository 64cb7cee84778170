package state

import (
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
)

const secretFile = "secret"

// Secret returns the secret of the folder and its file. It is made at the first
// call, and nobody else may read it.
func (f *Folder) Secret() (secret bus.Secret, file string, err error) {
	file = filepath.Join(f.path, secretFile)
	secret, err = bus.ReadSecret(file)
	if document.KindOf(err) == document.NotFound {
		if err := writeAtomically(file, []byte(bus.NewSecret().Reveal()+"\n")); err != nil {
			return "", "", unusable(f.path, err)
		}
		secret, err = bus.ReadSecret(file)
	}
	if err == nil {
		err = os.Chmod(file, 0o600)
	}
	return secret, file, err
}
