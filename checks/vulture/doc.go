// Package vulture circles over a running deployment and looks for carrion: it
// writes files below a watched folder, asks questions over NATS while they are
// indexed, and judges every answer by what it wrote. An answer may show only
// what the log can have held at the answer's token, must show what the
// question's token promises, and must come in time.
//
// It needs a NATS server's address and a folder, and knows nothing of the
// deployment but the contract.
package vulture
