import { html, useState, useEffect, useRef } from './vendor/preact-htm.js';
import { get, post, remove, parts, shown, several, ago, advice } from './api.js';
import { to } from './app.js';
import { Path } from './search.js';

// A way to ask as a person types it: KEY=VALUE is a weight, a word alone a stage that is
// left out, and min_confidence the threshold.
export function wayOf(text) {
  const arm = { name: text.trim().slice(0, 64) };
  for (const item of text.split(/[\s,]+/).filter(Boolean)) {
    const [key, value] = item.split('=');
    if (value === undefined) (arm.off ??= []).push(key);
    else if (key === 'min_confidence') arm.min_confidence = Number(value);
    else (arm.ranking ??= {})[key] = value;
  }
  return arm;
}

// worded is the way as a person types it.
const worded = (arm) => [...Object.entries(arm.ranking ?? {}).map(([k, v]) => `${k}=${v}`), ...(arm.min_confidence ? [`min_confidence=${arm.min_confidence}`] : [])].join(', ');

// holds reports whether a way can be kept: weights and a threshold, and no stage left out.
const holds = (arm) => !arm.off?.length && worded(arm) !== '';

const told = (e) => e.message + (advice(e.actions) ? ': ' + advice(e.actions) : '');

export function Quality({ who, status }) {
  const [list, setList] = useState(null);
  const [runs, setRuns] = useState(null);
  const [way, setWay] = useState('');
  const [said, setSaid] = useState(null);
  const [kept, setKept] = useState(undefined);
  const may = who.role === 'write' || who.role === 'admin';
  const bad = (e) => setSaid({ bad: true, text: told(e) });
  const look = () => post('evaluations', {}).then((r) => setRuns(r.evaluations), bad);
  useEffect(() => { get('golden').then((l) => setList(l.questions), bad); look(); }, []);
  const change = (ask, text) => ask.then((l) => { setList(l.questions); setSaid({ text }); }, bad);
  const hold = who.role === 'admin' && ((body, text) => post('ranking', body).then((r) => { setKept(r.kept ?? null); setSaid({ text }); }, bad));
  const now = kept === undefined ? status?.kept_ranking : kept;
  return html`<div class="quality">
    <h1>Quality</h1>
    <p class="faint">Questions whose answers you know, asked as it is configured, and in another way before that is.</p>
    <p class=${said?.bad ? 'notice bad' : said ? 'notice' : ''} role="status">${said?.text}</p>
    <form class="add" onSubmit=${(e) => e.preventDefault()}><label>Another way to ask
      <input value=${way} onInput=${(e) => setWay(e.target.value)} placeholder="vector_natural=0.3, or a stage to leave out: vector" autocapitalize="off" spellcheck=${false} /></label></form>
    ${now && html`<p class="kept">Kept for every answer: <code>${worded(now)}</code> <span class="faint">${ago(now.time)}${now.by ? ` by ${now.by}` : ''}${now.note ? `: ${now.note}` : ''}</span>
      ${now.trouble && html` <span class="notice bad">Not used: ${now.trouble}</span>`}
      ${hold && html` <button type="button" class="small" onClick=${() => hold({ remove: true }, 'Taken back: answers are ordered as it is configured.')}>Take back</button>`}</p>`}
    <${Compare} way=${way} status=${status} may=${may} keep=${(q) => change(post('golden', q), `Kept: ${q.query}`)} />
    <${Questions} list=${list} may=${may} runs=${runs} status=${status} change=${change} />
    ${may && html`<${Run} way=${way} questions=${list} done=${look} />`}
    <${Runs} runs=${runs} list=${list} may=${may} hold=${hold} gone=${(id) => remove('evaluations/' + id).then((r) => setRuns(r.evaluations), bad)} />
  </div>`;
}

const HITS = 10;
const placeOf = (h) => `${h.source}:${h.path}:${h.start_line}`;

