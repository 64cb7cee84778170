package analysis

import (
	"slices"
	"strings"
	"testing"
)

func TestText_IsSpelledByItsWordsAlone(t *testing.T) {
	a := New()
	for text, want := range map[string]string{
		"how does retrun work":                   "retrun work",
		"parseAdress":                            "parseAdress parse adress",
		"the get_Name of what":                   "get_Name name",
		"sha255 x86_64 9f86d081 cat":             "",
		"配置文件 データ":                               "",
		strings.Repeat("long", 11) + " long":     "long",
		"retrun retrun Retrun":                   "retrun",
		"Пртокол":                                "Пртокол",
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f": "",
	} {
		var got []string
		for _, w := range a.Spelled(text) {
			got = append(got, w.Typed)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}

func TestOneEdit_FindsTheWordMeant(t *testing.T) {
	a := New()
	for typed, meant := range map[string]string{
		"retrun": "return", "adress": "address", "addresss": "address", "connextion": "connection",
		"connetcions": "connection", "configuraton": "configuration", "read_fiel": "read_file",
		"parseAdress": "parseAddress", "protokol2": "protocol2", "Пртокол": "Протокол", "xeturn": "return",
	} {
		w := a.Spelled(typed)[0]
		near := a.Near(&w)
		want := a.tokens(foreign, meant)[0]
		if !slices.ContainsFunc(near, func(s Spelling) bool { return s.Token == want }) {
			t.Errorf("%s is not among the %d words near %s", want, len(near), typed)
		}
		seen := map[string]bool{}
		for _, s := range near {
			if seen[s.Token] || slices.Contains(w.Tokens, s.Token) {
				t.Errorf("%s: %s comes twice, or is the word itself", typed, s.Token)
			}
			seen[s.Token] = true
		}
	}
	w := a.Spelled("retrun")[0]
	if near := a.Near(&w); near[0].Word != "ertrun" || near[3].Token != "return" {
		t.Errorf("neighbours exchanged do not come first: %+v", near[:5])
	}
}

func TestToken_IsFoundInItsText(t *testing.T) {
	a := New()
	text := []byte("func (s *Server) ParseAddress(Größe int) // returns addresses of hosts")
	for token, want := range map[string]string{
		"parseaddress": "ParseAddress", "return": "returns", "address": "address", "gross": "größe", "server": "Server", "nothing": "",
	} {
		got, ok := a.Written(token, text)
		if got != want && !(token == "gross" && ok) || ok != (want != "") {
			t.Errorf("%s is written %q, %v, want %q", token, got, ok, want)
		}
	}
}
