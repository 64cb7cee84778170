import { html, useState, useEffect, useMemo, useRef } from './vendor/preact-htm.js';
import { post, shown, inLines, marked, several, count, advice } from './api.js';
import { to } from './app.js';
import { Explain } from './explain.js';
import { Answer } from './answer.js';

const HITS = 20;
const LINES = 300;

export function Search({ at, who, status }) {
  const start = at.with;
  const [text, setText] = useState(start.get('q') ?? '');
  const [mode, setMode] = useState(start.get('mode') ?? '');
  const [asked, setAsked] = useState(null); // what a model is to answer
  const [fixed, setFixed] = useState(start.get('fixed') === '1');
  const [anyCase, setAnyCase] = useState(start.get('case') === 'any');
  const [source, setSource] = useState(start.get('source') ?? '');
  const [language, setLanguage] = useState(start.get('language') ?? '');
  const [path, setPath] = useState(start.get('path') ?? '');
  const [answer, setAnswer] = useState(null);
  const [error, setError] = useState(null);
  const [explained, setExplained] = useState(null);
  const last = useRef(null);
  const input = useRef(null);

  // Without a model there is no third way to ask.
  const model = status?.answers, lines = mode === 'lines', whole = mode === 'answer' && !!model;

  useEffect(() => { input.current?.focus(); }, []);

  // Each key press asks, and leaves the question before it: the service is told.
  useEffect(() => {
    last.current?.abort();
    const here = setTimeout(() => history.replaceState(null, '', to('search', { q: text, mode, fixed: fixed && lines ? 1 : '', case: anyCase && lines ? 'any' : '', source, language, path })), 300);
    const left = () => clearTimeout(here);
    if (!text.trim() || whole) { setAnswer(null); setError(null); return left; }
    setAsked(null);
    const stop = last.current = new AbortController();
    const filter = filterOf(source, language, path), asked = performance.now();
    const request = lines
      ? post('grep', { pattern: text, fixed, ignore_case: anyCase, limit: LINES, filter }, stop.signal)
      : post('search', { query: text, k: HITS, filter }, stop.signal);
    request.then((reply) => {
      if (stop.signal.aborted) return;
      setError(null);
      setAnswer({ lines, text, reply, ms: performance.now() - asked });
    }, (e) => { if (e.name !== 'AbortError' && !stop.signal.aborted) { setError(e); setAnswer(null); } });
    return left;
  }, [text, lines, whole, fixed, anyCase, source, language, path]);

  // Up and down go through the hits, from the question and back.
  const move = (e) => {
    if (!['ArrowDown', 'ArrowUp'].includes(e.key) || e.target.matches('select')) return;
    const stops = [input.current, ...document.querySelectorAll('.results a.place, .sources a.place')];
    const i = stops.indexOf(document.activeElement);
    const next = stops[i < 0 ? 0 : i + (e.key === 'ArrowDown' ? 1 : -1)];
    if (!next) return;
    e.preventDefault();
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  };
  // Made once for each answer, not for each key.
  const results = useMemo(() => answer && (answer.lines
    ? answer.reply.files.map((f) => html`<${File} key=${f.source + ':' + f.path} file=${f} />`)
    : answer.reply.hits.map((h, i) => html`<${Hit} key=${h.id} hit=${h} rank=${i + 1} query=${answer.text} answer=${answer.reply} who=${who} explain=${() => setExplained(h)} />`)), [answer, who]);
  const sources = (status?.sources ?? []).filter((s) => s.watched || s.kind === 'api');

  return html`<div class="search" onKeyDown=${move}>
    <h1 class="hidden">Search</h1>
    <form role="search" onSubmit=${(e) => { e.preventDefault(); if (whole && text.trim()) setAsked({ query: text, filter: filterOf(source, language, path) }); }}>
      <div class="ask">
        <input id="question" ref=${input} type="search" value=${text} onInput=${(e) => setText(e.target.value)} autocomplete="off" autocapitalize="off" spellcheck=${false}
          aria-label=${lines ? 'Pattern' : 'Question'} placeholder=${lines ? 'A regular expression, line by line' : whole ? 'A question, and Enter' : 'A question, a name, a message, a stack trace'} aria-keyshortcuts="/" />
        <div class="modes" role="group" aria-label="What is looked for">
          <button type="button" aria-pressed=${!lines && !whole} onClick=${() => setMode('')}>Passages</button>
          <button type="button" aria-pressed=${lines} onClick=${() => setMode('lines')}>Lines</button>
          ${model && html`<button type="button" aria-pressed=${whole} onClick=${() => { setMode('answer'); input.current?.focus(); }}>Answer</button>`}
        </div>
      </div>
      <div class="filters">
        <label>Source <select value=${source} onChange=${(e) => setSource(e.target.value)}>
          <option value="">all</option>
          ${sources.map((s) => html`<option value=${s.source}>${s.source}</option>`)}
          ${source && !sources.some((s) => s.source === source) && html`<option value=${source}>${source}</option>`}
        </select></label>
        <label>Language <input value=${language} onInput=${(e) => setLanguage(e.target.value)} placeholder="go, md" size="8" autocapitalize="off" /></label>
        <label>Path <input value=${path} onInput=${(e) => setPath(e.target.value)} placeholder="pkg **/*_test.go" size="16" autocapitalize="off" /></label>
        ${whole && html`<button type="submit">Ask</button>`}
        ${lines && html`<label class="tick"><input type="checkbox" checked=${fixed} onChange=${(e) => setFixed(e.target.checked)} /> as text</label>
          <label class="tick"><input type="checkbox" checked=${anyCase} onChange=${(e) => setAnyCase(e.target.checked)} /> any case</label>`}
      </div>
    </form>
    ${whole && asked && html`<${Answer} asked=${asked} model=${model} />`}
    ${error && html`<p class="notice bad" role="alert">${error.message}${advice(error.actions) && html`: ${advice(error.actions)}`}</p>`}
    ${answer && html`<${Summary} answer=${answer} />`}
    <section class="results" aria-label="Results" data-for=${answer?.text}>
      ${results}
    </section>
    ${!answer && !error && !(whole && asked) && html`<${Welcome} status=${status} />`}
    ${explained && html`<${Explain} hit=${explained} query=${answer?.text ?? text} close=${() => setExplained(null)} />`}
  </div>`;
}

