import { html, useState, useEffect, useRef } from './vendor/preact-htm.js';
import { post, parts, follow, shown, several, count, size, ago, advice } from './api.js';
import { to, waiting } from './app.js';

export function Pipeline({ who, status }) {
  if (!status) return html`<h1>Pipeline</h1><p aria-busy="true">One moment …</p>`;
  return html`<div class="pipeline">
    <h1>Pipeline</h1>
    <${Flow} status=${status} />
    ${status.degraded?.map((d) => html`<p class="notice bad">${d}${advice(status.actions?.filter((a) => a.about === d)) && html`: ${advice(status.actions.filter((a) => a.about === d))}`}</p>`)}
    <div class="columns">
      <section><${Changes} /></section>
      <section>
        ${who.role === 'admin' && html`<${Letters} failed=${status.failed?.length ?? 0} />`}
        ${who.role === 'admin' && html`<${Verify} last=${status.verify} />`}
        <${Log} status=${status} />
      </section>
    </div>
  </div>`;
}

const stages = [
  { name: 'watcher', title: 'Watcher', says: 'reads what changes' },
  { name: 'chunker', title: 'Chunker', says: 'cuts passages', stage: 'chunker' },
  { name: 'embedder', title: 'Embedder', says: 'makes vectors', stage: 'embedder' },
  { name: 'lexical', title: 'Words', says: 'lexical index', stage: 'indexer-lexical', of: 'lexical' },
  { name: 'vector', title: 'Meaning', says: 'vector index', stage: 'indexer-vector', of: 'vector' },
];

// The backlog of each stage, now and over the last minute.
function Flow({ status }) {
  const past = useRef({});
  for (const s of stages) {
    const list = past.current[s.name] ??= [];
    const n = s.stage ? status.pending?.[s.stage] ?? 0 : status.sources.some((x) => x.scanning) ? 1 : 0;
    if (list.at(-1)?.of !== status) list.push({ of: status, n });
    if (list.length > 60) list.shift();
  }
  return html`<ol class="flow" aria-label="Stages">${stages.map((s) => {
    const list = past.current[s.name], n = list.at(-1).n, most = Math.max(1, ...list.map((p) => p.n));
    const held = status.reports?.flatMap((r) => r.stores ?? []).filter((st) => st.sink === s.of).reduce((sum, st) => sum + st.chunks, 0);
    const points = list.map((p, i) => `${100 - list.length + i + 1},${24 - 22 * p.n / most}`).join(' ');
    return html`<li class=${'stage ' + s.name + (n ? ' busy' : '')}>
      <h2>${s.title}</h2><p class="faint">${s.says}</p>
      <p class="backlog">${s.stage ? html`<strong>${count(n)}</strong> waiting` : status.sources.some((x) => x.scanning) ? 'comparing' : html`<strong>${count(status.documents)}</strong> documents`}</p>
      ${held > 0 && html`<p class="faint">${several(held, 'passage')}</p>`}
      ${list.some((p) => p.n) && html`<svg viewBox="0 0 100 25" preserveAspectRatio="none" aria-hidden="true"><polyline points=${points} /></svg>`}
    </li>`;
  })}</ol>`;
}

function Changes() {
  const [list, setList] = useState([]);
  useEffect(() => follow('changes', (c) => setList((l) => [c, ...l].slice(0, 60))), []);
  return html`<h2>Changes</h2>
    ${!list.length && html`<p class="faint">Quiet. Save a file in a source to see it go by.</p>`}
    <ol class="plain changes">${list.map((c) => html`<li key=${c.source + c.view + c.path + c.version}>
      <span class="faint">${new Date(c.time).toLocaleTimeString()}</span> <span class=${'pill ' + (c.op === 'put' ? 'good' : c.op === 'delete' ? 'off' : 'busy')}>${c.path ? c.op : 'compared'}</span>
      ${c.path && c.op === 'put' ? html`<a href=${to('read', { source: c.source, path: c.path })}>${c.source}:${shown(c.path)}</a>` : html`${c.source}${c.path ? ':' + shown(c.path) : ''}`}
      ${c.reason && html` <span class="faint">${c.reason}</span>`}</li>`)}</ol>`;
}

