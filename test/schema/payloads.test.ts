import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertRun, insertStep, query, type Recording, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();
let recording: Recording;
let projectId: string;
let other: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  other = await createTestProject(test.engine);
  recording = recordStatements(test.engine);
});

function ask<Answer>(document: string, variables: object = {}, project = projectId): Promise<Answer> {
  recording.clear();
  return query(recording.engine, secretKey(project), document, variables as never) as Promise<Answer>;
}

interface Payload {
  bytes: number;
  head: string;
  text: string;
}
type Run = { run: { inputPayload: Payload; resultPayload: Payload | null } };

/** Texts that a parser would change: digits, the order of keys, repeated keys, spaces. */
const exact = ['{"b":1, "a":1e400,"10":-0,"9":12345678901234567890,"b":2}', ' [ 1.0 ]', '"\\u0000\\ud800"', 'null'];

describe('a payload', () => {
  const document = 'query ($id: ID!) { run(id: $id) { inputPayload { bytes head text } } }';

  it.each(exact)('is the text as it was sent: %s', async (text) => {
    const id = await insertRun(test.engine, projectId, { input: text });
    const { run } = await ask<Run>(document, { id });
    expect(run.inputPayload).toEqual({ bytes: Buffer.byteLength(text), head: text, text });
    const { run: parts } = await ask<Run>(`query ($id: ID!) { run(id: $id) { inputPayload { bytes head } } }`, { id });
    expect(parts.inputPayload).toEqual({ bytes: Buffer.byteLength(text), head: text });
  });

  it.each(['', ' text'])('begins with whole characters%s', async (rest) => {
    const id = await insertRun(test.engine, projectId, { input: '"aé€😀z"' });
    const heads = Array.from({ length: 13 }, (_, n) => `b${n + 1}: head(bytes: ${n + 1})`).join(' ');
    const { run } = await ask<{ run: { inputPayload: Record<string, string> } }>(
      `query ($id: ID!) { run(id: $id) { inputPayload { ${heads}${rest} } } }`,
      { id },
    );
    const found = Array.from({ length: 13 }, (_, n) => run.inputPayload[`b${n + 1}`]);
    const [a, é, euro, smile] = ['"a', '"aé', '"aé€', '"aé€😀'];
    expect(found).toEqual(['"', a, a, é, é, é, euro, euro, euro, euro, smile, `${smile}z`, `${smile}z"`]);
  });

  it('begins with 4096 bytes unless a document says otherwise, and with 262144 at most', async () => {
    const input = JSON.stringify('x'.repeat(300_000));
    const id = await insertRun(test.engine, projectId, { input });
    const { run } = await ask<{ run: { inputPayload: { bytes: number; usual: string; most: string } } }>(
      'query ($id: ID!) { run(id: $id) { inputPayload { bytes usual: head most: head(bytes: 262144) } } }',
      { id },
    );
    expect(run.inputPayload).toEqual({ bytes: 300_002, usual: input.slice(0, 4096), most: input.slice(0, 262_144) });
    for (const bytes of [0, -1, 262_145]) {
      const wrong = `query ($id: ID!) { run(id: $id) { inputPayload { head(bytes: ${bytes}) } } }`;
      await expect(ask(wrong, { id })).rejects.toThrow('bytes must be an integer from 1 to 262144');
    }
  });

  it('that does not exist is null; one that is null has four bytes', async () => {
    const id = await insertRun(test.engine, projectId, { status: 'failed', input: 'null', result: '1' });
    await insertStep(test.engine, id, { index: 0, status: 'failed', input: null, output: 'null' });
    const both = `query ($id: ID!) { run(id: $id) {
      inputPayload { bytes } resultPayload { bytes } steps { inputPayload { bytes text } outputPayload { bytes } } } }`;
    expect(await ask(both, { id })).toEqual({
      run: {
        inputPayload: { bytes: 4 },
        resultPayload: null,
        steps: [{ inputPayload: null, outputPayload: { bytes: 4 } }],
      },
    });
  });

  it('of another project is unknown', async () => {
    const id = await insertRun(test.engine, projectId);
    const eventId = await insertEvent('1');
    const approvalId = await insertApproval(id, 0);
    const both = `query ($run: ID!, $event: ID!, $approval: ID!) { run(id: $run) { inputPayload { bytes } }
      event(id: $event) { dataPayload { bytes } } approval(id: $approval) { argsPayload { bytes } } }`;
    const ids = { run: id, event: eventId, approval: approvalId };
    expect(await ask(both, ids, other)).toEqual({ run: null, event: null, approval: null });
    expect(await ask(both, ids)).toEqual({
      run: { inputPayload: { bytes: 2 } },
      event: { dataPayload: { bytes: 1 } },
      approval: { argsPayload: { bytes: 15 } },
    });
  });

  it('of an event, and the arguments of an approval with their edits, are texts as well', async () => {
    const id = await insertRun(test.engine, projectId);
    const eventId = await insertEvent('{"n":1.50}');
    const approvalId = await insertApproval(id, 0, '{"amount":1.0}', '{"amount":2.0}');
    const document = `query ($event: ID!, $approval: ID!) { event(id: $event) { dataPayload { text bytes } }
      approval(id: $approval) { argsPayload { bytes head(bytes: 3) } editedArgsPayload { text } } }`;
    expect(await ask(document, { event: eventId, approval: approvalId })).toEqual({
      event: { dataPayload: { text: '{"n":1.50}', bytes: 10 } },
      approval: { argsPayload: { bytes: 14, head: '{"a' }, editedArgsPayload: { text: '{"amount":2.0}' } },
    });
  });
});

