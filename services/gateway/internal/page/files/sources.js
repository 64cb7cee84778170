import { html, useState, useEffect } from './vendor/preact-htm.js';
import { get, post, remove, parts, shown, size, several, count, ago, advice } from './api.js';
import { to } from './app.js';

export function Sources({ who, status }) {
  const [list, setList] = useState(null);
  const [said, setSaid] = useState(null);
  const may = who.role === 'write' || who.role === 'admin';
  useEffect(() => { get('sources').then((l) => setList(l.sources), (e) => setSaid({ bad: true, text: e.message })); }, []);
  const live = (list ?? []).map((s) => status?.sources?.find((n) => n.source === s.source) ?? s);
  for (const s of status?.sources ?? []) if (list && !live.some((l) => l.source === s.source)) live.push(s);
  const change = (ask, done) => ask.then((l) => { setList(l.sources); setSaid({ text: done(l) }); }, (e) => setSaid({ bad: true, text: e.message + (advice(e.actions) ? ': ' + advice(e.actions) : '') }));
  return html`<div class="sources">
    <h1>Sources</h1>
    <p class=${said?.bad ? 'notice bad' : said ? 'notice' : ''} role="status">${said?.text}</p>
    ${may && html`<${Add} change=${change} />`}
    ${list && !live.length && html`<p>Nothing is watched yet.</p>`}
    <div class="cards">${live.map((s) => html`<${Card} key=${s.source} s=${s} may=${may} change=${change} />`)}</div>
  </div>`;
}

function Add({ change }) {
  const [root, setRoot] = useState('');
  const add = (e) => {
    e.preventDefault();
    if (!root.trim()) return;
    change(post('sources', { root: root.trim() }), (l) => `Added: ${l.sources.find((s) => s.root === root.trim())?.source ?? root.trim()}.`);
    setRoot('');
  };
  return html`<form class="add" onSubmit=${add}>
    <label>Watch a folder or repository of this machine <input value=${root} onInput=${(e) => setRoot(e.target.value)} placeholder="/home/me/src/project" autocapitalize="off" /></label>
    <button>Add</button></form>`;
}

function stateOf(s) {
  if (s.held) return ['warn', 'held'];
  if (s.gone) return ['bad', 'gone'];
  if (s.scanning) return ['busy', 'comparing'];
  if (s.degraded?.length) return ['warn', 'degraded'];
  if (!s.watched && s.kind !== 'api') return ['off', 'not watched'];
  return ['good', 'up to date'];
}

function Card({ s, may, change }) {
  const [kind, word] = stateOf(s);
  const [sure, setSure] = useState(false);
  return html`<article class="card">
    <header><h2><a href=${to('search', { source: s.source })}>${s.source}</a></h2><span class=${'pill ' + kind}>${word}</span></header>
    <p class="meta root">${s.root || 'documents that are put by request'}</p>
    <dl><div><dt>Documents</dt><dd>${count(s.documents)}</dd></div><div><dt>Text</dt><dd>${size(s.bytes ?? 0)}</dd></div><div><dt>Left out</dt><dd>${count(s.skipped)}</dd></div></dl>
    ${s.scanning && html`<progress aria-label="Comparing"></progress>`}
    <p class="faint">${s.kind}${s.branch ? ` at ${s.branch}` : ''}${s.commit ? ` · ${s.commit.slice(0, 10)}` : ''}${s.scanned_at ? ` · compared ${ago(s.scanned_at)}` : ''}</p>
    ${[s.held, s.gone, ...(s.degraded ?? [])].filter(Boolean).map((d) => html`<p class="notice bad">${d}</p>`)}
    ${s.skipped > 0 && html`<${Skipped} source=${s.source} />`}
    ${may && html`<p class="tools">
      ${s.held && html`<button type="button" onClick=${() => change(post('sources', { root: s.root, accept: true }), () => `${s.source} is taken as it is.`)}>Accept as it is</button>`}
      ${sure ? html`<span>Forget it and everything made of it?</span>
        <button type="button" class="danger" onClick=${() => change(remove('sources/' + s.source), (l) => `${s.source} was removed: ${several(l.receipt?.documents ?? 0, 'document')}, ${several(l.receipt?.erased ?? 0, 'record')} overwritten.`)}>Forget ${s.source}</button>
        <button type="button" onClick=${() => setSure(false)}>Keep it</button>`
      : html`<button type="button" onClick=${() => setSure(true)} aria-label=${'Remove ' + s.source}>Remove …</button>`}</p>`}
  </article>`;
}

function Skipped({ source }) {
  const [files, setFiles] = useState(null);
  const open = async (e) => {
    if (!e.target.open || files) return;
    const found = [];
    try {
      for await (const part of parts('files', { show: 'skipped', limit: 200, filter: { sources: [source] } })) found.push(...(part.files ?? []));
      setFiles(found);
    } catch (err) { setFiles([{ path: '', reason: err.message }]); }
  };
  return html`<details onToggle=${open}><summary>What is left out, and why</summary>
    ${files && html`<ul class="plain skipped">${files.map((f) => html`<li><code>${shown(f.path)}</code> <span class="faint">${f.reason}</span></li>`)}</ul>`}</details>`;
}
