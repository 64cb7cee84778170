package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestLanguage_IsToldByItsText(t *testing.T) {
	names := []string{"unmarked", "de", "fr", "es", "it", "pt", "nl", "sv", "ru", "ar"}
	for text, want := range map[string]string{
		"The connections to the server are closed after ten minutes.":              "unmarked",
		"Install with `pip install foo`; set `DER_PATH` and run die.net or des.sh": "unmarked",
		"let van = 3; om: on, der: off":                                            "unmarked",
		"":                                                                         "unmarked",
		"配置文件 データ":                                                                 "unmarked",
		"Der Wert wird in der Konfiguration gesetzt und nicht im Programm.":          "de",
		"La valeur est lue dans le fichier de configuration, et pas ailleurs.":       "fr",
		"El valor se lee del archivo de configuración cuando el programa arranca.":   "es",
		"Il valore è letto dal file di configurazione quando il programma parte.":    "it",
		"O valor não é lido do arquivo de configuração quando o programa começa.":    "pt",
		"De waarde wordt uit het bestand gelezen wanneer het programma start.":       "nl",
		"Värdet läses från filen när programmet startar, och det kan inte ändras.":   "sv",
		"Значение читается из файла при запуске, и его можно изменить только после.": "ru",
		"تُقرأ القيمة من الملف عند بدء التشغيل، ولا يمكن تغييرها بعد ذلك.":           "ar",
	} {
		if got := names[detect([]byte(text))]; got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestStemOfALanguage_MeetsNoWord(t *testing.T) {
	a := New()
	span := &document.Span{Headings: []string{"Verbindungen"}}
	text := []byte("Die Verbindungen der Clients werden mit getConnections getrennt, und das nicht sofort.")
	prose := a.Passage("a/verbindungen.md", span, text, true)
	if n := strings.Count(" "+strings.Join(prose, " ")+" ", " ~verbind "); n != 2 {
		t.Errorf("%d marked stems of heading and text, want 2: %q", n, prose)
	}
	code := a.Passage("a/verbindungen.go", span, text, false)
	if slices.ContainsFunc(code, func(token string) bool { return strings.HasPrefix(token, stemMark) }) {
		t.Errorf("code has stems of prose: %q", code)
	}
	for _, token := range tokensOf(a, "~verbind ~ a~verbind", true) {
		if strings.HasPrefix(token, stemMark) {
			t.Errorf("a word of a text gives %q", token)
		}
	}
	if w := a.Spelled("Verbindungen")[0]; !slices.Contains(w.Tokens, "~verbind") {
		t.Errorf("a word known by its stem counts as unknown: %q", w.Tokens)
	}
}
