//go:build !sabotage

package access

const sabotaged, rolesSabotaged, sourceSabotaged = false, false, false