const filterOf = (source, language, path) => ({
  ...(source && { sources: [source] }),
  ...(language && { languages: language.split(/[\s,]+/).filter(Boolean) }),
  ...(path && { paths: path.split(/\s+/).filter(Boolean) }),
});

function Summary({ answer }) {
  const r = answer.reply;
  const found = answer.lines
    ? `${several(r.lines, 'line')} in ${several(r.matched, 'document')}${r.more ? `, ${count(r.more)} more not shown` : ''}${r.complete ? '' : '; not everything was searched'}`
    : r.nothing_relevant && r.hits.length ? 'Probably nothing answers this. The nearest:' : r.hits.length ? several(r.hits.length, 'passage') : 'Nothing was found.';
  return html`<div class="summary">
    <p role="status" class=${r.nothing_relevant ? 'unsure' : ''}>${found}<span class="faint"> · ${answer.ms.toFixed(0)} ms${r.took_ms !== undefined ? `, ${r.took_ms.toFixed(1)} of them searching` : ''}</span></p>
    ${r.corrected?.map((c) => html`<p class="faint">No passage has ${'“' + c.from + '”'}; searched ${c.to.map((w) => '“' + w + '”').join(', ')}.</p>`)}
    ${r.pending?.length > 0 && html`<p class="notice">${several(r.pending.length, 'document')} changed a moment ago and ${r.pending.length === 1 ? 'is' : 'are'} not in both indexes yet.</p>`}
    ${r.degraded?.map((d) => html`<p class="notice bad">${d}</p>`)}
  </div>`;
}

const Marks = ({ pieces }) => pieces.map((p) => p.hit ? html`<mark>${p.text}</mark>` : p.text);

