package analysis_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// prose are passages of manuals in several languages, and questions that they
// answer, in other forms of their words.
var prose = []struct {
	language, text string
	ask            []string
}{
	{"de", "Die Verbindungen zum Server werden nach zehn Minuten getrennt. Wer sie länger offen halten will, setzt den Wert in der Konfiguration höher.", []string{"wie lange bleibt eine Verbindung offen", "Verbindung trennen"}},
	{"de", "Sicherungen werden jede Nacht angelegt und auf einen zweiten Rechner kopiert. Alte Kopien löscht das Programm nach einem Monat.", []string{"wann wird eine Sicherung gelöscht", "nächtliche Sicherung"}},
	{"de", "Bei Fehlern schreibt der Dienst eine Meldung in das Protokoll und versucht es später noch einmal. Nach fünf Versuchen gibt er auf.", []string{"Fehler beim Dienst, wie oft ein Versuch", "Meldungen eines Dienstes"}},
	{"de", "Die Benutzer melden sich mit ihrem Kennwort an. Kennwörter müssen mindestens zwölf Zeichen haben und werden verschlüsselt gespeichert.", []string{"Verschlüsselung des Kennworts von einem Benutzer", "Kennwort eines Benutzers"}},
	{"de", "Tabellen lassen sich nach jeder Spalte sortieren. Ein zweiter Klick auf die Überschrift kehrt die Reihenfolge um.", []string{"eine Tabelle sortiert nach Spalten", "Tabelle nach Überschriften"}},
	{"de", "Der Schlüssel liegt in einer Datei, die nur der Eigentümer lesen darf. Fehlt sie, so wird beim Start eine neue angelegt.", []string{"Dateien mit Schlüsseln des Eigentümers", "Schlüsseln von Eigentümern"}},
	{"de", "Große Bilder werden beim Hochladen verkleinert, damit die Seiten schneller laden. Die Originale bleiben erhalten.", []string{"großes Bild hochgeladen, Seite lädt langsam", "verkleinertes Bild"}},
	{"de", "Neue Übersetzungen kommen als Textdateien in den Ordner der Sprache. Das Programm liest sie ohne Neustart ein.", []string{"Übersetzung in eine weitere Sprachen einlesen", "neue Übersetzung"}},
	{"fr", "Les connexions au serveur sont fermées après dix minutes. Pour les garder ouvertes plus longtemps, augmentez la valeur dans la configuration.", []string{"combien de temps une connexion reste-t-elle ouverte", "connexion fermée"}},
	{"fr", "Les sauvegardes sont créées chaque nuit et copiées sur une deuxième machine. Les anciennes copies sont supprimées au bout d'un mois.", []string{"quand est-ce que la sauvegarde ancienne est supprimée", "sauvegarde créée"}},
	{"fr", "En cas d'erreur, le service écrit un message dans le journal et réessaie plus tard. Il abandonne après cinq tentatives.", []string{"erreurs du service et nombre de tentative", "messages d'erreurs"}},
	{"fr", "Les utilisateurs se connectent avec leur mot de passe. Les mots de passe sont chiffrés et doivent avoir au moins douze caractères.", []string{"chiffrement du mot de passe d'un utilisateur", "utilisateur et caractère"}},
	{"fr", "Les tableaux peuvent être triés par chaque colonne. Un deuxième clic sur le titre inverse l'ordre.", []string{"trier un tableau par colonnes", "tableau trié par colonnes"}},
	{"fr", "La clé se trouve dans un fichier que seul le propriétaire peut lire. S'il manque, il est généré au démarrage.", []string{"fichiers des clés, propriétaires et lecture", "fichiers générés"}},
	{"fr", "Les grandes images sont réduites pendant l'envoi, afin que les pages se chargent plus vite. Les originaux sont conservés.", []string{"une grande image envoyée, le chargement de la page", "image réduite"}},
	{"fr", "Les nouvelles traductions sont placées comme fichiers de texte dans le dossier de la langue. Le programme les lit sans redémarrage.", []string{"ajouter une traduction dans d'autres langues", "nouvelle traduction"}},
	{"es", "Las conexiones con el servidor se cierran después de diez minutos. Para mantenerlas abiertas más tiempo, aumente el valor en la configuración.", []string{"cuánto tiempo permanece abierta una conexión", "conexión cerrada"}},
	{"es", "Las copias de seguridad se crean cada noche y se guardan en otra máquina. Las copias antiguas se borran después de un mes.", []string{"cuándo se borró una copia antigua", "copia de seguridad creada"}},
	{"es", "En caso de error, el servicio escribe un mensaje en el registro y lo intenta más tarde. Después de cinco intentos se rinde.", []string{"errores de los servicios, mensajes en el registro", "mensajes y registros"}},
	{"es", "Los usuarios entran con su contraseña. Las contraseñas se guardan cifradas y deben tener al menos doce caracteres.", []string{"cómo se cifra la contraseña de un usuario", "usuario con contraseñas"}},
	{"es", "Las tablas se pueden ordenar por cada columna. Un segundo clic en el título invierte el orden.", []string{"ordenando una tabla por columnas", "tabla ordenada"}},
	{"es", "La clave está en un archivo que sólo puede leer el propietario. Si falta, se genera durante el arranque.", []string{"archivos con claves, lectura por propietarios", "claves y propietarios"}},
	{"es", "Las imágenes grandes se reducen al subirlas, para que las páginas carguen más rápido. Los originales se conservan.", []string{"imagen grande que tarda en cargar la página", "imagen reducida"}},
	{"es", "Las nuevas traducciones se ponen como archivos de texto en la carpeta del idioma. El programa las lee sin reiniciar.", []string{"añadir una traducción para otros idiomas", "nueva traducción"}},
	{"ru", "Соединения с сервером закрываются через десять минут. Чтобы держать их открытыми дольше, увеличьте значение в настройках.", []string{"сколько времени открыто соединение", "открытое соединение"}},
	{"ru", "Резервные копии создаются каждую ночь и хранятся на другой машине. Старые копии удаляются через месяц.", []string{"когда удаляется старая копия", "резервная копия"}},
	{"ru", "При ошибке служба пишет сообщение в журнал и пробует позже. После пяти попыток она сдаётся.", []string{"ошибки службы, сообщения журнала", "сообщения об ошибках"}},
	{"ru", "Пользователи входят по паролю. Пароли хранятся в зашифрованном виде и должны иметь не менее двенадцати знаков.", []string{"шифрование паролей пользователя", "пароль пользователя"}},
	{"ru", "Таблицы можно сортировать по каждому столбцу. Второе нажатие на заголовок меняет порядок.", []string{"сортировка таблицы по столбцам", "сортировка таблицы"}},
	{"ru", "Ключ лежит в файле, который может читать только владелец. Если его нет, он создаётся при запуске.", []string{"файлы ключей для владельцев", "файл ключа"}},
}

