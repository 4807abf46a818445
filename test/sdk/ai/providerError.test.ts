import { describe, expect, it, test } from 'vitest';
import { providerDelayMs } from '../../../sdk/src/ai/providerError.ts';
import { NonRetriableError, RetryAfterError } from '../../../sdk/src/index.ts';
import type { Opcode } from '../../../sdk/src/protocol.ts';
import { defineWorkflow } from '../../../sdk/src/workflow.ts';
import { pass } from '../support/passes.ts';

/** An error of the clients of OpenAI and Anthropic. */
const clientError = (status: number, headers: Record<string, string>) =>
  Object.assign(new Error(`${status} busy`), { status, headers: new Headers(headers), requestID: 'r' });
/** An `APICallError` of `ai`. */
const callError = (statusCode: number, responseHeaders: object, isRetryable = true) =>
  Object.assign(new Error('busy'), { name: 'AI_APICallError', statusCode, responseHeaders, isRetryable });

const nowMs = Date.UTC(2026, 10, 24, 12, 0, 0);

describe('the delay that a provider asks for', () => {
  test.each<[string, unknown, number | undefined]>([
    ['seconds', clientError(429, { 'retry-after': '20' }), 20_000],
    ['parts of a second', clientError(529, { 'Retry-After': '0.5' }), 500],
    ['a date', clientError(503, { 'retry-after': 'Tue, 24 Nov 2026 12:00:30 GMT' }), 30_000],
    ['a date that has passed', clientError(503, { 'retry-after': 'Tue, 24 Nov 2026 11:00:00 GMT' }), 0],
    ['milliseconds, which come first', clientError(429, { 'retry-after-ms': '250', 'retry-after': '20' }), 250],
    ['a plain object of headers, in any case', { status: 429, headers: { 'Retry-After': '3' } }, 3000],
    ['a number for a header', { status: 429, headers: { 'retry-after': 3 } }, 3000],
    ['a call of ai', callError(429, { 'retry-after': '7' }), 7000],
    [
      'a call of ai that was retried',
      { name: 'AI_RetryError', lastError: callError(503, { 'retry-after': '7' }) },
      7000,
    ],
    ['the cause of an error', new Error('no answer', { cause: clientError(429, { 'retry-after': '4' }) }), 4000],
    ['more than a day', clientError(429, { 'retry-after': '9999999' }), 86_400_000],
    ['nothing that is understood', clientError(429, { 'retry-after': 'soon' }), undefined],
    ['an empty header', clientError(429, { 'retry-after': '' }), undefined],
    ['no header', clientError(500, {}), undefined],
    ['a request that is wrong', clientError(400, { 'retry-after': '20' }), undefined],
    ['not to be called again', clientError(429, { 'retry-after': '20', 'x-should-retry': 'false' }), undefined],
    ['a call of ai that is final', callError(429, { 'retry-after': '7' }, false), undefined],
    ['an error of something else', new Error('x'), undefined],
    ['no error at all', null, undefined],
  ])('%s', (_, cause, ms) => {
    expect(providerDelayMs(cause, nowMs)).toBe(ms);
  });

  it('ends with an error that is its own cause', () => {
    const error = new Error('again');
    error.cause = error;
    expect(providerDelayMs(error)).toBeUndefined();
  });
});

async function failing(cause: unknown): Promise<Opcode | undefined> {
  const w = defineWorkflow('default', { id: 'w' }, ({ step }) =>
    step.ai.wrap('ask', () => {
      throw cause;
    }),
  );
  return (await pass(w)).opcodes[0];
}

describe('step.ai.wrap', () => {
  it('is retried after the delay that its provider asked for', async () => {
    const opcode = await failing(clientError(429, { 'retry-after': '20' }));
    expect(opcode).toMatchObject({ op: 'StepRun', retryAfterMs: 20_000, error: { message: '429 busy' } });
    expect(opcode).not.toHaveProperty('retriable');
  });

  it('leaves errors that say themselves what follows as they are', async () => {
    const cause = clientError(429, { 'retry-after': '20' });
    expect(await failing(new RetryAfterError('later', '1h', { cause }))).toMatchObject({ retryAfterMs: 3_600_000 });
    const final = await failing(new NonRetriableError('never', { cause }));
    expect(final).toMatchObject({ retriable: false });
    expect(final).not.toHaveProperty('retryAfterMs');
  });
});
