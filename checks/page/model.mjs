// A language model for the check of the page: it speaks OpenAI's /chat/completions,
// says a line of the first passage, then something that no passage says, and to a
// question with "slowly" in it nothing more after its first sentence. It prints its
// address, and then a line for each client that has left before the end.
import { createServer } from 'node:http';

const server = createServer(async (request, answer) => {
  let body = '';
  for await (const piece of request) body += piece;
  const asked = JSON.parse(body).messages.at(-1).content;
  const [, passage] = asked.match(/<memory id="1"[^>]*>\n([\s\S]*?)\n<\/memory>/) ?? [];
  const line = passage?.split('\n').map((l) => l.replace(/^[\s/#*]+/, '').trim()).filter((l) => /^[\w ,]{24,}[.]?$/.test(l))[0] ?? passage?.split('\n')[0] ?? '';
  let ended = false;
  answer.on('close', () => { if (!ended) console.log('left'); });
  answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const say = (text) => answer.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`);
  say(`${line.replace(/\.$/, '')} [1].\n`);
  if (/slowly/.test(asked.split('Question: ').at(-1))) { say('The moon'); return; } // until the client leaves
  say('The moon has 42 cellars [1].\n');
  answer.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`);
  answer.write('data: [DONE]\n\n');
  ended = true;
  answer.end();
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
