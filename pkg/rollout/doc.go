// Package rollout has one build take the place of another: the processes of a
// deployment work on the build that they are configured for, and beside it on the
// one that answers are made of, until one record of the log names theirs. The single
// binary shares what takes the former away.
package rollout