function Letters({ failed }) {
  const [reply, setReply] = useState(null);
  const [said, setSaid] = useState('');
  const load = () => post('letters/list', { limit: 100 }).then(setReply, (e) => setSaid(e.message));
  useEffect(() => { load(); }, [failed]);
  const act = (verb, l, done) => post('letters/' + verb, { filter: { sources: [l.source], paths: [shown(l.path)], stages: [l.stage] } }).then(() => { setSaid(`${shown(l.path)}: ${done}.`); load(); }, (e) => setSaid(e.message));
  return html`<h2>Documents that failed</h2>
    <p role="status">${said}</p>
    ${reply && !reply.letters.length && html`<p class="faint">None.</p>`}
    <ul class="plain letters">${reply?.letters.map((l) => html`<li>
      <p><strong>${l.source}:${shown(l.path)}</strong> <span class="pill bad">${l.stage}</span></p>
      <p>${l.reason}</p><p class="faint">${several(l.attempts, 'attempt')}${l.failed_at ? `, the last ${ago(l.failed_at)}` : ''}${l.state && l.state !== 'dead' ? ` · ${l.state}` : ''}</p>
      <p class="tools"><button type="button" onClick=${() => act('retry', l, 'handled again')} aria-label=${'Retry ' + shown(l.path)}>Retry</button>
      <button type="button" onClick=${() => act('drop', l, 'left as it is')} aria-label=${'Dismiss ' + shown(l.path)}>Dismiss</button></p></li>`)}</ul>`;
}

function Verify({ last }) {
  const [run, setRun] = useState(null);
  const start = async (repair) => {
    const found = [];
    setRun({ doing: 'Begins …', found, busy: true });
    try {
      for await (const part of parts('verify', { repair })) {
        if (part.difference) found.push(part.difference);
        if (part.progress) setRun({ doing: `Compares ${part.progress.doing}: ${count(part.progress.done)}${part.progress.total ? ' of ' + count(part.progress.total) : ''}`, found: [...found], busy: true });
        if (part.summary) setRun({ summary: part.summary, found: [...found] });
      }
    } catch (e) { setRun({ error: e, found }); }
  };
  const s = run?.summary;
  return html`<h2>Completeness</h2>
    <p class="faint">Compares sources, log and indexes one by one${last?.ended ? `; last ${ago(last.ended)}` : ''}.</p>
    <p class="tools"><button type="button" disabled=${run?.busy} onClick=${() => start(false)}>Compare now</button>
      ${s && run.found.length > 0 && html`<button type="button" onClick=${() => start(true)}>Repair ${several(run.found.length, 'difference')}</button>`}</p>
    <p role="status">${run?.error ? run.error.message : run?.doing ?? (s ? (run.found.length ? several(run.found.length, 'difference') : 'Nothing is missing, nothing is left over.') : '')}</p>
    <ul class="plain">${run?.found.slice(0, 50).map((d) => html`<li><span class="pill bad">${d.what}</span> ${d.detail}</li>`)}</ul>`;
}

function Log({ status }) {
  return html`<h2>Log</h2>
    <table class="numbers"><thead><tr><th scope="col">Stream</th><th scope="col">Messages</th><th scope="col">Size</th></tr></thead>
    <tbody>${Object.entries(status.streams ?? {}).map(([name, s]) => html`<tr><th scope="row">${name}</th><td>${count(s.messages)}</td><td>${size(s.bytes)}</td></tr>`)}</tbody></table>
    <h2>Processes</h2>
    <ul class="plain">${status.reports?.map((r) => html`<li><strong>${r.service}</strong> <span class="faint">since ${ago(r.started).replace(' ago', '')}${r.memory ? ` · ${size(r.memory)}` : ''}</span>${r.degraded?.map((d) => html`<p class="notice bad">${d}</p>`)}</li>`)}</ul>
    <p class="faint">Version ${status.version}, token ${status.token}</p>`;
}
