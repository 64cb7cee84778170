// Requests to the interface. Who asks is known by a cookie, which scripts cannot
// read, and by the half of the session that is kept here.

const half = localStorage.getItem('freshet-page') ?? '';

export class Refusal extends Error {
  constructor(error, status) {
    super(error.message);
    this.kind = error.kind;
    this.actions = error.actions ?? [];
    this.status = status;
  }
}

async function send(method, path, body, signal) {
  const headers = { 'Freshet-Page': half };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch('/api/v1/' + path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Refusal({ kind: 'unavailable', message: 'freshet does not answer: is it still running?' }, 0);
  }
  if (answer.ok) return answer;
  let error = { kind: 'internal', message: 'The answer is not understood.' };
  try { error = (await answer.json()).error; } catch { /* it is no error of ours */ }
  throw new Refusal(error, answer.status);
}

export const get = async (path, signal) => (await send('GET', path, undefined, signal)).json();
export const post = async (path, body, signal) => (await send('POST', path, body, signal)).json();
export const remove = async (path) => (await send('DELETE', path)).json();

async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest) yield rest;
}

// parts asks for an answer in lines, and gives each.
export async function* parts(path, body, signal) {
  const answer = await send('POST', path, body, signal);
  for await (const line of linesOf(answer)) {
    const part = JSON.parse(line);
    if (part.error) throw new Refusal(part.error, 200);
    yield part;
  }
}

// follow tells events until stop is called, also over a connection that was lost.
export function follow(path, tell, trouble) {
  const stop = new AbortController();
  (async () => {
    for (let wait = 500; !stop.signal.aborted; wait = Math.min(wait * 2, 10000)) {
      try {
        const answer = await send('GET', 'events/' + path, undefined, stop.signal);
        for await (const line of linesOf(answer)) {
          if (line.startsWith('data: ')) { tell(JSON.parse(line.slice(6))); wait = 500; }
        }
        trouble?.(new Refusal({ kind: 'unavailable', message: 'freshet has stopped, or is starting again.' }, 0));
      } catch (e) {
        if (e.name === 'AbortError') return;
        trouble?.(e);
        if (e.status === 401) return;
      }
      await new Promise((next) => setTimeout(next, wait));
    }
  })();
  return () => stop.abort();
}

// What a person does on this page about an error.
const words = {
  login_show: (a) => `ask whoever runs freshet for a link with the role ${a.value}`,
  page_open: () => 'open the page by a new link',
  source_list: () => 'see Sources',
  source_add: () => 'add it under Sources',
  source_accept: () => 'accept it as it is under Sources',
  search_more: (a) => `ask for ${a.value} hits or more`,
  search_wait: () => 'ask again in a moment',
  status_show: () => 'see Pipeline',
  verify: () => 'compare everything under Pipeline',
  verify_repair: () => 'repair it under Pipeline',
  letter_retry: () => 'retry it under Pipeline when the cause is gone',
  letter_show: () => 'see it under Pipeline',
  raise_limit: (a) => `raise ${a.setting} in the configuration`,
};

export const advice = (actions) => (actions ?? []).map((a) => words[a.do]?.(a)).filter(Boolean).join(', or ');

// Paths come percent-encoded; what is no UTF-8 stays so.
export function shown(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// marked cuts a text into pieces, each with whether it matches; ranges are in bytes.
export function marked(text, ranges) {
  if (!ranges?.length) return [{ text }];
  const bytes = encoder.encode(text);
  const out = [];
  let at = 0;
  for (const { start, end } of ranges) {
    if (start < at || end > bytes.length) continue;
    if (start > at) out.push({ text: decoder.decode(bytes.subarray(at, start)) });
    out.push({ text: decoder.decode(bytes.subarray(start, end)), hit: true });
    at = end;
  }
  if (at < bytes.length) out.push({ text: decoder.decode(bytes.subarray(at)) });
  return out;
}

// inLines is marked, cut at line breaks.
export function inLines(text, ranges) {
  const lines = [[]];
  for (const piece of marked(text.replace(/\n$/, ''), ranges)) {
    piece.text.split('\n').forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines.at(-1).push({ text: part, hit: piece.hit });
    });
  }
  return lines;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];
export function size(n) {
  let i = 0;
  for (; n >= 1000 && i < units.length - 1; i++) n /= 1000;
  return (i && n < 10 ? n.toFixed(1) : Math.round(n)) + ' ' + units[i];
}
export const count = (n) => (n ?? 0).toLocaleString('en');
export const several = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;
export function ago(time) {
  const s = Math.max(0, (Date.now() - new Date(time)) / 1000);
  if (s < 60) return `${Math.floor(s)} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  return `${Math.floor(s / 86400)} d ago`;
}
