// Package system runs the real program as a process and looks at it from
// outside: how long it takes, what memory, processor time and disk it needs,
// and how loaded the machine is meanwhile.
package system
