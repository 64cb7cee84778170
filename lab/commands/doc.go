// Package commands are the commands of the laboratory: `freshet eval` and
// `freshet train`. They belong to who measures and trains; the program puts them
// among its own.
package commands
