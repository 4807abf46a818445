import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun, pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { openRequest } from '../../../src/engine/inference/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const data = { model: 'claude', prompt: 'a secret question', maxTokens: 50 };
const ask = { op: 'Infer' as const, name: 'ask', data };

const asking = (opcode: Parameters<typeof steps>[0][number] = ask) =>
  openScene(test, (request) => {
    const memo = memoOf(request, 'ask');
    return memo && !('pending' in memo) ? complete(memo) : steps([opcode]);
  });

const callsOf = async (runId: string) => {
  const { rows } = await test.db.query('select * from inference_call where run_id = $1 order by step_index', [runId]);
  return rows;
};

describe('an Infer', () => {
  it('parks its run, records only the model, and leaves a sealed call', async () => {
    const { projectId, start, dispatcher, run, stepRows } = await asking();
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    const [step] = await stepRows(runId);
    expect(step).toMatchObject({ name: 'ask', op: 'Infer', status: 'waiting' });
    expect(step?.input).toEqual({ model: 'claude', offloaded: true });
    const [call] = await callsOf(runId);
    expect(call).toMatchObject({
      step_index: 0,
      attempt: 1,
      project_id: projectId,
      provider: 'anthropic',
      model: 'claude',
      max_tokens: 50,
      looks_up: false,
      paused_at: null,
      lease_id: null,
    });
    expect(call.deadline_at - call.due_at).toBe(7_200_000);
    expect(call.request.includes('secret question')).toBe(false);
    const owner = { projectId, runId, stepIndex: 0 };
    expect(JSON.parse(openRequest(test.engine, owner, call.request))).toEqual(data);
    expect(() => openRequest(test.engine, { ...owner, stepIndex: 1 }, call.request)).toThrow('belongs elsewhere');
  });

  it('that is malformed fails its step with the name of the field, and the handler may catch it', async () => {
    const { start, dispatcher, run } = await asking({ ...ask, data: { prompt: 'a' } });
    const runId = await start();
    await dispatcher.runOnce();
    const error = { name: 'InferenceError', message: 'model: is required' };
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { error } });
    expect(await callsOf(runId)).toEqual([]);
  });

  it('asks the cache first if it is eligible', async () => {
    const { start, dispatcher } = await asking({ ...ask, data: { ...data, temperature: 0.2 } });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await callsOf(runId)).toMatchObject([{ looks_up: true }]);
  });

  it('ends with its run', async () => {
    const { projectId, start, dispatcher, stepRows } = await asking();
    const runId = await start();
    await dispatcher.runOnce();
    await cancelRun(test.engine, { projectId, runId, actor: 'key' });
    expect(await callsOf(runId)).toEqual([]);
    expect(await stepRows(runId)).toMatchObject([{ status: 'cancelled' }]);
  });

  it('waits with its paused run, and its deadline moves by the time of the pause', async () => {
    const { projectId, start, dispatcher } = await asking();
    const runId = await start();
    await dispatcher.runOnce();
    const [before] = await callsOf(runId);
    await pauseRun(test.engine, { projectId, runId, actor: 'key' });
    expect(await callsOf(runId)).toMatchObject([{ paused_at: expect.any(Date) }]);
    clock.advance(60_000);
    await resumeRun(test.engine, { projectId, runId, actor: 'key' });
    const [after] = await callsOf(runId);
    expect(after.paused_at).toBeNull();
    expect(after.deadline_at - before.deadline_at).toBe(60_000);
  });
});
