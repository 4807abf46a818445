import { beforeAll, describe, expect, it } from 'vitest';
import { sendEvent } from '../../src/engine/events/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { publicKey, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

const document = `query ($flowControl: JSON, $since: DateTime, $first: Int, $ceiling: Int, $workflow: String = "order") {
  simulateFlow(app: "default", workflow: $workflow, flowControl: $flowControl, since: $since, first: $first,
    concurrencyCeiling: $ceiling) {
    since until isCapped concurrencyCeiling notSimulated
    flowControl { rateLimit { limit perMs key } cap { maxTokens } }
    gates { policy withheld delayed medianMs longestMs }
    starts { at eventId runId outcome startedAt activeMs bufferedMs spacedMs queuedMs ceilingMs }
  }
}`;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'order', rateLimit: { limit: 1, perMs: 3_600_000 } }]);
  for (let n = 0; n < 3; n += 1) await sendEvent(test.engine, { projectId, input: { name: 'order' } });
});

describe('simulateFlow', () => {
  it('simulates the policies in force by default, also for a key that only reads', async () => {
    const { simulateFlow } = await query(test.engine, publicKey(projectId), document);
    expect(simulateFlow).toMatchObject({
      isCapped: false,
      concurrencyCeiling: 0,
      flowControl: { rateLimit: { limit: 1, perMs: 3_600_000, key: null }, cap: null },
      gates: [{ policy: 'rateLimit', withheld: 2, delayed: 0, medianMs: 0, longestMs: 0 }],
      starts: [{ outcome: 'STARTED' }, { outcome: 'DROPPED' }, { outcome: 'DROPPED' }],
    });
    const [first, second] = (simulateFlow as { starts: { runId: string | null; startedAt: string | null }[] }).starts;
    expect(first).toMatchObject({ runId: expect.any(String), startedAt: expect.any(String) });
    expect(second).toMatchObject({ runId: null, startedAt: null });
  });

  it('simulates the policies that are given, exactly as a registration takes them', async () => {
    const flowControl = { rateLimit: { limit: 2, perMs: 3_600_000, key: null }, cap: { maxTokens: 9 } };
    const { simulateFlow } = await query(test.engine, secretKey(projectId), document, { flowControl } as never);
    expect(simulateFlow).toMatchObject({
      notSimulated: ['cap'],
      starts: [{ outcome: 'STARTED' }, { outcome: 'STARTED' }, { outcome: 'DROPPED' }],
    });
  });

  it('takes null as absent, and no policies as none', async () => {
    const given = { flowControl: null, since: null, first: null, ceiling: null };
    expect((await query(test.engine, secretKey(projectId), document, given as never))['simulateFlow']).toMatchObject({
      gates: [{ policy: 'rateLimit', withheld: 2 }],
    });
    const none = { flowControl: {} };
    expect((await query(test.engine, secretKey(projectId), document, none as never))['simulateFlow']).toMatchObject({
      gates: [],
    });
  });

  it.each([
    [{ first: 0 }, 'first'],
    [{ ceiling: -1 }, 'concurrencyCeiling'],
    [{ flowControl: { rateLimit: { limit: 1 } } }, 'rateLimit.perMs'],
    [{ flowControl: null, since: '2999-01-01T00:00:00Z' }, 'since must be before until'],
    [{ workflow: 'other' }, 'workflow other is not registered'],
  ])('refuses %j', async (variables, text) => {
    await expect(query(test.engine, secretKey(projectId), document, variables as never)).rejects.toThrow(text);
  });

  it('finds no workflow of another project', async () => {
    const other = await createTestProject(test.engine);
    await expect(query(test.engine, secretKey(other), document)).rejects.toThrow('not registered in app default');
  });
});
