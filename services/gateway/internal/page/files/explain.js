import { html, useState, useEffect, useRef } from './vendor/preact-htm.js';
import { post, shown, several } from './api.js';

// A drawer that says why a hit stands where it does.
export function Explain({ hit, query, close }) {
  const box = useRef(null);
  const [search, setSearch] = useState(null);
  const [fate, setFate] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    const before = document.activeElement;
    const node = box.current;
    node.showModal();
    post('search', { query, k: 20, text: 'none', explain: true }).then(setSearch, setError);
    post('explain', { source: hit.source, path: hit.path, search: { query, k: 20 } }).then(setFate, setError);
    return () => { node.close(); before?.focus?.(); };
  }, []);
  const found = search?.hits.find((h) => h.id === hit.id);
  const passage = fate?.search?.passages?.find((p) => p.id === hit.id);
  return html`<dialog class="drawer" ref=${box} onCancel=${(e) => { e.preventDefault(); close(); }} onClick=${(e) => e.target === box.current && close()} aria-labelledby="why">
    <div class="inside">
    <header><h2 id="why">Why ${shown(hit.path)}:${hit.line || hit.start_line}</h2><button type="button" onClick=${close} aria-label="Close">Close</button></header>
    ${error && html`<p class="notice bad" role="alert">${error.message}</p>`}
    ${!search && !fate && !error && html`<p aria-busy="true">Looking …</p>`}
    ${fate?.search && html`<p>${fate.search.summary}</p>`}
    ${found && html`
      <h3>Channels</h3><p class="faint">How high each way of looking put it: rank 1 is a full bar.</p>
      <${Bars} rows=${Object.entries(found.channels ?? {}).map(([name, c]) => ({ name, part: 1 / Math.sqrt(c.rank), text: `rank ${c.rank}, score ${c.score.toFixed(2)}` }))} />
      <h3>Signals</h3><p class="faint">What its score was multiplied by, or what was added to it.</p>
      <${Signals} signals=${found.signals ?? {}} />`}
    ${passage?.lacks?.length > 0 && html`<p>It does not hold ${passage.lacks.map((w) => '“' + w + '”').join(', ')}.</p>`}
    ${search?.trace && html`<h3>Stages</h3><p class="faint">Where the ${search.took_ms.toFixed(1)} ms went, and how many passages went in and came out.</p><${Stages} trace=${search.trace} />`}
    ${fate?.stages && html`<h3>Document</h3><p>${fate.summary}</p>
      <ul class="plain">${fate.stages.map((s) => html`<li><span class=${'pill ' + (s.state === 'done' ? 'good' : s.state === 'failed' ? 'bad' : 'busy')}>${s.state}</span> ${s.stage}${s.chunks ? ` · ${several(s.chunks, 'passage')}` : ''}</li>`)}</ul>`}
    ${fate?.restricted && html`<h3>Seen by</h3><ul class="plain">
      <li>owners</li>${fate.seen?.map((g) => html`<li><span class=${'pill ' + (g.sees ? 'good' : 'bad')}>${g.sees ? 'sees it' : 'does not'}</span> ${g.group}
        <span class="faint"> ${g.rules.map((n) => `rules[${n}]`).join(', ')}${g.hidden === 'roles' ? ', but its roles are others' : g.hidden === 'source' ? ', but .freshetaccess does not' : ''}</span></li>`)}</ul>`}
    </div>
  </dialog>`;
}

const Bar = ({ part, kind }) => html`<span class="track" aria-hidden="true"><span class=${'bar ' + (kind ?? '')} style=${{ width: Math.max(1, Math.min(100, part * 100)) + '%' }}></span></span>`;

function Bars({ rows }) {
  if (!rows.length) return html`<p>None.</p>`;
  return html`<table class="bars"><tbody>${rows.map((r) => html`<tr><th scope="row">${r.name}</th><td><${Bar} part=${r.part} kind=${r.kind} /></td><td class="number">${r.text}</td></tr>`)}</tbody></table>`;
}

function Signals({ signals }) {
  const all = Object.entries(signals).sort((a, b) => b[1] - a[1]);
  const rows = all.filter(([, v]) => v !== 0 && v !== 1), idle = all.filter(([, v]) => v === 0 || v === 1);
  const most = Math.max(1, ...rows.map(([, v]) => Math.abs(v)));
  return html`<${Bars} rows=${rows.map(([name, v]) => ({ name, part: Math.abs(v) / most, kind: v < 1 ? 'less' : '', text: v.toFixed(3) }))} />
    ${idle.length > 0 && html`<p class="faint">These changed nothing: ${idle.map(([name]) => name).join(', ')}.</p>`}`;
}

function Stages({ trace }) {
  const most = Math.max(0.001, ...trace.map((s) => s.ms));
  return html`<${Bars} rows=${trace.map((s) => ({ name: s.stage, part: s.ms / most, text: `${s.ms.toFixed(2)} ms${s.in || s.out ? `, ${s.in} → ${s.out}` : ''}` }))} />`;
}
