// Package siege keeps a freshet under fire: round after round, each by a seed
// of its own, it draws settings, starts the program, has a vulture write, ask
// and judge, and meanwhile kills, freezes, overloads and intrudes. What was
// checked is added to a ledger.
package siege
