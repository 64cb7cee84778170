package forecast

import "github.com/freshet-dev/freshet/pkg/contract"

// Change is a build that takes the place of the one that answers are made of.
type Change struct {
	// Fields are those in which the two differ; none where nobody has noted how
	// the one before is made.
	Fields []contract.BuildChange
	// Rebuild is what it takes. Passages, time and disk are zero where they are
	// not estimated.
	Rebuild Rebuild
	// Estimated says that they are.
	Estimated bool
	// Meanwhile says that answers are made of what was complete until the other
	// is. Else they lack what is not built yet, and list it as pending.
	Meanwhile bool
	// Above says by how much it is above the limits; "" where it is not, or was
	// accepted. It is begun all the same where nothing would answer meanwhile.
	Above string
	// Held is the build that waits until somebody accepts it; "" for none.
	Held contract.BuildID
}
