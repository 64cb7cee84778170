// Package daemon starts a freshet in the background, and ends it. There is one for
// each state folder: whoever finds none starts one, and of many who look at the
// same moment one does.
package daemon
