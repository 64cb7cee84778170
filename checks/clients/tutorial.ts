// The tutorial, with a client that openapi-typescript made of the gateway's description:
// node tutorial.js URL TOKEN FOLDER
import assert from 'node:assert/strict';
import { appendFileSync, rmSync } from 'node:fs';
import { argv } from 'node:process';
import createClient from 'openapi-fetch';
import type { components, paths } from './freshet.js';

const [, , baseUrl, token, garden] = argv as [string, string, string, string, string];
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

type Hit = components['schemas']['defs.hit'];

const first = async (query: string, more: { token?: string; filter?: { languages: string[] } } = {}): Promise<Hit | undefined> => {
  const { data, error } = await api.POST('/api/v1/search', { body: { query, k: 1, ...more } });
  assert.ok(data, `${query}: ${error?.error.message}`);
  return data.hits[0];
};

const covering = async (path: string): Promise<string> => {
  const { data, error } = await api.POST('/api/v1/token', { body: { paths: [path] } });
  assert.ok(data, error?.error.message);
  return data.token;
};

const { data: status } = await api.GET('/api/v1/status');
assert.ok(status?.ready);
assert.equal(status.documents, 2);
assert.equal(status.sources[0]?.source, 'garden');
assert.ok(Object.keys(status.skipped ?? {}).some((reason) => reason.startsWith('secret')), 'the status says why .env is left out');

let hit = await first('how much water after rain');
assert.deepEqual([hit?.path, hit?.symbol, hit?.line], ['beds.py', 'water_need', 4]);
hit = await first('when do I turn the heap');
assert.deepEqual([hit?.path, hit?.headings?.at(-1)], ['notes/compost.md', 'Turning']);
hit = await first('ripe compost', { filter: { languages: ['markdown'] } });
assert.equal(hit?.path, 'notes/compost.md');

appendFileSync(`${garden}/notes/compost.md`, '\n## Worms\n\nWorms come by themselves. Do not buy any.\n');
hit = await first('should I buy worms', { token: await covering(`${garden}/notes/compost.md`) });
assert.deepEqual([hit?.path, hit?.headings?.at(-1)], ['notes/compost.md', 'Worms']);

const { data: found } = await api.POST('/api/v1/grep', { body: { pattern: 'def \\w+' } });
assert.deepEqual(found?.files?.map((f) => [f.path, f.lines?.length]), [['beds.py', 3]]);

rmSync(`${garden}/notes/compost.md`);
assert.equal(await first('should I buy worms', { filter: { languages: ['markdown'] }, token: await covering(garden) }), undefined);

const { error, response } = await api.POST('/api/v1/grep', { body: { pattern: '(' } });
assert.equal(error?.error.kind, 'invalid_request');
assert.equal(response.status, 400);
console.log('TypeScript: the tutorial, types checked');
