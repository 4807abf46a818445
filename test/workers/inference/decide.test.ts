import { describe, expect, test } from 'vitest';
import {
  type EmbedAnswer,
  type InferRequest,
  type Problem,
  parseInferRequest,
  type Refusal,
  type SendEnding,
  type TextAnswer,
} from '../../../src/engine/inference/index.ts';
import { checkAnswer } from '../../../src/workers/inference/checkAnswer.ts';
import { decide, decideRepetition, failureBudget, type Situation } from '../../../src/workers/inference/decide.ts';

const requestOf = (data: object = {}): InferRequest => parseInferRequest({ model: 'm', prompt: 'p', ...data }).request;

const textAnswer = (fields: Partial<TextAnswer> = {}): TextAnswer => {
  const text = fields.text ?? 'hello';
  return { kind: 'text', text, content: [{ type: 'text', text }], model: 'm-1', finishReason: 'stop', ...fields };
};
const answered = (answer: Partial<TextAnswer> = {}): SendEnding => ({
  outcome: 'answered',
  answer: textAnswer(answer),
  usage: { tokensIn: 3, tokensOut: 2, cachedTokensIn: 1, cacheWriteTokensIn: 1 },
  status: 200,
  warnings: ['from the provider'],
});
const refused = (refusal: Refusal): SendEnding => ({ outcome: 'refused', refusal, status: 400, message: 'no' });
const unknown: SendEnding = { outcome: 'unknown', usage: { tokensIn: 9 }, message: 'reset' };

interface Given extends Partial<Omit<Situation, 'request'>> {
  request?: object;
  problems?: Problem[];
}

function decided(ending: SendEnding, { request: data = {}, problems = [], ...given }: Given = {}) {
  const request = requestOf(data);
  const usual = { failures: 0, reasked: 0, isHandedOn: false, cost: undefined, ai: {}, random: 0 };
  return decide(ending, { ...usual, request, ...given }, (answer) =>
    problems.length > 0 ? { problems, skipped: [] } : checkAnswer(request, answer),
  );
}

const memoOf = (ending: SendEnding, given?: Given) => {
  const decision = decided(ending, given);
  if (decision.kind !== 'succeeded') throw new Error(`it ${decision.kind}`);
  return JSON.parse(decision.output);
};

describe('an answer', () => {
  test('becomes the memo of its step', () => {
    expect(memoOf(answered(), { cost: 0.5 })).toEqual({
      text: 'hello',
      content: [{ type: 'text', text: 'hello' }],
      model: 'm-1',
      finishReason: 'stop',
      usage: { tokensIn: 3, tokensOut: 2, cachedTokensIn: 1, cost: 0.5 },
    });
  });

  test('hands over tool calls, also those whose input is invalid', () => {
    const toolCalls = [{ id: '1', name: 't', input: {}, invalid: '/a: required' }];
    const memo = memoOf(answered({ toolCalls, finishReason: 'tool-calls' }), { request: { schema: {} } });
    expect(memo).toMatchObject({ toolCalls, finishReason: 'tool-calls' });
    expect(memo).not.toHaveProperty('object');
  });

  test('of an embedding has vectors instead of text', () => {
    const answer: EmbedAnswer = { kind: 'embed', embeddings: ['AAAA'], dimensions: 1, model: 'e-1' };
    const ending: SendEnding = { outcome: 'answered', answer, usage: { tokensIn: 4 }, status: 200, warnings: [] };
    const request = { kind: 'embed', prompt: undefined, values: ['a'] };
    const { kind: _, ...vectors } = answer;
    expect(memoOf(ending, { request })).toEqual({ ...vectors, usage: { tokensIn: 4 } });
  });

  test('tells the step its warnings, its finish reason, and that the cache had none', () => {
    expect(decided(answered(), { ai: { warnings: ['unknown field: x'], cacheHit: false } })).toMatchObject({
      ai: { warnings: ['unknown field: x', 'from the provider'], finishReason: 'stop', cacheHit: false },
    });
  });
});

