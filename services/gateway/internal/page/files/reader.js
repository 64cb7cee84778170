import { html, useState, useEffect, useRef } from './vendor/preact-htm.js';
import { post, shown, size, several, count, advice } from './api.js';
import { Path } from './search.js';
import { to } from './app.js';

const AROUND = 200; // lines before and behind the one that was asked for
const MORE = 400;

export function Reader({ at }) {
  const source = at.with.get('source') ?? '', path = at.with.get('path') ?? '';
  const line = +at.with.get('line') || 1, first = +at.with.get('from') || line, end = +at.with.get('to') || line;
  const [text, setText] = useState(null); // { from, lines, total, … }
  const [outline, setOutline] = useState([]);
  const [error, setError] = useState(null);
  const here = useRef(null);
  const read = (from, limit) => post('read', { source, path, from, limit }).then((r) => ({ ...r, lines: r.text === undefined && r.bytes ? null : (r.text ?? '').replace(/\n$/, '').split('\n') }));

  useEffect(() => {
    setError(null);
    if (text?.lines && line >= text.from && line <= text.to) return;
    read(Math.max(1, line - AROUND), 2 * AROUND).then(setText, setError);
  }, [line]);
  useEffect(() => { post('outline', { source, path }).then((o) => setOutline((o.document?.entries ?? []).filter((e, i, all) => e.name !== all[i - 1]?.name || e.kind !== all[i - 1]?.kind)), () => setOutline([])); }, []);
  useEffect(() => { here.current?.scrollIntoView({ block: 'center' }); here.current?.focus({ preventScroll: true }); }, [text === null, line]);
  useEffect(() => {
    const typed = (e) => { if (e.key === 'Escape') history.length > 1 ? history.back() : (location.hash = to('search')); };
    addEventListener('keydown', typed);
    return () => removeEventListener('keydown', typed);
  }, []);

  const further = async (down) => {
    const from = down ? text.to + 1 : Math.max(1, text.from - MORE);
    try {
      const r = await read(from, down ? MORE : text.from - from);
      setText(down ? { ...text, to: r.to, next: r.next, lines: [...text.lines, ...r.lines] } : { ...text, from: r.from, lines: [...r.lines, ...text.lines] });
    } catch (e) { setError(e); }
  };
  const jump = (n) => to('read', { source, path, line: n, q: at.with.get('q') });

  return html`<div class="reader">
    <p class="back"><a href=${to('search', { q: at.with.get('q') ?? '' })} aria-keyshortcuts="Escape">← Search</a></p>
    <h1><${Path} path=${path} /></h1>
    <p class="meta">${source}${text && html` · ${text.language ?? 'text'} · ${several(text.total, 'line')} · ${size(text.size)}${text.pending ? ' · just changed' : ''}`}</p>
    ${error && html`<p class="notice bad" role="alert">${error.message}${advice(error.actions) && html`: ${advice(error.actions)}`}</p>`}
    <div class="sheet">
      ${outline.length > 0 && html`<details class="outline" open=${matchMedia('(min-width: 60rem)').matches}>
        <summary>Outline <span class="faint">${count(outline.length)}</span></summary>
        <nav aria-label="Outline"><ul>${outline.map((o) => html`<li style=${{ paddingLeft: Math.max(0, (o.headings?.length ?? 1) - 1) * 0.8 + 'rem' }}>
          <a href=${jump(o.start_line)} aria-current=${line >= o.start_line && line <= o.end_line ? 'true' : undefined}><span class="name">${o.name}</span> <span class="faint">${o.kind === 'section' ? '' : o.kind ?? ''}</span></a></li>`)}</ul></nav>
      </details>`}
      <div class="text">
        ${text?.from > 1 && html`<button type="button" class="more" onClick=${() => further(false)}>Lines before ${count(text.from)}</button>`}
        ${text && !text.lines && html`<p>It is no text that can be shown.</p>`}
        ${text?.lines && html`<div class="code whole" tabindex="0" role="group" aria-label=${'Text of ' + shown(path)}><table role="presentation">${text.lines.map((l, i) => {
          const n = text.from + i;
          return html`<tr key=${n} class=${n === line ? 'best' : n >= first && n <= end ? 'within' : ''}>
            <td class="no"><a href=${jump(n)} tabindex=${n === line ? 0 : -1} ref=${n === line ? here : null} aria-label=${'line ' + n}>${n}</a></td><td>${l}</td></tr>`;
        })}</table></div>`}
        ${text?.lines && text.to < text.total && html`<button type="button" class="more" onClick=${() => further(true)}>Lines after ${count(text.to)}</button>`}
      </div>
    </div>
  </div>`;
}
