import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Leftovers } from '../../sdk/src/execute/leftovers.ts';
import { beginPass } from '../../sdk/src/execute/runPass.ts';
import { type AnyWorkflow, Holdfast, type StepTools } from '../../sdk/src/index.ts';
import type { ContinuedEntry, InvokeRequest, MemoEntry, Opcode } from '../../sdk/src/protocol.ts';
import { hashStepId } from '../../sdk/src/stepId.ts';
import { continuedRequest } from '../random/storm/continued.ts';

interface Vector {
  name: string;
  steps: Record<string, MemoEntry>;
  opcodes: Opcode[];
  continue: Record<string, ContinuedEntry>;
  memo: Record<string, MemoEntry>;
}

const file = new URL('../../sdk/continue-vectors.json', import.meta.url);
const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(file, 'utf8'));

const ctx = { runId: 'r', workflow: 'vector', attempt: 1, app: 'shop', runner: '' };
const requestOf = (steps: Record<string, MemoEntry>): InvokeRequest => ({
  event: { name: 'start', data: {} },
  steps: structuredClone(steps),
  ctx,
});

/** The steps of all vectors, by name. */
function take(name: string, step: StepTools, opcode: Opcode | undefined): Promise<unknown> {
  switch (name) {
    case 'nap':
      return step.sleep(name, 60_000);
    case 'good':
      return step.score(name, { name, value: 1 });
    case 'wait':
      return step.waitForEvent(name, { event: 'rain' });
    case 'child':
      return step.runWorkflow(name, { name });
    default:
      if (opcode?.op === 'StepRun' && opcode.skipped) return step.skip(name, String(opcode.data));
      return step.run(name, () => (opcode?.op === 'StepRun' ? opcode.data : undefined));
  }
}

/** A handler that takes the steps of a vector at once, and logs what it hears. */
function workflowOf({ opcodes, steps }: Vector): AnyWorkflow {
  const names = ['a', 'wait', 'child', 'nap', 'b', 'good'].filter(
    (name) => opcodes.some((each) => each.name === name) || Object.hasOwn(steps, hashStepId(name)),
  );
  return new Holdfast({ app: 'shop', apiKey: 'none' }).workflow({ id: 'vector' }, async ({ step, log }) => {
    const heard = (name: string) => (value: unknown) =>
      log.info('heard', { name, value: String(JSON.stringify(value)) });
    const failed = (name: string) => (error: Error) => log.info('failed', { name, message: error.message });
    const branches = names.map((name) => {
      const opcode = opcodes.find((each) => each.name === name);
      return take(name, step, opcode).then(heard(name), failed(name));
    });
    await Promise.all(branches);
  });
}

const linesOf = (body: string): unknown[] =>
  JSON.parse(body).logs.map(({ fields, index, message }: Record<string, unknown>) => ({ fields, index, message }));

describe('a test vector of continued passes', () => {
  it.each(vectors)('tells a runner as much as the whole memo: $name', (vector) => {
    const body = JSON.stringify({ opcodes: vector.opcodes });
    const reply = { kind: 'answer', status: 206, body, elapsedMs: 0 } as const;
    const { steps } = continuedRequest({ request: requestOf(vector.steps), reply }, { steps: vector.continue });
    expect(Object.entries(steps)).toEqual(Object.entries(vector.memo));
  });

  it.each(vectors)('is understood by the SDK: $name', async (vector) => {
    const pass = (steps: Record<string, MemoEntry>) =>
      beginPass(workflowOf(vector), requestOf(steps), {
        leftovers: new Leftovers(),
        signal: new AbortController().signal,
      });
    const first = await pass(vector.steps);
    const { opcodes } = JSON.parse(first?.reply.body ?? '{}');
    expect(opcodes).toEqual(expect.arrayContaining(vector.opcodes));
    expect(opcodes).toHaveLength(vector.opcodes.length);
    const continued = await first?.suspended?.continue({ steps: vector.continue }, undefined);
    const full = await pass(vector.memo);
    expect(continued?.reply.status).toBe(full?.reply.status);
    const before = linesOf(first?.reply.body ?? '').length;
    expect(linesOf(continued?.reply.body ?? '')).toEqual(linesOf(full?.reply.body ?? '').slice(before));
  });
});
