// Drives the gateway's server for agents with the official SDK: node http.mjs URL TOKEN.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [url, token] = process.argv.slice(2)
const connect = async (headers) => {
  const client = new Client({ name: 'check', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}
await assert.rejects(connect({}), 'nobody is let in without a token')
const client = await connect({ Authorization: `Bearer ${token}` })
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args })
  return { text: result.content.map((c) => c.text).join(''), ...result }
}
const wants = [
  ['search', { query: 'ParseHeron', limit: 1 }, /^project:parse\.go:4 ParseHeron/],
  ['grep', { pattern: 'reeds\\.$' }, /3\| A heron stands in the reeds\./],
  ['read', { path: 'project:parse.go:4-4' }, /^4\| func ParseHeron/m],
  ['outline', { path: 'project:parse.go' }, /ParseHeron function/],
  ['related', { path: 'project:parse.go:4' }, /ParseHeron \(lines/],
  ['status', {}, /^ready: 2 documents/],
]
for (const [name, args, want] of wants) {
  const got = await call(name, args)
  assert.match(got.text, want)
  assert.ok(!got.isError && got.structuredContent.token, name) // the SDK holds it against the output schema
}
const wrong = await call('read', { path: 'project:prase.go' })
assert.ok(wrong.isError)
await client.close()
console.log(`TypeScript SDK over HTTP: ${wants.length} tools, an error, and nobody without a token`)