describe('an answer to a request with a schema', () => {
  const request = { schema: { type: 'object' } };
  const problems = Array.from({ length: 10 }, (_, at) => ({ path: `/list/${at}`, keyword: 'type', message: 'no' }));

  test('gives the object, also from a fence', () => {
    expect(memoOf(answered({ text: ' {"a":1}\n' }), { request }).object).toEqual({ a: 1 });
    expect(memoOf(answered({ text: '```json\n{"a":1}\n```' }), { request }).object).toEqual({ a: 1 });
    expect(memoOf(answered({ text: 'null' }), { request: { schema: {} } })).toHaveProperty('object', null);
  });

  test('is asked for again if it does not fit, with the first ten problems', () => {
    const decision = decided(answered({ text: '{"a":1}' }), { request, problems });
    expect(decision).toMatchObject({
      kind: 'reask',
      messages: [
        { role: 'assistant', content: [{ type: 'text', text: '{"a":1}' }] },
        { role: 'user', content: [{ type: 'text', text: expect.stringContaining('/list/9 (type)') }] },
      ],
    });
  });

  test('is asked for again if it is no JSON', () => {
    expect(decided(answered({ text: 'sure: {}' }), { request }).kind).toBe('reask');
    expect(decided(answered({ text: '' }), { request }).kind).toBe('reask');
  });

  test.each([
    [0, 0],
    [1, 1],
    [3, 3],
  ])('fails the step after %i reasks', (reasks, reasked) => {
    const given = { request: { ...request, reasks }, problems };
    expect(decided(answered({ text: '{}' }), { ...given, reasked })).toMatchObject({
      kind: 'failed',
      mayRetry: false,
      error: { name: 'InvalidOutputError', message: expect.stringContaining('/list/0: type') },
    });
    if (reasks > 0) expect(decided(answered({ text: '{}' }), { ...given, reasked: reasked - 1 }).kind).toBe('reask');
  });

  test('fails the step at once if it was cut off', () => {
    expect(decided(answered({ text: '{"a":', finishReason: 'length' }), { request })).toMatchObject({
      kind: 'failed',
      error: { name: 'InvalidOutputError', message: expect.stringContaining('limit of tokens') },
    });
  });

  test.each<[string, object[], string]>([
    [
      'the whole answer',
      [{ path: '', keyword: 'required' }],
      'the answer does not fit the schema (top level: required)',
    ],
    [
      'parts of it',
      [
        { path: '/a', keyword: 'type' },
        { path: '/list/0', keyword: 'enum' },
      ],
      'the answer does not fit the schema (/a: type; /list/0: enum)',
    ],
    ['no JSON', [{ path: '', keyword: 'json', message: 'the answer is not JSON' }], 'the answer is not JSON'],
    [
      'a schema that is too slow',
      [{ path: '', keyword: 'schema', message: 'the check takes too long' }],
      'the answer could not be checked against the schema: the check takes too long',
    ],
  ])('tells what is wrong with %s, in plain words', (_name, found, message) => {
    const problems = found.map((problem) => ({ path: '', keyword: '', message: 'quotes "the request"', ...problem }));
    const given = { request: { ...request, reasks: 0 }, problems };
    expect(decided(answered({ text: '{}' }), given)).toMatchObject({ error: { name: 'InvalidOutputError', message } });
    const cut = { text: '{}', finishReason: 'length' as const };
    expect(decided(answered(cut), given)).toMatchObject({
      error: { message: `the answer was cut off at its limit of tokens (maxTokens): ${message}` },
    });
  });

  test('is no error if it was filtered', () => {
    const memo = memoOf(answered({ text: 'I cannot', finishReason: 'content-filter' }), { request, problems });
    expect(memo).toMatchObject({ text: 'I cannot', finishReason: 'content-filter' });
    expect(memo).not.toHaveProperty('object');
  });
});

