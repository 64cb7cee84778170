package contract

import (
	"time"
)

// BucketKeys is the key-value bucket of the keys by which people and programs are let
// in over HTTP, by name; of each only the hash.
const BucketKeys = "freshet_keys"

// StoredKey is the value of a key of BucketKeys.
type StoredKey struct {
	Hash string `json:"hash"` // SHA-256 of what its owner sends, in hexadecimal digits
	Role Role   `json:"role"`
	// Groups are those of the access rules that its owner is in.
	Groups  []string  `json:"groups,omitempty"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
}

// KeyAdd is the body of a request on freshet.keys.add.
type KeyAdd struct {
	Name   string   `json:"name" limit:"64"`           // 1 to 64 of a-z, 0-9, - and _
	Role   Role     `json:"role,omitempty" limit:"64"` // ask by default
	Groups []string `json:"groups,omitempty" limit:"64,64"`
	// Seconds until it ends; 0: it does not.
	Seconds int64 `json:"seconds,omitempty"`
}

// KeyAdded answers KeyAdd.
type KeyAdded struct {
	Key KeyInfo `json:"key"`
	// Token is what its owner sends. It is told once, and kept nowhere.
	Token string `json:"token"`
}

// KeyInfo is what is told of a key.
type KeyInfo struct {
	Name    string    `json:"name"`
	Role    Role      `json:"role"`
	Groups  []string  `json:"groups,omitempty"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Expired bool      `json:"expired,omitempty"`
}

// KeyList answers requests on freshet.keys.list and freshet.keys.revoke.
type KeyList struct {
	Keys []KeyInfo `json:"keys"` // by name
}

// KeyRevoke is the body of a request on freshet.keys.revoke.
type KeyRevoke struct {
	Name string `json:"name" limit:"64"`
}

// KeyWho is the body of a request on freshet.keys.who, which the gateway alone sends:
// whose key that is. The answer is a Principal.
type KeyWho struct {
	Name string `json:"name" limit:"64"`
	Hash string `json:"hash" limit:"64"`
}

// KeyMark begins what the owner of a key sends; its name follows.
const KeyMark = "fk_"
