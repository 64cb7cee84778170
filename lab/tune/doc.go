// Package tune finds the weights of the ranking with which tasks are answered
// best. It asks for everything that a search recalls, once, and puts it into
// order again with other weights.
package tune
