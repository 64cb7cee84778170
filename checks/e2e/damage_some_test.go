//go:build !prove

package e2e

// everyDamage has every kind of damage tried on every stream, not only one
// flipped bit.
const everyDamage = false
