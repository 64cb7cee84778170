package command

import "github.com/freshet-dev/freshet/pkg/process"

// Exit is an error that ends the program with a code and without a message:
// what there is to say was said.
type Exit int

// The ends that say something by their code alone.
const (
	NoHits     Exit = 1                 // of search, grep and files, and of explain for what is not searchable
	Broken     Exit = 1                 // of vulture: a promise was broken
	Different  Exit = 1                 // of verify: differences are left
	Incomplete Exit = 3                 // of verify: nothing differs, but not everything was compared
	Below      Exit = 1                 // of eval: a figure is below its floor
	Unsearched Exit = process.ExitError // of grep and files: not everything was searched
)

func (e Exit) Error() string { return "the program ends without a message" }
