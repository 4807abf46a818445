import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { keyIdSql, laneIdSql, settingsOwner } from '../../src/engine/inference/sql/keySql.ts';
import { ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

/** A run that waits for a model. */
async function waitingRun(): Promise<string> {
  const { projectId, engine } = rest;
  await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
  const ask = { op: 'Infer' as const, name: 'ask', data: { model: 'small', prompt: 'a question' } };
  const dispatcher = await new ScriptedDispatcher(engine, () => steps([ask])).start();
  const { runId } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
  await dispatcher.runOnce();
  return runId ?? '';
}

/** The provider holds the lane of that model. */
const hold = () =>
  rest.engine.db.query(`insert into inference_lane (id, key_id, provider, model, held_until, held_for, width)
    values (${laneIdSql(`'${settingsOwner}'`, `'anthropic'`, `'small'`)}, ${keyIdSql(`'${settingsOwner}'`, `'anthropic'`)},
      'anthropic', 'small', '2999-01-01T00:00:00Z', 'status 529: overloaded', 1)`);

describe('a run that waits for a model', () => {
  const lane = { provider: 'anthropic', model: 'small', keyFrom: 'settings', inFlight: 0, limit: 100, waiting: 1 };

  it('says so with the figures of its lane, which are also in the flow state', async () => {
    const runId = await waitingRun();
    const waitingFor = { kind: 'inference', step: 'ask' };
    const { body } = await rest.call('GET', `/runs/${runId}`);
    expect(body.waitingFor).toEqual({ ...waitingFor, inference: lane });
    expect((await rest.call('GET', '/flow-state')).body.inference).toEqual([lane]);

    await hold();
    const held = { ...lane, limit: 1, heldUntil: '2999-01-01T00:00:00.000Z', heldFor: 'status 529: overloaded' };
    const { body: later } = await rest.call('GET', `/runs/${runId}`);
    expect(later.waitingFor).toEqual({ ...waitingFor, inference: held });
    expect((await rest.call('GET', '/flow-state')).body.inference).toEqual([held]);

    const [listed] = (await rest.call('GET', '/runs?limit=1')).body;
    expect(listed.waitingFor).toEqual(waitingFor);
    const { secret } = await rest.stranger();
    expect((await rest.call('GET', '/flow-state', undefined, { key: secret })).body.inference).toEqual([]);
  });
});