describe('lists', () => {
  it('read sizes in one statement per level, and beginnings in one more, but no whole text', async () => {
    for (let n = 0; n < 5; n += 1) {
      const id = await insertRun(test.engine, projectId, { session: 'sized', status: 'succeeded', result: `${n}` });
      for (const index of [0, 1]) await insertStep(test.engine, id, { index, input: '[1]', output: `[${n}]` });
    }
    const { runs } = await ask<{ runs: { nodes: unknown[] } }>(`{ runs(filter: { session: "sized" }) { nodes {
      inputPayload { bytes } resultPayload { bytes }
      steps { inputPayload { bytes head(bytes: 2) } outputPayload { bytes head(bytes: 2) } } } } }`);
    expect(runs.nodes).toHaveLength(5);
    const step = { inputPayload: { bytes: 3, head: '[1' }, outputPayload: { bytes: 3, head: '[4' } };
    expect(runs.nodes[0]).toEqual({ inputPayload: { bytes: 2 }, resultPayload: { bytes: 1 }, steps: [step, step] });
    expect(recording.statements.filter((each) => !/^select /.test(each)).sort()).toEqual([
      'selectRunHeads',
      'selectRunSteps',
      'selectStepHeads',
      'selectStepHeads',
    ]);
  });

  it('of 1000 steps with both payloads take one statement for sizes, and one for beginnings', async () => {
    const id = await insertRun(test.engine, projectId);
    await test.db.query({
      text: `insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, started_at, ended_at)
             select $1, n, 1, 'hash', 'step ' || n, 'StepRun', 'succeeded', '{}', '[]', now(), now()
             from generate_series(0, 999) n`,
      values: [id],
    });
    const { run } = await ask<{ run: { stepPage: { nodes: unknown[] } } }>(
      `query ($id: ID!) { run(id: $id) {
        stepPage(first: 1000) { nodes { inputPayload { bytes head(bytes: 1) } outputPayload { bytes } } } } }`,
      { id },
    );
    expect(run.stepPage.nodes).toHaveLength(1000);
    // Sizes, then beginnings.
    const heads = ['selectStepHeads', 'selectStepHeads'];
    expect(recording.statements).toEqual(['selectRunRows', 'selectRunSteps', ...heads]);
  });

  it('end a page early where whole texts are asked for, and do not where sizes are', async () => {
    const input = JSON.stringify('x'.repeat(1024 * 1024));
    for (let n = 0; n < 20; n += 1) await insertRun(test.engine, projectId, { session: 'large', input });
    const read = async (fields: string) => {
      const { runs } = await ask<{ runs: { nodes: unknown[]; pageInfo: { hasNextPage: boolean } } }>(
        `{ runs(filter: { session: "large" }) { nodes { inputPayload { ${fields} } } pageInfo { hasNextPage } } }`,
      );
      return [runs.nodes.length, runs.pageInfo.hasNextPage];
    };
    expect(await read('bytes head(bytes: 10)')).toEqual([20, false]);
    expect(await read('text')).toEqual([15, true]);
  });

  it('refuse beginnings that are more than an answer holds, before they are read', async () => {
    const parentRunId = await insertRun(test.engine, projectId);
    const input = JSON.stringify('x'.repeat(262_144));
    for (let n = 0; n < 65; n += 1) await insertRun(test.engine, projectId, { parentRunId, input });
    const heads = ['a', 'b', 'c', 'd'].map((name, n) => `${name}: head(bytes: ${262_144 - n})`).join(' ');
    const document = `query ($id: ID!) { run(id: $id) { children { inputPayload { ${heads} } } } }`;
    await expect(ask(document, { id: parentRunId })).rejects.toThrow('bytes of payloads: ask for fewer at once');
    expect(recording.statements).toEqual(['selectRunRows', 'selectChildRuns', 'selectRunHeads']);
  });
});

async function insertEvent(data: string): Promise<string> {
  const id = newId();
  await test.db.query({
    text: `insert into event (id, project_id, app, name, source, triggered, data) values ($1, $2, 'shop', 'paid', 'api', '[]', $3)`,
    values: [id, projectId, data],
  });
  return id;
}

async function insertApproval(
  runId: string,
  stepIndex: number,
  args = '{"amount" : 1 }',
  editedArgs: string | null = null,
): Promise<string> {
  const id = newId();
  const decision = editedArgs === null ? "'pending', null, null" : "'approved', now(), 'api'";
  await test.db.query({
    text: `insert into approval (id, project_id, run_id, step_index, step, tool, args, risk, escalates_to, on_timeout,
             edited_args, status, decided_at, decided_via)
           values ($1, $2, $3, $4, 'ask', 'refund', $5, 'high', '', 'escalate', $6, ${decision})`,
    values: [id, projectId, runId, stepIndex, args, editedArgs],
  });
  return id;
}
