package pdf

import (
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// run is a stretch of text of one font on one line. Lengths are in points, heights are
// counted from the lower edge of the page.
type run struct {
	text                     string
	left, top, right, bottom float64
	size                     float64
	bold, mono               bool
}

func (r *run) height() float64 { return r.top - r.bottom }

// page is what stands on a page.
type page struct {
	runs    []run
	picture bool // there is something to look at
}

// maxRuns is the most runs of a page. A page of a dense newspaper has 5,000.
const maxRuns = 40_000

type reader struct {
	in       pdfium.Pdfium
	document references.FPDF_DOCUMENT
}

// page reads a page. The error is for one that is damaged.
func (r reader) page(index int) (page, error) {
	loaded, err := r.in.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.document, Index: index})
	if err != nil {
		return page{}, err
	}
	out := page{}
	ref := requests.Page{ByReference: &loaded.Page}
	if out.runs, err = r.runs(ref); err != nil {
		return page{}, err
	}
	if out.picture, err = r.pictured(ref); err != nil {
		return page{}, err
	}
	_, err = r.in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	return out, err
}

// runs asks for the text by rectangle: by letter takes twenty times as long.
func (r reader) runs(ref requests.Page) ([]run, error) {
	text, err := r.in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: ref})
	if err != nil {
		return nil, err
	}
	t := text.TextPage
	n, err := r.in.FPDFText_CountRects(&requests.FPDFText_CountRects{TextPage: t, Count: -1})
	if err != nil {
		return nil, err
	}
	if n.Count > maxRuns {
		return nil, extract.TooMany
	}
	var out []run
	for i := range n.Count {
		box, err := r.in.FPDFText_GetRect(&requests.FPDFText_GetRect{TextPage: t, Index: i})
		if err != nil {
			return nil, err
		}
		got, err := r.in.FPDFText_GetBoundedText(&requests.FPDFText_GetBoundedText{TextPage: t, Left: box.Left, Top: box.Top, Right: box.Right, Bottom: box.Bottom})
		if err != nil {
			return nil, err
		}
		letters := letters(got.Text)
		if letters == "" || !finite(box.Left, box.Top, box.Right, box.Bottom) {
			continue
		}
		next := run{text: letters, left: box.Left, top: box.Top, right: box.Right, bottom: box.Bottom}
		if err := r.font(t, &next); err != nil {
			return nil, err
		}
		out = append(out, next)
	}
	_, err = r.in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: t})
	return out, err
}

func finite(all ...float64) bool {
	for _, x := range all {
		if math.IsNaN(x) || math.Abs(x) > 1e6 {
			return false
		}
	}
	return true
}

// fixedPitch and forceBold are flags of a font's descriptor.
const fixedPitch, forceBold = 1 << 0, 1 << 18

// font asks for the font of a run, by the letter at its beginning.
func (r reader) font(t references.FPDF_TEXTPAGE, to *run) error {
	to.size = to.height()
	at, err := r.in.FPDFText_GetCharIndexAtPos(&requests.FPDFText_GetCharIndexAtPos{
		TextPage: t, X: to.left + .1, Y: (to.top + to.bottom) / 2, XTolerance: max(1, to.height()), YTolerance: max(1, to.height()/2),
	})
	if err != nil || at.CharIndex < 0 {
		return nil //nolint:nilerr // a run without a font is no fault: its height tells its size
	}
	size, err := r.in.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: t, Index: at.CharIndex})
	if err != nil {
		return err
	}
	// Some makers write all text one point high, and scale it.
	scale := 1.
	if m, err := r.in.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: t, Index: at.CharIndex}); err == nil {
		if s := math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)); s > 0 {
			scale = s
		}
	}
	if s := size.FontSize * scale; finite(s) && s > 0 {
		to.size = s
	}
	if info, err := r.in.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: t, Index: at.CharIndex}); err == nil {
		name := strings.ToLower(info.FontName)
		to.mono = info.Flags&fixedPitch != 0 || strings.Contains(name, "courier") || strings.Contains(name, "mono")
		to.bold = info.Flags&forceBold != 0 && !strings.Contains(name, "regular") || strings.Contains(name, "bold") || strings.Contains(name, "black") || strings.Contains(name, "heavy")
	}
	return nil
}

// few is how many lines are drawn on a page that nobody takes for a picture.
const few = 50

// pictured reports whether there is something to look at on a page: a picture, a form
// that may hold one, or many lines, as of letters that were drawn.
func (r reader) pictured(ref requests.Page) (bool, error) {
	n, err := r.in.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil {
		return false, err
	}
	for i := range min(n.Count, few) {
		object, err := r.in.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: ref, Index: i})
		if err != nil {
			return false, err
		}
		kind, err := r.in.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil {
			return false, err
		}
		if kind.Type == enums.FPDF_PAGEOBJ_IMAGE || kind.Type == enums.FPDF_PAGEOBJ_FORM {
			return true, nil
		}
	}
	return n.Count >= few, nil
}

// ligatures are letters that fonts draw as one.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st",
	"\u0002", softHyphen, "\uf0b7", "•", "\uf0a7", "•", "\u00a0", " ", "\ufffe", softHyphen)

// softHyphen is how PDFium's mark for a hyphen at the end of a line is kept until lines
// are joined.
const softHyphen = "\u00ad"

// letters are those of a run that people can read.
func letters(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0xfffd || r == 0xffff || r >= 0xe000 && r <= 0xf8ff {
			return -1
		}
		return r
	}, ligatures.Replace(text))
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return strings.TrimRight(text, " \t\n")
}
