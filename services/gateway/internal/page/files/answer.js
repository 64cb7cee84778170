import { html, useState, useEffect } from './vendor/preact-htm.js';
import { parts, several, count, advice } from './api.js';
import { Path } from './search.js';
import { to } from './app.js';

const why = { no_citation: 'It names no passage', no_passage: 'It names a passage that there is not', not_in_passage: 'The passages that it names do not say it' };

// Answer is what a model says to a question, sentence by sentence as each was held
// against its passages. Escape ends it, and the model is told.
export function Answer({ asked, model }) {
  const [got, setGot] = useState({ sources: [], sentences: [] });
  useEffect(() => {
    const stop = new AbortController();
    const add = (change) => setGot((g) => ({ ...g, ...change(g) }));
    setGot({ sources: [], sentences: [] });
    (async () => {
      try {
        for await (const p of parts('answer', asked, stop.signal)) {
          if (stop.signal.aborted) return;
          add((g) => p.sources ? { sources: p.sources } : p.sentence ? { sentences: [...g.sentences, p.sentence] } : { summary: p.summary });
        }
      } catch (e) {
        if (!stop.signal.aborted) add(() => ({ error: e }));
      }
      add((g) => ({ ended: !stop.signal.aborted || g.ended }));
    })();
    const typed = (e) => {
      if (e.key !== 'Escape' || stop.signal.aborted) return;
      e.preventDefault();
      stop.abort();
      add((g) => g.ended ? {} : { ended: true, stopped: true });
    };
    addEventListener('keydown', typed);
    return () => { removeEventListener('keydown', typed); stop.abort(); };
  }, [asked]);

  const { sources, sentences, summary, error, ended, stopped } = got;
  const link = (n) => {
    const s = sources.find((s) => s.n === n);
    return s && to('read', { source: s.source, path: s.path, line: s.start_line, from: s.start_line, to: s.end_line, q: asked.query });
  };
  const cited = new Set(sentences.flatMap((s) => s.cites ?? []));
  const phase = stopped ? 'Stopped.' : error ? '' : !ended ? (sources.length ? `${model} answers …` : 'Looking for passages …')
    : summary?.outcome === 'refused' ? 'Nothing relevant was found, so no model was asked to answer.'
    : summary?.outcome === 'unknown' ? `The passages do not say, says ${summary.model}.`
    : summary?.unsupported ? `${several(summary.unsupported, 'sentence')} of ${count(summary.sentences)} ${summary.unsupported === 1 ? 'is' : 'are'} not in the passages that ${summary.unsupported === 1 ? 'it names' : 'they name'}.` : 'Each sentence is in the passages that it names.';
  return html`<section class="answer" aria-label="Answer" aria-busy=${!ended} data-ended=${ended ? summary?.outcome ?? 'stopped' : undefined}>
    <p class=${summary?.unsupported || summary?.outcome === 'refused' ? 'unsure' : 'faint'}><span role="status">${phase}</span>${!ended && html` <kbd>Esc</kbd> stops.`}</p>
    ${error && html`<p class="notice bad" role="alert">${error.message}${advice(error.actions) && html`: ${advice(error.actions)}`}</p>`}
    ${summary?.plan?.wordings && html`<p class="faint">Searched as well: ${summary.plan.wordings.join('; ')}</p>`}
    ${summary?.degraded?.map((d) => html`<p class="notice bad">${d}</p>`)}
    ${summary?.cut && html`<p class="notice">The model may write no more than this.</p>`}
    ${sentences.length > 0 && html`<div class="said">${sentences.map((s) => html`<${Sentence} s=${s} link=${link} />`)}</div>`}
    ${sources.length > 0 && html`<h2>Passages</h2><ol class="plain sources">${sources.map((s) => html`<li class=${cited.has(s.n) ? '' : 'faint'}>
      [${s.n}] <a class="place" href=${link(s.n)}><${Path} path=${s.path} /><span class="line">:${s.start_line}</span></a> <span class="faint">${s.source}</span></li>`)}</ol>`}
    ${summary?.usage && html`<p class="faint">${several(summary.usage.in, 'token')} read, ${count(summary.usage.out)} written${summary.usage.cost !== undefined ? `, cost ${summary.usage.cost.toPrecision(3)}` : ''}</p>`}
  </section>`;
}

// A sentence with its citations as links to the reader.
function Sentence({ s, link }) {
  const body = s.text.trimEnd();
  const pieces = body.split(/\[(\d+(?:\s*,\s*\d+)*)\]/).flatMap((piece, i) => i % 2 === 0 ? piece : piece.split(',').map((n) => link(+n)
    ? html`<a class="cite" href=${link(+n)} aria-label=${'passage ' + +n}>[${+n}]</a>` : `[${n.trim()}]`));
  return html`<span class=${s.supported ? '' : 'unsaid'}>${pieces}${!s.supported && html` <span class="pill warn">${why[s.why] ?? 'Not supported'}</span>`}</span>${s.text.slice(body.length)}`;
}
