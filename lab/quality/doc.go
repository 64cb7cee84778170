// Package quality measures how well the real program ranks on the published
// tasks: it indexes each of their repositories on its own, and has package eval
// ask and score, in several arms. The task set is not part of this repository.
package quality
