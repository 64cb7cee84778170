//go:build !sabotage

package access

const sabotaged = false
