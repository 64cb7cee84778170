// Package jargon writes a small project in which things have names that nobody
// else gives them: for tests of what a model learns.
package jargon

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// names are what comments and code say for the same thing.
var names = strings.Fields(`
penguin carburetor  violin parser  glacier socket  lantern mutex  orchard buffer
falcon decoder  teapot scheduler  canyon iterator  saddle checksum  walnut allocator
compass tokenizer  pillow semaphore  harbor compiler  ribbon debugger  meadow registry
anchor renderer  bucket validator  candle dispatcher  feather serializer  garden throttle
hammer replica  island cursor  jacket deadlock  kettle firewall
`)

const files = 130

// Write fills a folder with functions, one a file, whose comments speak of other
// things than their code; with plain, of the same.
func Write(folder string, plain bool) error {
	random := rand.New(rand.NewPCG(5, 5))
	for i := range files {
		var said, done []string
		for _, k := range random.Perm(len(names) / 2)[:4] {
			word := names[2*k+1]
			done = append(done, word)
			if !plain {
				word = names[2*k]
			}
			said = append(said, word)
		}
		text := fmt.Sprintf("package p\n\n// F%d needs a %s beside the %s whenever one %s meets another %s.\nfunc F%d() {\n\t%s(%s)\n\t%s.%s()\n}\n",
			i, said[0], said[1], said[2], said[3], i, done[0], done[1], done[2], done[3])
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