describe('a refusal', () => {
  test('that passes is repeated ten times, after one second that doubles to a minute', () => {
    const delays = Array.from({ length: failureBudget }, (_, failures) => {
      const decision = decided(refused({ kind: 'transient' }), { failures });
      return decision.kind === 'again' && decision.failed ? decision.inMs : undefined;
    });
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * 1_000));
  });

  test('is repeated with jitter', () => {
    expect(decided(refused({ kind: 'transient' }), { random: 1 })).toMatchObject({ inMs: 1_100 });
  });

  test('that does not pass fails the attempt once its budget is spent, and the step may be retried', () => {
    expect(decided(refused({ kind: 'transient' }), { failures: 10 })).toMatchObject({
      kind: 'failed',
      mayRetry: true,
      error: { name: 'InferenceError', message: 'no' },
    });
  });

  test('because of load holds the lane, for the time that the provider asks for', () => {
    const hold = (retryAfterMs?: number) => decided(refused({ kind: 'overloaded', retryAfterMs }), { failures: 10 });
    expect(hold(2_500)).toEqual({ kind: 'held', forMs: 2_500, reason: 'no' });
    expect(hold()).toEqual({ kind: 'held', forMs: undefined, reason: 'no' });
    expect(hold(0)).toMatchObject({ forMs: 0 });
    expect(hold(86_400_000)).toMatchObject({ forMs: 600_000 });
  });

  test('because of a quota or the key fails the step at once, and the lane says why', () => {
    expect(decided(refused({ kind: 'exhausted' }))).toEqual({
      kind: 'failed',
      mayRetry: false,
      refusal: 'no',
      ai: {},
      error: { name: 'InferenceError', message: 'no' },
    });
  });

  test('of the request itself fails the step at once, and says nothing of the lane', () => {
    const decision = decided(refused({ kind: 'final' }));
    expect(decision).toMatchObject({ kind: 'failed', mayRetry: false, error: { name: 'InferenceError' } });
    expect(decision).not.toHaveProperty('refusal');
  });
});

describe('a send whose end is unknown', () => {
  test('is repeated like a refusal that passes', () => {
    expect(decided(unknown, { failures: 3 })).toEqual({ kind: 'again', inMs: 8_000, failed: true });
    expect(decided(unknown, { failures: 10 })).toMatchObject({ kind: 'failed', mayRetry: true });
  });

  test('is repeated at once, without a failure, if this process ended it', () => {
    expect(decided(unknown, { isHandedOn: true, failures: 10 })).toEqual({ kind: 'again', inMs: 0 });
  });

  test('is never repeated if the request forbids it', () => {
    const request = { onUnknown: 'fail' };
    for (const given of [{}, { isHandedOn: true }, { failures: 10 }]) {
      expect(decided(unknown, { request, ...given })).toMatchObject({
        kind: 'failed',
        mayRetry: false,
        error: { name: 'InferenceUnknownError' },
      });
    }
  });

  test('fails the step if a repetition would end alike', () => {
    expect(decided({ ...unknown, isFinal: true })).toMatchObject({ kind: 'failed', mayRetry: false });
  });

  test('forbids the next one where the request says so, also after the death of its process', () => {
    const about = { afterUnknown: true, failures: 1, ai: {} };
    expect(decideRepetition(requestOf({ onUnknown: 'fail' }), about)).toMatchObject({
      kind: 'failed',
      mayRetry: false,
      error: { name: 'InferenceUnknownError' },
    });
    expect(decideRepetition(requestOf(), about)).toBeUndefined();
    expect(decideRepetition(requestOf({ onUnknown: 'fail' }), { ...about, afterUnknown: false })).toBeUndefined();
  });

  test('fails the attempt once the deaths of its processes have spent its budget', () => {
    const about = { afterUnknown: true, failures: failureBudget, ai: {} };
    expect(decideRepetition(requestOf(), about)).toBeUndefined();
    expect(decideRepetition(requestOf(), { ...about, failures: failureBudget + 1 })).toMatchObject({
      kind: 'failed',
      mayRetry: true,
      error: { name: 'InferenceError' },
    });
  });
});
