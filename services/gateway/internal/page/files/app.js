import { html, render, useState, useEffect } from './vendor/preact-htm.js';
import { get, follow, several, count } from './api.js';
import { Search } from './search.js';
import { Reader } from './reader.js';
import { Sources } from './sources.js';
import { Pipeline } from './pipeline.js';
import { Quality } from './quality.js';

// A place of the page is what stands behind the #: a view and its parameters.
export function place() {
  const [view, query] = location.hash.replace(/^#\/?/, '').split('?');
  return { view: view || 'search', with: new URLSearchParams(query ?? '') };
}
export const to = (view, params = {}) => {
  const kept = Object.entries(params).filter(([, v]) => v !== '' && v !== undefined && v !== false && v !== null);
  const query = new URLSearchParams(kept).toString();
  return '#/' + view + (query ? '?' + query : '');
};

function useStatus(let_in) {
  const [status, setStatus] = useState(null);
  const [trouble, setTrouble] = useState(null);
  useEffect(() => let_in ? follow('status', (s) => { setStatus(s); setTrouble(null); }, setTrouble) : undefined, [let_in]);
  return [status, trouble];
}

// waiting is how many documents have not come through yet.
export const waiting = (status) => Math.max(0, ...Object.values(status?.pending ?? {}));

function State({ status, trouble }) {
  let kind = 'busy', text = 'connecting';
  if (trouble) [kind, text] = ['bad', 'no connection'];
  else if (status) {
    const n = waiting(status);
    if (status.degraded?.length || status.failed?.length) [kind, text] = ['warn', status.degraded?.length ? 'degraded' : several(status.failed.length, 'failed document')];
    else if (n) text = several(n, 'document') + ' on the way';
    else if (status.ready) [kind, text] = ['good', several(status.documents, 'document') + ' searchable'];
    else text = 'starting';
  }
  return html`<a class=${'state ' + kind} href=${to('pipeline')}><span class="dot" aria-hidden="true"></span><span role="status">${text}</span></a>`;
}

const views = [['search', 'Search', 's'], ['sources', 'Sources', 'o'], ['pipeline', 'Pipeline', 'p'], ['quality', 'Quality', 'q']];

function App() {
  const [at, setAt] = useState(place());
  const [who, setWho] = useState(null);
  const [gone, setGone] = useState(null);
  const [status, trouble] = useStatus(!!who);
  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener('hashchange', moved);
    get('asker').then(setWho, setGone);
    return () => removeEventListener('hashchange', moved);
  }, []);
  useEffect(() => {
    const typed = (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input,textarea,select,[contenteditable]')) return;
      if (e.key === '/') { e.preventDefault(); place().view === 'search' ? document.getElementById('question')?.focus() : (location.hash = to('search')); }
      const found = views.find(([, , key]) => key === e.key);
      if (found) location.hash = to(found[0]);
    };
    addEventListener('keydown', typed);
    return () => removeEventListener('keydown', typed);
  }, []);
  if (gone || trouble?.status === 401) return html`<${Gate} error=${gone ?? trouble} />`;
  if (!who) return html`<main class="gate" aria-busy="true"><p>One moment …</p></main>`;
  const view = at.view === 'read' ? 'search' : at.view;
  return html`
    <a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById('main').focus(); }}>To the content</a>
    <header>
      <a class="brand" href=${to('search')}><img src="/icon.svg" alt="" width="26" height="26" />freshet</a>
      <nav aria-label="Views">${views.map(([name, title, key]) => html`<a href=${to(name)} aria-current=${view === name ? 'page' : undefined} aria-keyshortcuts=${key}>${title}</a>`)}</nav>
      <${State} status=${status} trouble=${trouble} />
    </header>
    <main id="main" tabindex="-1">
      ${at.view === 'read' ? html`<${Reader} key=${at.with.get('source') + ':' + at.with.get('path')} at=${at} />`
        : at.view === 'sources' ? html`<${Sources} who=${who} status=${status} />`
        : at.view === 'pipeline' ? html`<${Pipeline} who=${who} status=${status} />`
        : at.view === 'quality' ? html`<${Quality} who=${who} status=${status} />`
        : html`<${Search} at=${at} who=${who} status=${status} />`}
    </main>`;
}

function Gate({ error }) {
  return html`<main class="gate">
    <img src="/icon.svg" alt="" width="56" height="56" />
    ${error.status === 401 ? html`
      <h1>Open this page by a link</h1>
      <p>Everybody on this machine reaches this address, so the page opens by a link that works once. On the machine where freshet runs:</p>
      <pre>freshet open</pre>
      <p class="faint">It lasts until freshet is started again.</p>`
    : html`<h1>No answer</h1><p>${error.message}</p>`}
  </main>`;
}

document.body.textContent = '';
render(html`<${App} />`, document.body);
