//go:build prove

package e2e

// everyDamage has every kind of damage tried on every stream.
const everyDamage = true
