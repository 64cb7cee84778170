// Package mail makes the text of e-mail, one message (.eml) or a box of them (.mbox): what
// it is about, from whom, to whom and when, and what it says.
package mail

import (
	"bytes"
	"io"
	"mime"
	"strings"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/html"
)

// Make implements extract.Maker.
func Make(content []byte, limit int) (extract.Text, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	f := extract.NewFlow(limit)
	if !bytes.HasPrefix(content, []byte("From ")) {
		r := reader{limit: limit}
		subject, text := r.message(content)
		if r.closed && !r.said {
			return extract.Text{}, extract.Encrypted
		}
		if text == "" {
			return extract.Text{}, extract.Damaged
		}
		f.Title(subject)
		f.Section(section(subject), text)
		return f.Text()
	}
	f.Nameless() // no message speaks for the box
	for n := 1; len(content) > 0 && !f.Full(); n++ {
		var one []byte
		one, content = next(content)
		r := reader{limit: limit}
		if subject, text := r.message(one); text != "" {
			s := section(subject)
			s.Part = document.Part{Kind: document.PartMessage, From: n, To: n}
			f.Section(s, text)
		}
	}
	return f.Text()
}

func section(subject string) extract.Section {
	s := extract.Section{Language: "text"}
	if subject != "" {
		s.Headings = []string{subject}
	}
	return s
}

// next takes the first message out of a box: up to a line "From …" behind a blank one.
func next(box []byte) (one, rest []byte) {
	if i := bytes.IndexByte(box, '\n'); i >= 0 {
		box = box[i+1:] // the line of the envelope
	} else {
		return nil, nil
	}
	one = box
	for at := 0; ; {
		i := bytes.Index(box[at:], []byte("\nFrom "))
		if i < 0 {
			break
		}
		at += i + 1
		if before := bytes.TrimSuffix(box[:at-1], []byte("\r")); len(before) == 0 || before[len(before)-1] == '\n' {
			one, rest = box[:at-1], box[at:]
			break
		}
	}
	return bytes.ReplaceAll(one, []byte("\n>From "), []byte("\nFrom ")), rest
}

// deep is how deep messages are within each other.
const deep = 8

type reader struct {
	limit  int
	closed bool // something in it is encrypted
	said   bool // there is a text to read
}

// shown are the fields that people see.
var shown = []string{"Subject", "From", "To", "Cc", "Date"}

// message returns what a message is about and its text, "" where it is none.
func (r *reader) message(content []byte) (subject, text string) {
	e, err := message.ReadWithOptions(bytes.NewReader(content), &message.ReadOptions{MaxHeaderBytes: 1 << 20})
	if e == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
		return "", ""
	}
	var out strings.Builder
	known := false
	for _, name := range shown {
		value := extract.Line(word(e.Header.Get(name)))
		if value == "" {
			continue
		}
		known = true
		switch name {
		case "Subject":
			subject = value
		case "Date":
			h := mail.Header{Header: e.Header}
			if at, err := h.Date(); err == nil {
				value = at.Format("2006-01-02 15:04 -0700")
			}
		}
		out.WriteString(name + ": " + value + "\n")
	}
	if !known {
		return "", ""
	}
	var files []string
	body := r.body(e, &files, 0)
	if r.said = strings.TrimSpace(body) != ""; r.said {
		out.WriteString("\n" + strings.Trim(body, "\n") + "\n")
	}
	if len(files) > 0 {
		out.WriteString("\nAttachments: " + strings.Join(files, ", ") + "\n")
	}
	return subject, out.String()
}

// word makes a text of a field, whatever encoding its words are in.
func word(field string) string {
	d := mime.WordDecoder{CharsetReader: func(charset string, in io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(in)
		return strings.NewReader(extract.Decode(b, charset)), err
	}}
	if text, err := d.DecodeHeader(field); err == nil {
		return text
	}
	return extract.Decode([]byte(field), "")
}

// body is the text of a message, and of the messages in it; what else is attached is
// listed in files.
func (r *reader) body(e *message.Entity, files *[]string, depth int) string {
	kind, params, _ := e.Header.ContentType()
	if kind == "multipart/encrypted" || kind == "application/pkcs7-mime" || kind == "application/x-pkcs7-mime" {
		r.closed = true
		return ""
	}
	if parts := e.MultipartReader(); parts != nil {
		if depth >= deep {
			return ""
		}
		var all []string
		for {
			part, err := parts.NextPart()
			if part == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
				break
			}
			text := strings.Trim(r.body(part, files, depth+1), "\n")
			if strings.TrimSpace(text) == "" {
				continue
			}
			if all = append(all, text); kind == "multipart/alternative" {
				break // the first says the same as the others, and more plainly
			}
		}
		return strings.Join(all, "\n\n")
	}
	how, disposition, _ := e.Header.ContentDisposition()
	name := disposition["filename"]
	if name == "" {
		name = params["name"]
	}
	if how == "attachment" || kind != "" && !strings.HasPrefix(kind, "text/") && kind != "message/rfc822" {
		if name = extract.Line(word(name)); name != "" {
			*files = append(*files, name)
		}
		return ""
	}
	content, err := io.ReadAll(io.LimitReader(e.Body, int64(r.limit)+1))
	if err != nil && len(content) == 0 {
		return ""
	}
	switch kind {
	case "message/rfc822":
		if depth >= deep {
			return ""
		}
		inner := reader{limit: r.limit}
		_, text := inner.message(content)
		return text
	case "text/html":
		page := extract.Decode(content, params["charset"])
		if !strings.Contains(strings.ToLower(page[:min(len(page), 2000)]), "<html") {
			page = "<!doctype html><html><body>" + page + "</body></html>"
		}
		made, err := html.Make([]byte(page), r.limit)
		if err != nil {
			return ""
		}
		return string(made.Bytes)
	}
	return extract.Decode(content, params["charset"])
}
