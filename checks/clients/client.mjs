// Drives the server for agents with the official SDK: node client.mjs SERVER DATA.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const [server, data] = process.argv.slice(2)
const client = new Client({ name: 'check', version: '1' })
await client.connect(new StdioClientTransport({ command: server, args: ['--data', data] }))
assert.match(client.getInstructions(), /search/)
const { tools } = await client.listTools()
assert.deepEqual(tools.map((t) => t.name).sort(), ['grep', 'outline', 'read', 'related', 'search', 'status'])

const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args })
  return { text: result.content.map((c) => c.text).join(''), ...result }
}
const wants = [
  ['search', { query: 'ParseHeron', limit: 1 }, /^parse\.go:4 ParseHeron/],
  ['grep', { pattern: 'reeds\\.$' }, /3\| A heron stands in the reeds\./],
  ['read', { path: 'parse.go:4-4' }, /^4\| func ParseHeron/m],
  ['outline', { path: 'parse.go' }, /ParseHeron function/],
  ['related', { path: 'parse.go:4' }, /ParseHeron \(lines/],
  ['status', {}, /^ready: 2 documents/],
]
for (const [name, args, want] of wants) {
  const got = await call(name, args)
  assert.match(got.text, want)
  assert.ok(!got.isError && got.structuredContent.token, name) // the SDK holds it against the output schema
}
const wrong = await call('read', { path: 'prase.go' })
assert.ok(wrong.isError)
assert.match(wrong.text, /did you mean parse\.go\?/)

const left = new AbortController()
const cancelled = client.callTool({ name: 'grep', arguments: { pattern: '.' } }, undefined, { signal: left.signal })
left.abort('left')
await assert.rejects(cancelled)
assert.match((await call('status', {})).text, /ready/)
await client.close()
console.log(`TypeScript SDK: ${wants.length} tools, an error and a cancellation`)
