// Package freshet is the root of the module; it holds nothing but the test of
// what may import what. The program is services/freshet/cmd/freshet.
package freshet
