import { beforeEach, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { updateProject } from '../../src/engine/projects/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { publicKey, query, type Recording, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();
let recording: Recording;
let projectId: string;

beforeEach(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }, { name: 'other', concurrency: { limit: 1 } }]);
  recording ??= recordStatements(test.engine);
});

const ask = async (document: string, principal = secretKey(projectId)) => {
  recording.clear();
  return query(recording.engine, principal, document);
};

const infer = { op: 'Infer' as const, name: 'ask', data: { model: 'small', prompt: 'a question' } };

/** Runs that wait for a child, an event, a model, a decision and a slot. */
async function startAll(count: number): Promise<void> {
  const script: Script = (request) => {
    if (memoOf(request, 'call') || memoOf(request, 'ask')) return steps([]);
    switch (request.event.data) {
      case 1:
        return steps([{ op: 'RunWorkflow', name: 'call', childName: 'flow', childData: 2 }]);
      case 2:
        return steps([infer, { op: 'WaitForEvent', name: 'paid', eventName: 'paid', eventIf: 'data > 1' }]);
      default:
        return steps([{ op: 'Approval', name: 'sign', tool: 'refund', data: {} }]);
    }
  };
  const dispatcher = await new ScriptedDispatcher(test.engine, script).start();
  const start = (name: string, input: unknown) =>
    triggerWorkflow(test.engine, { projectId, app: 'default', name, input: { input: RawJson.of(input) } });
  for (let n = 0; n < count; n += 1) {
    await start('flow', 1);
    await start('flow', 3);
  }
  await dispatcher.runOnce();
  for (let n = 0; n < count; n += 1) await start('other', 3);
  await dispatcher.claim();
}

const fields =
  'kind since until step { name } ... on ChildWait { path because { kind ... on InferenceWait { lane { waiting } } } }';

describe('the causes of many runs', () => {
  it('take three statements beside the list, however many runs and children there are', async () => {
    await startAll(6);
    const { runs } = await ask(`{ runs(first: 200) { nodes { id status waiting { ${fields} } } } }`);
    const { nodes } = runs as { nodes: { status: string; waiting: { kind: string }[] }[] };
    expect(nodes).toHaveLength(24);
    expect(new Set(nodes.flatMap(({ waiting }) => waiting.map(({ kind }) => kind)))).toEqual(
      new Set(['CHILD', 'INFERENCE', 'EVENT', 'APPROVAL', 'CONCURRENCY']),
    );
    expect(recording.statements.filter((name) => /^select(Wait|Open)|readLanes/.test(name)).sort()).toEqual([
      'readLanes',
      'selectOpenSteps',
      'selectWaitFacts',
    ]);
  });

  it('of ended runs take none', async () => {
    const dispatcher = await new ScriptedDispatcher(test.engine, () => thrown({ message: 'no' })).start();
    await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
    await dispatcher.runOnce();
    expect(await ask('{ runs { nodes { waiting { kind } } } }')).toEqual({ runs: { nodes: [{ waiting: [] }] } });
    expect(recording.statements).not.toContain('selectWaitFacts');
  });
});

describe('the diagnoses of many runs', () => {
  it('take as many statements as that of one', async () => {
    const dispatcher = await new ScriptedDispatcher(test.engine, () => thrown({ message: 'no' })).start();
    for (let n = 0; n < 5; n += 1)
      await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
    await dispatcher.runOnce();
    const document = (first: number) =>
      `{ runs(first: ${first}) { nodes { diagnosis { verdict failure { kind alike { count } logs { seq } } next { action } } } } }`;
    await ask(document(1));
    const once = [...recording.statements].sort();
    const { runs } = await ask(document(5));
    expect(runs).toMatchObject({
      nodes: Array.from({ length: 5 }, () => ({ diagnosis: { failure: { alike: { count: 4 } } } })),
    });
    expect([...recording.statements].sort()).toEqual(once);
    expect(once).toEqual(expect.arrayContaining(['countAlike', 'selectFailures', 'selectLastLogs']));
  });
});

describe('the causes and the diagnosis', () => {
  it('are there for a public key, and not for another project', async () => {
    await startAll(1);
    const document = '{ runs { nodes { id waiting { kind } diagnosis { verdict } } } }';
    const { runs } = await ask(document, publicKey(projectId));
    const [run] = (runs as { nodes: { id: string }[] }).nodes;
    expect(run).toMatchObject({ diagnosis: { verdict: expect.any(String) } });
    const other = secretKey(await createTestProject(test.engine));
    expect(await ask(`{ run(id: "${run?.id}") { waiting { kind } diagnosis { verdict } } }`, other)).toEqual({
      run: null,
    });
  });

  it('name no holder of another project', async () => {
    await startAll(2);
    const strangers = await createTestProject(test.engine);
    await updateProject(test.engine, { id: strangers, concurrencyCeiling: 1 });
    await registerWorkflows(test.engine, strangers, [{ name: 'flow' }]);
    const dispatcher = await new ScriptedDispatcher(test.engine, () => steps([])).start();
    const start = () => triggerWorkflow(test.engine, { projectId: strangers, app: 'default', name: 'flow', input: {} });
    const first = await start();
    await dispatcher.claim();
    const second = await start();
    await dispatcher.claim();
    const document = `{ run(id: "${second.runId}") { waiting { kind ... on CeilingWait { limit inUse holders ahead } } } }`;
    expect(await ask(document, secretKey(strangers))).toEqual({
      run: { waiting: [{ kind: 'CEILING', limit: 1, inUse: 1, holders: [first.runId], ahead: 0 }] },
    });
  });
});
