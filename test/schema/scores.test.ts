import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { ManualClock } from '../../src/engine/clock.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { query, recordStatements, secretKey } from './fixtures.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const given = [
  { name: 'helpful', value: 0.5 },
  { name: 'harmless', value: 'yes', judge: { model: 'm' } },
];

const scoring: Script = (request) =>
  given.every(({ name }) => memoOf(request, `rate ${name}`))
    ? complete('done')
    : steps(given.map((data) => ({ op: 'Score', name: `rate ${data.name}`, data })));

async function scored(runs: number): Promise<string> {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  const dispatcher = await new ScriptedDispatcher(test.engine, scoring).start();
  for (let n = 0; n < runs; n += 1)
    await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: { input: RawJson.of(n) } });
  while ((await dispatcher.runOnce()) > 0);
  return projectId;
}

const document = '{ runs { nodes { scores { step name value data createdAt } } } }';

describe('scores of a run', () => {
  it('are what its steps gave, in their order', async () => {
    const projectId = await scored(1);
    const createdAt = clock.now().toISOString();
    expect(await query(test.engine, secretKey(projectId), document)).toEqual({
      runs: {
        nodes: [{ scores: given.map((data) => ({ step: `rate ${data.name}`, ...pick(data), data, createdAt })) }],
      },
    });
    const few = '{ runs { nodes { scores(limit: 1) { name } } } }';
    expect(await query(test.engine, secretKey(projectId), few)).toEqual({
      runs: { nodes: [{ scores: [{ name: 'helpful' }] }] },
    });
  });

  it('of many runs come with one statement', async () => {
    const projectId = await scored(4);
    const { engine, statements } = recordStatements(test.engine);
    const { runs } = (await query(engine, secretKey(projectId), document)) as {
      runs: { nodes: { scores: unknown[] }[] };
    };
    expect(runs.nodes.map(({ scores }) => scores.length)).toEqual([2, 2, 2, 2]);
    expect(statements.filter((each) => /score/i.test(each))).toEqual(['selectRunScores']);
  });

  it('keep numbers as they were given, beyond what a double holds', async () => {
    const projectId = await createTestProject(test.engine);
    await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
    const value = '12345678901234567890';
    const dispatcher = await new ScriptedDispatcher(test.engine, (request) => {
      if (memoOf(request, 'large') && memoOf(request, 'huge')) return complete('done');
      const data = { name: 'n', value: 0 };
      const answer = steps(['large', 'huge'].map((name) => ({ op: 'Score' as const, name, data })));
      if (answer.kind !== 'answer') throw new Error('no answer');
      const [first, second, third] = answer.body.split('"value":0');
      return { ...answer, body: `${first}"value":${value}${second}"value":1e400${third}` };
    }).start();
    await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
    await dispatcher.runOnce();
    const { rows } = await test.db.query({
      text: 'select value::text, data::text from score where project_id = $1 order by step_index',
      values: [projectId],
    });
    expect(rows).toEqual([value, '1e400'].map((text) => ({ value: text, data: `{"name":"n","value":${text}}` })));
  });

  it('are not for the keys of other projects', async () => {
    await scored(1);
    const stranger = await createTestProject(test.engine);
    expect(await query(test.engine, secretKey(stranger), document)).toEqual({ runs: { nodes: [] } });
  });
});

const pick = ({ name, value }: { name: string; value: unknown }) => ({ name, value });
