// Package state is the folder in which one running freshet keeps its log, its
// stores and its registered sources. One process at a time owns it; others
// find that process through the instance file.
//
//	DIR/format         version of the layout below
//	DIR/lock           held (flock) by the process that owns the folder, as
//	                   are DIR itself and DIR/log: a lock file can be removed
//	DIR/instance.json  URL and pid of that process, and where its secret is
//	DIR/start.lock     held while somebody starts one in the background
//	DIR/freshet.log    what one in the background logs, and freshet.log.1
//	DIR/secret         what the logins of clients are made of
//	DIR/log            the embedded NATS server
//	DIR/stores/<generation>/lexical-<analyzer>, /vector
package state