// found returns the mean reciprocal rank of the passages by their questions, by
// language and for all, with the stems of languages beside English or without.
func found(t *testing.T, stems bool) map[string]float64 {
	t.Helper()
	s, err := postings.Open(t.TempDir(), postings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	a := analysis.New()
	id := func(i int) document.ChunkID { return document.NewChunkID("s", "a", "d", i, 1) }
	var batch store.LexicalBatch
	for i, p := range prose {
		e := store.LexicalEntry{ID: id(i), Attrs: store.Attrs{Source: "s", Doc: document.DocOf("a"), Path: "a"}}
		for _, token := range a.Passage("a", &document.Span{}, []byte(p.text), true) {
			if stems || !strings.HasPrefix(token, "~") {
				e.Tokens = append(e.Tokens, token)
			}
		}
		batch.Put = append(batch.Put, e)
	}
	if _, err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum, n := map[string]float64{}, map[string]float64{}
	for i, p := range prose {
		for _, ask := range p.ask {
			var terms []store.Term
			for _, q := range a.Query(ask) {
				if stems || !strings.HasPrefix(q.Token, "~") {
					terms = append(terms, store.Term{Token: q.Token, Weight: q.Weight})
				}
			}
			hits, err := s.Search(t.Context(), terms, store.Filter{}, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{p.language, "all"} {
				n[key]++
				for rank, h := range hits {
					if h.ID == id(i) {
						sum[key] += 1 / float64(rank+1)
					}
				}
			}
		}
	}
	for key := range n {
		sum[key] /= n[key]
	}
	return sum
}

func TestProseOfAnotherLanguage_IsFoundByOtherFormsOfItsWords(t *testing.T) {
	with, without := found(t, true), found(t, false)
	for key, mrr := range with {
		t.Logf("%s: MRR %.3f, without stems %.3f", key, mrr, without[key])
		if key != "all" && mrr < without[key] {
			t.Errorf("%s: MRR %.3f with stems, %.3f without", key, mrr, without[key])
		}
	}
	if with["all"] < without["all"]+.1 || with["all"] < .9 {
		t.Errorf("MRR %.3f with stems, %.3f without", with["all"], without["all"])
	}
}
