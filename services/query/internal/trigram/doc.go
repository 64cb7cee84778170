// Package trigram knows of documents which sequences of three bytes they may
// hold, so that a search for lines need not read those that cannot match.
//
// What it knows is made of the text alone and kept by the text's hash. So it can
// be behind, and lack documents, but never be wrong: what is known of a hash holds
// for every document that has it, in every state of the log. Nothing of it is on
// the disk or in a store, and there is nothing to compare or to repair.
package trigram
