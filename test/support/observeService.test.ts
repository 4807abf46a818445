import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RestServer, startRest } from '../rest/restServer.ts';
import { checkLedgers, type LedgersOf } from './checkLedgers.ts';
import type { ClientEntry, RunnerEntry } from './ledgers.ts';
import { observeService } from './observeService.ts';
import { complete, idOf, memoOf, ScriptedDispatcher, steps } from './scriptedRunner.ts';
import { registerWorkflows } from './workflows.ts';

let rest: RestServer;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const runner: RunnerEntry[] = [];

/** Two steps, each recorded as a runner records it. */
async function newDispatcher(): Promise<ScriptedDispatcher> {
  const dispatcher = new ScriptedDispatcher(rest.engine, (request) => {
    const { runId } = request.ctx;
    const invokeId = `invoke ${runner.length}`;
    const at = runner.length;
    const memo = Object.entries(request.steps).map(([stepId, entry]) => ({ stepId, text: JSON.stringify(entry) }));
    runner.push({ kind: 'invoke', at, invokeId, runId, memo });
    const next = ['a', 'b'].find((name) => memoOf(request, name) === undefined);
    if (next === undefined) return complete('done');
    runner.push({ kind: 'body', at, invokeId, runId, stepId: idOf(next) });
    return steps([{ op: 'StepRun', name: next, data: { of: next } }]);
  });
  return dispatcher.start();
}

it('the data of a correct service contradicts no ledger', async () => {
  await registerWorkflows(rest.engine, rest.projectId, [{ name: 'order' }]);
  const client: ClientEntry[] = [];
  for (const key of ['k1', 'k2', 'k1']) {
    client.push({ kind: 'request', at: 0, key, what: { event: 'order' } });
    const { status, body } = await rest.call('POST', '/events', { name: 'order', dedupeId: key, data: { key } });
    const { eventId, runId, deduped = false } = body;
    client.push({ kind: 'answer', at: 0, key, status, eventId, runIds: runId ? [runId] : [], deduped });
  }
  await (await newDispatcher()).runOnce();
  const observed = await observeService({ baseUrl: rest.url, apiKey: rest.keys.secret }, client);
  const ledgers: LedgersOf = { client, runner, faults: [] };
  expect(checkLedgers(ledgers, observed)).toEqual({
    violations: [],
    counts: { requests: 2, acknowledged: 2, runs: 2, invokes: 6, bodies: 4, faults: 0 },
  });

  const run = observed.runs[0];
  if (!run) throw new Error('no run was observed');
  expect(run).toMatchObject({ status: 'succeeded', steps: [{ name: 'a', output: '{"of":"a"}' }, { name: 'b' }] });
  expect(run.frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  await rest.engine.db.query(`update run_step set output = '"changed"' where run_id = $1 and index = 0`, [run.id]);
  const later = await observeService({ baseUrl: rest.url, apiKey: rest.keys.secret }, client);
  expect(checkLedgers(ledgers, later).violations).toEqual([expect.stringMatching(/^I4 step a of run .* reads as/)]);
});