function Hit({ hit, rank, query, answer, who, explain }) {
  const [said, setSaid] = useState('');
  const rows = inLines(hit.text ?? '', hit.matches);
  const line = hit.line || hit.start_line;
  const may = who.role === 'write' || who.role === 'admin';
  const tell = (kind) => post('feedback', { kind, query, token: answer.token, hits: [{ source: hit.source, path: hit.path, start_line: hit.start_line, end_line: hit.end_line, rank }] })
    .then(() => setSaid(kind === 'up' ? 'Noted as right.' : kind === 'down' ? 'Noted as wrong.' : said), (e) => kind !== 'opened' && setSaid(e.message));
  const where = to('read', { source: hit.source, path: hit.path, line, from: hit.start_line, to: hit.end_line, q: query });
  return html`<article class="hit" onKeyDown=${(e) => { if (e.key === 'e' && !e.ctrlKey && !e.metaKey) { e.preventDefault(); explain(); } }}>
    <h2><a class="place" href=${where} onClick=${() => may && tell('opened')}><${Path} path=${hit.path} /><span class="line">:${line}</span></a>
      ${hit.symbol && html`<code class="symbol">${hit.symbol}</code>`}
      ${hit.place && html` <span class="faint">${partOf(hit.place)}</span>`}</h2>
    <p class="meta">${hit.source}${hit.kind ? ` · ${hit.kind}` : ''}${hit.language ? ` · ${hit.language}` : ''}${hit.headings?.length ? ` · ${hit.headings.join(' › ')}` : ''}${hit.pending ? ' · just changed' : ''}
      ${hit.confidence > 0 && html` · <span class="sure" title="Probability that this is what was asked for">${Math.round(hit.confidence * 100)} % sure</span>`}</p>
    ${hit.summary && html`<p class="said">${hit.summary}</p>`}
    <div class="code" tabindex="0" role="group" aria-label=${'Excerpt of ' + shown(hit.path)}><table role="presentation">${rows.map((pieces, i) => html`<tr class=${hit.lines?.[i] === line ? 'best' : ''}>
      <td class="no">${hit.lines?.[i] ? html`<a tabindex="-1" aria-label=${'line ' + hit.lines[i]} href=${to('read', { source: hit.source, path: hit.path, line: hit.lines[i], q: query })}>${hit.lines[i]}</a>` : '⋯'}</td>
      <td><${Marks} pieces=${pieces} /></td></tr>`)}</table></div>
    <p class="tools"><button type="button" onClick=${explain} aria-keyshortcuts="e">Explain</button>
      ${may && html`<button type="button" onClick=${() => tell('up')} aria-label=${'Right: ' + shown(hit.path)}>Right</button>
      <button type="button" onClick=${() => tell('down')} aria-label=${'Wrong: ' + shown(hit.path)}>Wrong</button>`}
      <span role="status" class="faint">${said}</span></p>
  </article>`;
}

export function Path({ path }) {
  const text = shown(path);
  const cut = text.lastIndexOf('/') + 1;
  return html`<span class="path"><span class="folder">${text.slice(0, cut)}</span>${text.slice(cut)}</span>`;
}

function File({ file }) {
  return html`<article class="hit">
    <h2><a class="place" href=${to('read', { source: file.source, path: file.path, line: file.lines?.find((l) => !l.context)?.line })}><${Path} path=${file.path} /></a> <span class="faint">${count(file.count)}</span></h2>
    <div class="code" tabindex="0" role="group" aria-label=${'Lines of ' + shown(file.path)}><table role="presentation">${file.lines?.map((l) => html`<tr>
      <td class="no"><a tabindex="-1" aria-label=${'line ' + l.line} href=${to('read', { source: file.source, path: file.path, line: l.line })}>${l.line}</a></td>
      <td>${l.from ? '… ' : ''}<${Marks} pieces=${marked(l.text ?? '', l.matches)} />${l.left ? ' …' : ''}</td></tr>`)}</table></div>
  </article>`;
}

function Welcome({ status }) {
  return html`<div class="welcome">
    ${status && html`<p class="big">${count(status.documents)} documents, ${several(status.chunks, 'passage')}${status.sources?.length ? ` of ${several(status.sources.filter((s) => s.watched || s.kind === 'api').length, 'source')}` : ''}</p>`}
    <ul class="hints">
      <li><kbd>/</kbd> to the question</li><li><kbd>↓</kbd> <kbd>↑</kbd> through the hits</li><li><kbd>Enter</kbd> reads, <kbd>e</kbd> explains</li>
      <li><code>"text in quotes"</code> stands so in each hit</li><li><code>-word</code> in none</li><li><code>lang:go path:pkg/</code> narrow it</li><li><code>refs:NAME</code> lists uses</li>
    </ul></div>`;
}

// partOf is the part of a document that a passage is made of: "page 4", "rows 2-40".
const partOf = ({ kind, from, to }) => (from === to ? `${kind} ${from}` : `${kind}s ${from}-${to}`);