// Compare asks the same question in both ways, and shows the hits beside each other.
function Compare({ way, status, may, keep }) {
  const [query, setQuery] = useState('');
  const [both, setBoth] = useState(null);
  const [error, setError] = useState(null);
  const last = useRef(null);
  const ask = async (e) => {
    e.preventDefault();
    last.current?.abort();
    if (!query.trim()) return;
    const stop = last.current = new AbortController();
    const { name, ...other } = wayOf(way);
    try {
      const [a, b] = await Promise.all([{}, other].map((more) => post('search', { query, k: HITS, text: 'none', ...more }, stop.signal)));
      setError(null);
      setBoth({ query, name: name || 'the same', of: [a, b] });
    } catch (err) { if (err.name !== 'AbortError') { setError(err); setBoth(null); } }
  };
  return html`<section aria-label="Compare"><h2>One question, both ways</h2>
    <form class="add" onSubmit=${ask}><label>Question <input value=${query} onInput=${(e) => setQuery(e.target.value)} autocapitalize="off" /></label><button>Compare</button></form>
    ${error && html`<p class="notice bad" role="alert">${told(error)}</p>`}
    ${both && html`<div class="columns both" data-for=${both.query}>${both.of.map((r, i) => html`<section aria-label=${i ? both.name : 'as configured'}>
      <h3>${i ? both.name : 'as configured'}</h3>
      ${!r.hits.length && html`<p class="faint">Nothing is listed.</p>`}
      <ol class="ranks">${r.hits.map((h) => {
        const there = both.of[1 - i].hits.findIndex((o) => placeOf(o) === placeOf(h)), here = r.hits.indexOf(h);
        return html`<li><a href=${to('read', { source: h.source, path: h.path, line: h.line || h.start_line, from: h.start_line, to: h.end_line })}><${Path} path=${h.path} /><span class="faint">:${h.line || h.start_line}</span></a>
          ${there !== here && html` <span class=${'pill ' + (there < 0 ? 'busy' : here < there ? 'good' : 'off')}>${there < 0 ? 'here alone' : here < there ? `up ${there - here}` : `down ${here - there}`}</span>`}
          ${may && html` <button type="button" class="small" aria-label=${`Answers it: ${shown(h.path)}:${h.start_line}`} onClick=${() => keep({ source: h.source, query: both.query, answers: [{ path: h.path, start_line: h.start_line, end_line: h.end_line }] })}>Answers it</button>`}</li>`;
      })}</ol></section>`)}</div>`}
  </section>`;
}

