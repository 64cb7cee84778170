// Package state is the folder in which one running freshet keeps its log, its
// stores and its registered sources. One process at a time owns it; others
// find that process through the instance file.
//
//	DIR/format         version of the layout below
//	DIR/lock           held (flock) by the process that owns the folder
//	DIR/instance.json  URL and pid of that process
//	DIR/log            the embedded NATS server
//	DIR/stores/<generation>/lexical-<analyzer>, /vector
package state
