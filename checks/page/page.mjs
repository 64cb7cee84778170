// Drives the page with a real browser: every view by keyboard, at the size of a
// desktop and of a phone, light and dark. Run by tools/page.sh.
import { chromium } from 'playwright-core';
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';

const [freshet, state, project, extra, model, images] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const link = () => execFileSync(freshet, ['open', '--print', '--data', state], { encoding: 'utf8' }).trim();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
let checked = 0;

async function visit(size, scheme) {
  const phone = size === 'phone';
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 860 }, deviceScaleFactor: phone ? 2 : 1,
    isMobile: phone, hasTouch: phone, colorScheme: scheme,
  });
  const page = await context.newPage();
  const wrong = [], hosts = new Set();
  let weight = 0;
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && wrong.push(m.text()));
  page.on('pageerror', (e) => wrong.push(String(e)));
  page.on('request', (r) => hosts.add(new URL(r.url()).host));
  page.on('response', async (r) => {
    const bytes = (await r.body().catch(() => '')).length;
    if (!new URL(r.url()).pathname.startsWith('/api/')) weight += bytes;
  });
  const key = (k) => page.keyboard.press(k);
  const focused = () => page.evaluate(() => { const e = document.activeElement; return e.id || e.getAttribute('aria-label') || e.textContent.trim(); });
  const tabTo = async (what) => {
    for (let i = 0; i < 120; i++) {
      if ((await focused()).match(what)) return;
      await key('Tab');
    }
    assert.fail(`${what} cannot be reached by Tab`);
  };
  const reach = async (what) => { await page.waitForSelector(what); };
  const sound = async (view) => {
    const found = await page.evaluate(async () => {
      const r = await globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] });
      return r.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join('; ')})`);
    });
    assert.deepEqual(found, [], `${view} at ${size}, ${scheme}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${view} is ${wide} pixels wider than a ${size}`);
    checked++;
  };
  const picture = async (name, fullPage = false) => {
    if (images) { mkdirSync(images, { recursive: true }); await page.screenshot({ path: `${images}/page-${name}.png`, fullPage }); }
  };
  const name = (view) => `${view}-${size}-${scheme}`;
  await context.addInitScript({ path: axe }); // which the policy of the page does not concern

  // The page without a session says how to get one.
  const first = link();
  await page.goto(new URL('/', first).href);
  await reach('.gate pre');
  await sound('gate');
  wrong.length = 0; // the browser tells the refusal of the first request

  await page.goto(first);
  await reach('#question');
  assert.equal(await focused(), 'question');
  assert.ok(weight <= 200_000, `the page has ${weight} bytes`);
  await reach('.welcome .big');
  await sound('welcome');

  // Search, explain, read, and back.
  const question = 'where are retries counted';
  await page.keyboard.type(question);
  await reach(`.results[data-for="${question}"] article mark`);
  await sound('search');
  await picture(name('search'));
  await key('ArrowDown');
  assert.match(await focused(), /:\d+$/);
  const hit = await focused();
  await key('e');
  await reach('.drawer .bars');
  await reach('.drawer .pill');
  await sound('explain');
  await picture(name('explain'));
  await key('Escape');
  await page.waitForSelector('.drawer', { state: 'detached' });
  assert.equal(await focused(), hit, 'the focus comes back');
  await key('Enter');
  await reach('.reader tr.best');
  assert.match(await focused(), /^line \d+$/);
  await page.waitForSelector('.outline li', { state: 'attached' });
  await sound('reader');
  await picture(name('reader'));
  await key('Escape');
  await reach('#question');
  assert.equal(await page.inputValue('#question'), question);

  // Lines, and text of a document that would like to be markup.
  await tabTo(/^Lines$/);
  await key('Enter');
  await key('Shift+Tab'); await key('Shift+Tab');
  assert.equal(await focused(), 'question');
  await key('Control+A');
  await page.keyboard.type('onerror=');
  await reach('.results[data-for="onerror="] mark');
  assert.equal(await page.locator('.results img, .results script, .results b').count(), 0, 'text became markup');
  assert.equal(await page.evaluate(() => globalThis.hurt), undefined);
  await sound('lines');
  await key('Control+A');
  await page.keyboard.type('(');
  await reach('.notice.bad');
  await sound('a wrong pattern');
  // The browser tells of the answer that a wrong pattern has; nothing else may be there.
  for (let i = wrong.length - 1; i >= 0; i--) if (/400 \(Bad Request\)/.test(wrong[i])) wrong.splice(i, 1);

  // An answer, sentence by sentence, with citations that lead to the reader.
  await tabTo(/^Answer$/);
  await key('Enter');
  assert.equal(await focused(), 'question');
  await key('Control+A');
  await page.keyboard.type('where are retries counted?');
  assert.equal(await page.locator('.answer').count(), 0, 'nothing is asked before Enter');
  await key('Enter');
  await reach('.answer[data-ended=answered] .said a.cite');
  assert.match(await page.textContent('.unsaid'), /42 cellars/);
  assert.equal(await page.locator('.said > span').count(), 2);
  assert.equal(await page.locator('.said > span:not(.unsaid)').count(), 1, 'what the passage says is not marked');
  await sound('answer');
  await picture(name('answer'));
  await key('Control+A');
  await page.keyboard.type('where are retries counted slowly');
  await key('Enter');
  await reach('.answer[aria-busy=true] .said a.cite');
  const left = () => readFileSync(model, 'utf8').split('\n').filter((l) => l === 'left').length, before = left();
  await key('Escape');
  await reach('.answer[data-ended=stopped]');
  assert.match(await page.textContent('.answer [role=status]'), /Stopped/);
  for (let i = 0; left() === before; i++) { assert.ok(i < 300, 'the model was not told'); await page.waitForTimeout(100); }
  await tabTo(/^passage 1$/);
  await key('Enter');
  await reach('.reader tr.best');
  await key('Escape');
  await reach('#question');

  // Sources: one more, and gone again.
  await tabTo(/^Lines$/);
  await key('o');
  await reach('.card');
  for (let i = 0; i < 20 && !(await page.evaluate(() => document.activeElement.matches('.add input'))); i++) await key('Tab');
  await page.keyboard.type(extra);
  await key('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.card').length === 2);
  await sound('sources');
  await picture(name('sources'));
  await tabTo(/^Remove extra/);
  await key('Enter');
  await tabTo(/^Forget extra/);
  await key('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.card').length === 1);

  // The pipeline: a change goes by, and everything is there.
  await tabTo(/^Remove/);
  await key('p');
  await reach('.flow');
  await page.waitForTimeout(500); // until the feed of changes listens
  writeFileSync(`${project}/kingfisher-${size}-${scheme}.md`, '# Kingfisher\n\nThe kingfisher dives.\n');
  await page.waitForFunction((file) => [...document.querySelectorAll('.changes li')].some((li) => li.textContent.includes(file)), `kingfisher-${size}-${scheme}`);
  await tabTo(/^Compare now/);
  await key('Enter');
  await page.waitForFunction(() => document.body.textContent.includes('Nothing is missing'), undefined, { timeout: 120_000 });
  await sound('pipeline');
  await page.evaluate(() => scrollTo(0, 0));
  await picture(name('pipeline'));

  // Quality: a question in two ways, its answer kept, asked, and plotted.
  const tabInto = async (what) => {
    for (let i = 0; i < 120; i++) {
      if (await page.evaluate((w) => document.activeElement.matches(w), what)) return;
      await key('Tab');
    }
    assert.fail(`${what} cannot be reached by Tab`);
  };
  await page.evaluate(() => document.activeElement.blur());
  await key('q');
  await reach('.quality section[aria-label=Run]');
  await tabInto('.quality > form input');
  await page.keyboard.type('vector, stem=0');
  await tabInto('section[aria-label=Compare] input');
  await page.keyboard.type(question);
  await key('Enter');
  await reach(`.both[data-for="${question}"] .ranks li`);
  assert.equal(await page.locator('.both > section').count(), 2);
  await tabTo(/^Answers it/);
  await key('Enter');
  await reach('.golden tbody tr');
  await tabInto('section[aria-label="Golden questions"] label:nth-of-type(2) input');
  await page.keyboard.type('how is a cake baked');
  await key('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.golden tbody tr').length === 2);
  for (let run = 0; run < 2; run++) {
    if (run) await page.locator('.quality > form input').fill('stem=0');
    const before = await page.locator('.runs li').count();
    await tabInto('section[aria-label=Run] input');
    await page.keyboard.type(run ? 'again' : 'words alone');
    await key('Enter');
    await page.waitForFunction((n) => document.querySelectorAll('.runs li').length > n, before);
    await page.locator('section[aria-label=Run] input').fill('');
  }
  await reach('.run tbody tr:nth-child(2)');
  await reach('.plot circle');
  await reach('.golden td span.right');
  await tabTo(/^Keep stem=0 for every answer/);
  await key('Enter');
  await page.waitForFunction(() => document.querySelector('.kept code')?.textContent === 'stem=0');
  await sound('quality');
  await page.evaluate(() => scrollTo(0, 0));
  await picture(name('quality'), true);
  await tabTo(/^Take back/);
  await key('Enter');
  await page.waitForFunction(() => !document.querySelector('.kept'));
  for (const n of [1, 0]) {
    await tabTo(/^Remove the question/);
    await key('Enter');
    await page.waitForFunction((left) => document.querySelectorAll('.golden tbody tr').length === left, n);
  }
  await tabTo(/^Remove the run/);
  await key('Enter');

  assert.deepEqual(wrong, [], 'the console is silent');
  assert.deepEqual([...hosts], [new URL(first).host], 'no other host is asked');
  await context.close();
  return weight;
}

// How long a key press takes to the painted answer, beside the request's own time.
async function typing() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.goto(link());
  await page.waitForSelector('#question');
  await page.evaluate(() => {
    globalThis.painted = [];
    let pressed = 0, value = '';
    const field = document.getElementById('question');
    field.addEventListener('input', (e) => { pressed = e.timeStamp; value = field.value; }, true);
    new MutationObserver(() => {
      const results = document.querySelector('.results');
      if (results?.dataset.for !== value) return;
      const from = pressed, of = value;
      requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => painted.at(-1)?.of !== of && painted.push({ of, ms: performance.now() - from }); c.port2.postMessage(0); });
    }).observe(document.querySelector('main'), { subtree: true, attributes: true, attributeFilter: ['data-for'] });
    performance.setResourceTimingBufferSize(2000);
  });
  const questions = ['parse a heron', 'token of a write', 'wait for the barrier', 'count retries', 'rank of a hit', 'open the log'];
  for (const q of questions) {
    await page.keyboard.press('Control+A');
    for (let i = 0; i < q.length; i++) {
      await page.keyboard.type(q[i]);
      await page.waitForFunction((of) => of.trim() === '' || globalThis.painted.at(-1)?.of === of, q.slice(0, i + 1), { polling: 'raf' });
    }
  }
  const { presses, requests } = await page.evaluate(() => ({
    presses: painted.map((p) => p.ms),
    requests: performance.getEntriesByType('resource').filter((r) => r.name.endsWith('/api/v1/search')).map((r) => r.duration),
  }));
  await context.close();
  const at = (list, part) => list.sort((a, b) => a - b)[Math.floor((list.length - 1) * part)].toFixed(1);
  console.log(`typing: key press to painted answer p50 ${at(presses, .5)} ms, p99 ${at(presses, .99)} ms of ${presses.length}; the request itself p50 ${at(requests, .5)} ms, p99 ${at(requests, .99)} ms`);
}

let weight = 0;
for (const [size, scheme] of [['desktop', 'light'], ['phone', 'dark'], ['desktop', 'dark'], ['phone', 'light']]) weight = await visit(size, scheme);
console.log(`page: ${checked} views by keyboard at two sizes, light and dark: axe finds nothing, no console error, no other host; ${(weight / 1000).toFixed(1)} kB uncompressed`);
await typing();
await browser.close();