// answerOf reads PATH, PATH:LINE and PATH:FROM-TO.
function answerOf(text) {
  const [, path, from, end] = /^(.*?)(?::(\d+)(?:-(\d+))?)?$/.exec(text.trim());
  return { path: path.replace(/[%\x00-\x1f\x7f]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')), ...(from && { start_line: Number(from), end_line: Number(end ?? from) }) };
}

function Questions({ list, may, runs, status, change }) {
  const sources = (status?.sources ?? []).filter((s) => s.watched || s.kind === 'api');
  const [source, setSource] = useState('');
  const [query, setQuery] = useState('');
  const [answers, setAnswers] = useState('');
  const [ranks, setRanks] = useState({});
  const newest = runs?.[0]?.id;
  useEffect(() => {
    if (newest) post('evaluations', { id: newest }).then((r) => setRanks(Object.fromEntries(r.evaluations[0].questions.map((q) => [q.source + ':' + q.id, q.ranks]))), () => setRanks({}));
  }, [newest]);
  const add = (e) => {
    e.preventDefault();
    const of = source || sources[0]?.source;
    if (!query.trim() || !of) return;
    change(post('golden', { source: of, query: query.trim(), answers: answers.split(/[\s,]+/).filter(Boolean).map(answerOf) }), `Kept: ${query.trim()}`);
    setQuery(''); setAnswers('');
  };
  return html`<section aria-label="Golden questions"><h2>Golden questions</h2>
    ${may && html`<form class="add" onSubmit=${add}>
      <label>Source <select value=${source || sources[0]?.source} onChange=${(e) => setSource(e.target.value)}>${sources.map((s) => html`<option value=${s.source}>${s.source}</option>`)}</select></label>
      <label>Golden question <input value=${query} onInput=${(e) => setQuery(e.target.value)} autocapitalize="off" /></label>
      <label>Answered by <input value=${answers} onInput=${(e) => setAnswers(e.target.value)} placeholder="pkg/retry.go:12-30; empty: nothing does" autocapitalize="off" spellcheck=${false} /></label>
      <button>Add</button></form>`}
    ${list && !list.length && html`<p class="faint">None is kept yet.</p>`}
    ${list?.length > 0 && html`<table class="numbers golden"><thead><tr><th scope="col">Question</th><th scope="col">Answered by</th><th scope="col">Rank</th>${may && html`<th scope="col"><span class="hidden">Remove</span></th>`}</tr></thead>
      <tbody>${list.map((q) => html`<tr key=${q.source + q.id}><th scope="row">${q.query} <span class="faint">${q.source}</span></th>
        <td>${q.answers?.length ? q.answers.map((a) => html`<div>${shown(a.path)}${a.start_line ? ':' + a.start_line : ''}</div>`) : html`<span class="faint">nothing</span>`}</td>
        <td>${(ranks[q.source + ':' + q.id] ?? []).map((r, i) => html`${i > 0 && ' → '}<span class=${r === 1 ? 'right' : r ? '' : 'wrong'}>${q.answers?.length ? r || '–' : r ? 'refused' : 'answered'}</span>`)}</td>
        ${may && html`<td><button type="button" class="small" aria-label=${'Remove the question ' + q.query} onClick=${() => change(remove(`golden/${q.source}/${q.id}`), `Removed: ${q.query}`)}>Remove</button></td>`}</tr>`)}</tbody></table>`}
  </section>`;
}

function Run({ way, questions, done }) {
  const [run, setRun] = useState(null);
  const [note, setNote] = useState('');
  const start = async (e) => {
    e.preventDefault();
    setRun({ busy: true, text: 'Begins …' });
    try {
      for await (const p of parts('evaluate', { note, arms: way.trim() ? [wayOf(way)] : [] })) {
        if (p.evaluation) setRun({ found: p.evaluation });
        else setRun({ busy: true, text: `${p.done} of ${p.total} questions`, done: p.done, total: p.total });
      }
      done();
    } catch (err) { setRun({ error: err }); }
  };
  const text = run?.error ? told(run.error) : run?.text ?? (run?.found ? 'Done.' : '');
  return html`<section aria-label="Run"><h2>Run</h2>
    <form class="add" onSubmit=${start}><label>Note <input value=${note} maxlength="256" onInput=${(e) => setNote(e.target.value)} placeholder="what it is about" /></label>
      <button disabled=${run?.busy || !questions?.length}>Ask ${several(questions?.length ?? 0, 'question')}${way.trim() ? ' both ways' : ''}</button></form>
    ${run?.total > 0 && html`<progress aria-label="Evaluating" max=${run.total} value=${run.done}></progress>`}
    <p role="status" class=${run?.error ? 'notice bad' : ''}>${text}</p></section>`;
}

const measures = [['ndcg@10_files', 'NDCG@10'], ['mrr', 'MRR'], ['hit@1', 'first'], ['hit@10', 'among ten']];
const figure = (x) => x.toFixed(3).replace(/^(-?)0\./, '$1.');

function Runs({ runs, may, hold, gone }) {
  const [open, setOpen] = useState(null);
  if (!runs?.length) return html`<section aria-label="Runs"><h2>Runs</h2><p class="faint">None yet.</p></section>`;
  const one = runs.find((r) => r.id === open) ?? runs[0];
  return html`<section aria-label="Runs"><h2>Runs</h2>
    <${Plot} runs=${runs} />
    <div class="wide" tabindex="0" role="group" aria-label="Figures of the run"><table class="numbers run" data-run=${one.id}><caption>${new Date(one.time).toLocaleString()}${one.note ? ` · ${one.note}` : ''} · ${several(one.answerable, 'question')} with an answer, ${one.unanswerable} without</caption>
      <thead><tr><th scope="col">Way</th>${measures.map(([, t]) => html`<th scope="col">${t}</th>`)}<th scope="col">refused</th><th scope="col">p50</th></tr></thead>
      <tbody>${one.arms.map((a) => html`<tr><th scope="row">${a.arm.name}</th>
        ${measures.map(([m]) => { const f = a.figures[m], d = f.against; return html`<td>${figure(f.value)}${d ? html`<div class=${d.p < .05 ? d.value > 0 ? 'right' : 'wrong' : 'faint'}>${d.value >= 0 ? '+' : ''}${figure(d.value)}, p ${d.p.toFixed(2)}</div>` : html`<div class="faint">${figure(f.low)} to ${figure(f.high)}</div>`}</td>`; })}
        <td>${a.refused} of ${one.unanswerable}</td><td>${a.p50_ms.toFixed(1)} ms</td></tr>`)}</tbody></table></div>
    ${hold && one.arms.slice(1).map(({ arm }) => holds(arm) && html`<p><button type="button" class="small" aria-label=${`Keep ${worded(arm)} for every answer`}
      onClick=${() => hold({ ranking: arm.ranking, min_confidence: arm.min_confidence, note: one.note }, `Kept for every answer: ${worded(arm)}`)}>Keep <code>${worded(arm)}</code> for every answer</button></p>`)}
    <ul class="plain runs">${runs.map((r) => html`<li><button type="button" class="small" aria-pressed=${r.id === one.id} onClick=${() => setOpen(r.id)}>${ago(r.time)}${r.note ? ': ' + r.note : ''}</button>
      <span class="faint"> MRR ${figure(r.arms[0].figures.mrr.value)}${r.arms.length > 1 ? `, ${r.arms.slice(1).map((a) => `${a.arm.name} ${figure(a.figures.mrr.value)}`).join(', ')}` : ''}</span>
      ${may && html` <button type="button" class="small" aria-label=${'Remove the run of ' + new Date(r.time).toLocaleString()} onClick=${() => gone(r.id)}>Remove</button>`}</li>`)}</ul>
  </section>`;
}

// Plot draws a measure of all runs as they are configured, oldest first, with intervals.
function Plot({ runs }) {
  const list = [...runs].reverse(), w = 600, h = 160, left = 34;
  if (list.length < 2) return '';
  const x = (i) => left + 8 + (w - left - 16) * i / (list.length - 1), y = (v) => h - 18 - (h - 28) * v;
  const of = list.map((r) => r.arms[0].figures.mrr);
  const line = of.map((f, i) => `${x(i)},${y(f.value)}`).join(' ');
  const band = [...of.map((f, i) => `${x(i)},${y(f.high)}`), ...of.map((f, i) => `${x(i)},${y(f.low)}`).reverse()].join(' ');
  return html`<figure class="plot"><svg viewBox=${`0 0 ${w} ${h}`} role="img" aria-label=${`MRR as configured, ${several(list.length, 'run')}: from ${figure(of[0].value)} to ${figure(of.at(-1).value)}`}>
    ${[0, .5, 1].map((v) => html`<g><line x1=${left} x2=${w} y1=${y(v)} y2=${y(v)} /><text x=${left - 6} y=${y(v) + 4} text-anchor="end">${v}</text></g>`)}
    <polygon points=${band} /><polyline points=${line} />
    ${of.map((f, i) => html`<circle cx=${x(i)} cy=${y(f.value)} r="3.5"><title>${new Date(list[i].time).toLocaleString()}: ${figure(f.value)}${list[i].note ? ', ' + list[i].note : ''}</title></circle>`)}
  </svg><figcaption class="faint">MRR as configured, run by run, with its 95 % interval</figcaption></figure>`;
}
