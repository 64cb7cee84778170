//go:build !sabotage

package access

const sabotaged, rolesSabotaged = false, false
