import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InferRequest, TextRequest } from '../../../../src/engine/inference/index.ts';
import { redactPrompt } from '../../../../src/workers/inference/provider/redactPrompt.ts';
import { request, userText } from './kit.ts';

const prompt = 'The quick brown fox jumps over the lazy dog, twice a day.';
const redact = (text: string, fields: Partial<TextRequest> = { messages: userText(prompt) }): string =>
  redactPrompt(text, request(fields));

test('a stretch of 24 characters of the prompt is cut out, and one of 23 stays', () => {
  expect(redact(`bad=${prompt.slice(4, 28)}!`)).toBe('bad=[…]!');
  expect(redact(`bad=${prompt.slice(4, 27)}!`)).toBe(`bad=${prompt.slice(4, 27)}!`);
});

test('stretches that touch are one gap', () => {
  expect(redact(`${prompt}${prompt} is too long`)).toBe('[…] is too long');
  expect(redact(`x=${prompt.slice(0, 30)}; y=${prompt.slice(30)}; z`)).toBe('x=[…]; y=[…]; z');
});

test('a short text of the prompt is cut out as a whole', () => {
  expect(redact('invalid: "Wombat"', { messages: userText('Wombat') })).toBe('invalid: "[…]"');
  expect(redact('invalid: Hi', { messages: userText('Hi') })).toBe('invalid: Hi');
});

test.each([
  ['JSON', (text: string) => JSON.stringify(text)],
  ['JSON in JSON', (text: string) => JSON.stringify(JSON.stringify({ text }))],
  ['ASCII', (text: string) => text.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)],
])('a prompt that was quoted as %s is found', (_, quote) => {
  const text = 'Zeile eins: „süß“\nZeile zwei: "sauer"\tund bitter';
  const shown = redact(`invalid request ${quote(text)}`, { messages: userText(text) });
  expect(shown).toContain('invalid request');
  for (const word of ['Zeile', 'sauer', 'bitter']) expect(shown).not.toContain(word);
});

test('a prompt is found although its lines were broken anew', () => {
  const text = 'One line of a prompt\n  that goes on\tlike this.';
  expect(redact(`no: ${text.replace(/\s+/g, '\n')}`, { messages: userText(text) })).toBe('no: […]');
});

test('each text of a request is looked for', () => {
  const secret = (n: number): string => `secret number ${n} that nobody must ever see`;
  const full = request({
    system: secret(1),
    messages: [
      { role: 'user', content: [{ type: 'file', mediaType: 'text/plain', url: `https://a.example/${secret(2)}` }] },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'a', name: 'b', input: { deep: [secret(3)] } }] },
      { role: 'tool', content: [{ type: 'tool_result', id: 'a', name: 'b', output: secret(4) }] },
      { role: 'assistant', content: [{ type: 'reasoning', text: secret(5), metadata: { a: { b: secret(6) } } }] },
    ],
    tools: [{ name: 'b', description: secret(7), inputSchema: { description: secret(8) } }],
    schema: { description: secret(9) },
    options: { nested: { text: secret(10) } },
    stop: [secret(11)],
  });
  for (let n = 1; n <= 11; n += 1) expect(redactPrompt(`no: ${secret(n)}`, full)).not.toContain('nobody');
  const embed: InferRequest = { kind: 'embed', provider: 'a', model: 'm', values: [secret(1)], onUnknown: 'repeat' };
  expect(redactPrompt(`no: ${secret(1)}`, embed)).toBe('no: […]');
});

test('names and the model stay', () => {
  const tools = [{ name: 'a_tool_with_a_very_long_name_indeed', inputSchema: {} }];
  const text = 'no model claude-with-a-long-name-20260101, no tool a_tool_with_a_very_long_name_indeed';
  expect(redact(text, { tools, model: 'claude-with-a-long-name-20260101' })).toBe(text);
});

test('no stretch of 24 characters of a prompt is left in any text', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '"', 'ü'), maxLength: 120 });
  const pieces = fc.array(fc.tuple(letters, fc.nat(100), fc.nat(60)), { maxLength: 6 });
  fc.assert(
    fc.property(letters, pieces, (source, given) => {
      const text = given.map(([other, from, length]) => `${other}${source.slice(from, from + length)}`).join('');
      const shown = redact(text, { messages: userText(source) });
      for (let at = 0; at + 24 <= shown.length; at += 1) {
        const stretch = shown.slice(at, at + 24);
        if (!stretch.includes('[…]')) expect(source.includes(stretch)).toBe(false);
      }
    }),
  );
});

test.each([
  ['ordinary', Array.from({ length: 40_000 }, (_, i) => `word number ${i * 7}`).join(', ')],
  ['repetitive', 'a'.repeat(1_048_576)],
  ['of two letters', 'ab'.repeat(524_288)],
])('a prompt of 1 MiB that is %s takes a moment', (_, large) => {
  const start = performance.now();
  const shown = redact(`no: ${large.slice(1_000, 9_000)}`, { messages: userText(large) });
  expect(shown).toBe('no: […]');
  expect(performance.now() - start).toBeLessThan(2_000);
});

test('a prompt of many short texts takes a moment', () => {
  const texts = Array.from({ length: 100_000 }, (_, i) => `text${i}`);
  const start = performance.now();
  expect(redact(`no: ${texts.slice(0, 1_500).join(' ')}`, { options: { texts } })).not.toContain('text7');
  expect(performance.now() - start).toBeLessThan(2_000);
});
