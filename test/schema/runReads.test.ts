import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendEvent } from '../../src/engine/events/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { RawJson, stringifyRaw } from '../../src/engine/json/index.ts';
import { prepare, run } from '../../src/schema/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import {
  contextOf,
  insertFrame,
  insertRun,
  insertStep,
  query,
  type Recording,
  recordStatements,
  secretKey,
} from './fixtures.ts';

const test = useEngine();
let recording: Recording;
let projectId: string;

beforeAll(async () => {
  recording = recordStatements(test.engine);
  projectId = await createTestProject(test.engine);
});
beforeEach(() => recording.clear());

const ask = (document: string, variables: Record<string, unknown> = {}) =>
  query(recording.engine, secretKey(projectId), document, variables);

/** The answer as it would be sent: payloads keep their text. */
async function askText(document: string, variables: Record<string, unknown>): Promise<string> {
  const { data, error } = await run(prepare(document), variables, contextOf(recording.engine, secretKey(projectId)));
  if (error !== undefined) throw error;
  return stringifyRaw(data);
}

describe('one run', () => {
  it('is waited for from 0 ms on, and for no negative time', async () => {
    const document = 'query ($id: ID!, $waitMs: Int) { run(id: $id, waitMs: $waitMs) { id } }';
    const id = await insertRun(test.engine, projectId);
    expect(await ask(document, { id, waitMs: 0 })).toEqual({ run: { id } });
    await expect(ask(document, { id, waitMs: -1 })).rejects.toThrow('waitMs must be an integer from 0');
  });

  it('has the fields of 2.4; those that do not apply are null', async () => {
    const createdAt = new Date('2026-02-03T04:05:06.789Z');
    const id = await insertRun(test.engine, projectId, { createdAt });
    expect(
      await ask(
        `query ($id: ID!) { run(id: $id) {
          id app workflow status triggerKind eventName eventId session runner replayOf parentRunId parentStep parentAttempt
          depth onFailureOf tags attempt pausedBy { reason actor } error { name message stack } createdAt startAt startedAt
          endedAt durationMs input result stepCount version } }`,
        { id },
      ),
    ).toEqual({
      run: {
        id,
        app: 'shop',
        workflow: 'order',
        status: 'QUEUED',
        triggerKind: 'EVENT',
        eventName: null,
        eventId: null,
        session: null,
        runner: null,
        replayOf: null,
        parentRunId: null,
        parentStep: null,
        parentAttempt: null,
        depth: null,
        onFailureOf: null,
        tags: null,
        attempt: 1,
        pausedBy: null,
        error: null,
        createdAt: '2026-02-03T04:05:06.789Z',
        startAt: null,
        startedAt: null,
        endedAt: null,
        durationMs: null,
        input: {},
        result: null,
        stepCount: 0,
        version: 'v1',
      },
    });
  });

  it('lasts from its first pass to its end, or from its start when no pass ran', async () => {
    const createdAt = new Date('2026-01-01T00:00:00.000Z');
    const endedAt = new Date('2026-03-01T00:00:00.000Z');
    const startedAt = new Date('2026-01-31T00:00:00.000Z');
    const ran = await insertRun(test.engine, projectId, { status: 'succeeded', createdAt, startedAt, endedAt });
    const never = await insertRun(test.engine, projectId, { status: 'cancelled', createdAt, endedAt });
    const document = 'query ($id: ID!) { run(id: $id) { durationMs } }';
    expect(await ask(document, { id: ran })).toEqual({ run: { durationMs: 29 * 86_400_000 } });
    expect(await ask(document, { id: never })).toEqual({ run: { durationMs: 59 * 86_400_000 } });
  });

  it('shows payloads character by character, whatever numbers they hold', async () => {
    const input = '{"b":1e400,"a":-0,"n":12345678901234567890,"__proto__":{"x":1},"s":"\\u0000\\ud800"}';
    const id = await insertRun(test.engine, projectId, { status: 'succeeded', input, result: '[1.10, 2e-400]' });
    await insertStep(test.engine, id, { index: 0, input, output: '99999999999999999999', ai: '{"v":1e999}' });
    expect(await askText('query ($id: ID!) { run(id: $id) { input result steps { input output ai } } }', { id })).toBe(
      `{"run":{"input":${input},"result":[1.10, 2e-400],"steps":[{"input":${input},"output":99999999999999999999,"ai":{"v":1e999}}]}}`,
    );
  });

  it('tells a result that is null from none', async () => {
    const done = await insertRun(test.engine, projectId, { status: 'succeeded', result: 'null' });
    const open = await insertRun(test.engine, projectId, { status: 'running' });
    const document = prepare('query ($id: ID!) { run(id: $id) { result } }');
    const dataOf = async (id: string) =>
      (await run(document, { id }, contextOf(test.engine, secretKey(projectId)))).data;
    expect(await dataOf(done)).toMatchObject({ run: { result: { text: 'null' } } });
    expect(await dataOf(open)).toMatchObject({ run: { result: null } });
  });

  it('shows the error of a failed run', async () => {
    const error = '{"name":"TypeError","message":"nul \\u0000 and half \\ud83d","stack":"at x"}';
    const id = await insertRun(test.engine, projectId, { status: 'failed', error });
    expect(await ask('query ($id: ID!) { run(id: $id) { error { name message stack } } }', { id })).toEqual({
      run: { error: { name: 'TypeError', message: 'nul \0 and half \ud83d', stack: 'at x' } },
    });
  });

  it.each(['nonsense', '', newId()])('id %j is a run that is not there', async (id) => {
    expect(await ask('query ($id: ID!) { run(id: $id) { id } event(id: $id) { id } }', { id })).toEqual({
      run: null,
      event: null,
    });
  });
});

describe('steps of a run', () => {
  it('come by index and attempt, each with what 2.5 gives it', async () => {
    const id = await insertRun(test.engine, projectId, { status: 'running' });
    const startedAt = new Date('2026-01-01T00:00:00Z');
    const runAfter = new Date('2026-01-01T01:00:00Z');
    await insertStep(test.engine, id, {
      index: 1,
      name: 'wait',
      status: 'waiting',
      startedAt,
      runAfter,
      input: '{"sleepMs":5}',
    });
    await insertStep(test.engine, id, {
      index: 0,
      attempt: 2,
      name: 'a',
      output: '1',
      startedAt,
      endedAt: new Date('2026-01-01T00:00:01Z'),
    });
    await insertStep(test.engine, id, {
      index: 0,
      name: 'a',
      status: 'failed',
      error: '{"message":"no"}',
      willRetry: true,
      runAfter,
      startedAt,
      endedAt: startedAt,
    });
    await insertStep(test.engine, id, {
      index: 2,
      name: 'skip',
      status: 'skipped',
      output: '"why"',
      startedAt,
      endedAt: runAfter,
    });
    await insertStep(test.engine, id, {
      index: 3,
      name: 'forsaken',
      status: 'failed',
      error: '{"message":"no"}',
      runAfter,
      startedAt,
      endedAt: startedAt,
    });
    const fields =
      'name index attempt status input output error { message } willRetry runAfter nextAttemptAt endedAt durationMs';
    const { run: found } = await ask(`query ($id: ID!) { run(id: $id) { stepCount steps { ${fields} } } }`, { id });
    const none = { input: null, output: null, error: null, willRetry: null, runAfter: null, nextAttemptAt: null };
    const retryAt = '2026-01-01T01:00:00.000Z';
    expect(found).toEqual({
      stepCount: 4,
      steps: [
        {
          ...none,
          name: 'a',
          index: 0,
          attempt: 1,
          status: 'FAILED',
          error: { message: 'no' },
          willRetry: true,
          runAfter: retryAt,
          nextAttemptAt: retryAt,
          endedAt: '2026-01-01T00:00:00.000Z',
          durationMs: 0,
        },
        {
          ...none,
          name: 'a',
          index: 0,
          attempt: 2,
          status: 'SUCCEEDED',
          output: 1,
          endedAt: '2026-01-01T00:00:01.000Z',
          durationMs: 1000,
        },
        {
          ...none,
          name: 'wait',
          index: 1,
          attempt: 1,
          status: 'WAITING',
          input: { sleepMs: 5 },
          runAfter: retryAt,
          endedAt: null,
          durationMs: null,
        },
        {
          ...none,
          name: 'skip',
          index: 2,
          attempt: 1,
          status: 'SKIPPED',
          output: 'why',
          endedAt: retryAt,
          durationMs: 0,
        },
        {
          ...none,
          name: 'forsaken',
          index: 3,
          attempt: 1,
          status: 'FAILED',
          error: { message: 'no' },
          endedAt: '2026-01-01T00:00:00.000Z',
          durationMs: 0,
        },
      ],
    });
  });
});

describe('logs of a run', () => {
  it('are the log frames after `from`, oldest first, page by page', async () => {
    const id = await insertRun(test.engine, projectId, { status: 'running' });
    await insertFrame(test.engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    for (const seq of [2, 4, 5]) {
      const payload = `{"level":"warn","message":"line ${seq}","fields":{"n":1e400},"scope":"@root","attempt":1}`;
      await insertFrame(test.engine, id, { seq, kind: 'log', payload });
    }
    const document = `query ($id: ID!, $from: Int, $limit: Int) {
      run(id: $id) { logs(from: $from, limit: $limit) { seq level message fields scope attempt } } }`;
    const line = (seq: number): string =>
      `{"seq":${seq},"level":"WARN","message":"line ${seq}","fields":{"n":1e400},"scope":"@root","attempt":1}`;
    expect(await askText(document, { id })).toBe(`{"run":{"logs":[${[2, 4, 5].map(line).join()}]}}`);
    expect(await askText(document, { id, limit: 2 })).toBe(`{"run":{"logs":[${[2, 4].map(line).join()}]}}`);
    expect(await askText(document, { id, from: 4 })).toBe(`{"run":{"logs":[${line(5)}]}}`);
    await expect(ask(document, { id, from: -1 })).rejects.toThrow('from must be an integer');
    await expect(ask(document, { id, limit: 0 })).rejects.toThrow('limit must be an integer');
  });
});

describe('statements', () => {
  it('a list of runs with all that hangs off them takes one statement per kind of thing', async () => {
    const eventIds: string[] = [];
    for (let n = 0; n < 5; n++) {
      const eventId = newId();
      eventIds.push(eventId);
      const id = await insertRun(test.engine, projectId, {
        session: 'many',
        status: 'failed',
        error: '{"message":"x"}',
        eventId,
      });
      await insertStep(test.engine, id, { index: 0, output: '1' });
      await insertFrame(test.engine, id, {
        seq: 1,
        kind: 'log',
        payload: '{"level":"info","message":"m","scope":"a","attempt":1}',
      });
      await insertRun(test.engine, projectId, { parentRunId: id });
      await insertRun(test.engine, projectId, { replayOf: id });
    }
    recording.clear();
    const { runs } = await ask(`{
      runs(filter: { session: "many" }, first: 200) { nodes {
        id input result error { message } stepCount
        steps { name input output error { message } ai } logs { message }
        children { id input parent { id status } } replays { id result } event { id data }
      } } }`);
    expect((runs as { nodes: unknown[] }).nodes).toHaveLength(5);
    expect(recording.statements.filter((each) => each.startsWith('select '))).toHaveLength(1);
    expect(recording.statements.filter((each) => !each.startsWith('select ')).sort()).toEqual([
      'countRunSteps',
      'selectChildRuns',
      'selectEventRows',
      'selectReplayRuns',
      'selectRunLogs',
      'selectRunPayloads',
      // The children were not known when the page was read.
      'selectRunPayloads',
      'selectRunRows',
      'selectRunSteps',
      'selectStepPayloads',
    ]);
  });

  it('a list that asks for no payloads reads none', async () => {
    await ask('{ runs(first: 10) { nodes { id status workflow durationMs } } }');
    expect(recording.statements).toHaveLength(1);
    expect(recording.statements[0]).not.toMatch(/\binput\b|\bresult\b|\berror\b/);
  });

  it('a request brings 64 MiB of payloads into memory, and no more', async () => {
    const parentRunId = await insertRun(test.engine, projectId);
    const input = JSON.stringify('x'.repeat(1024 * 1024));
    for (let n = 0; n < 65; n++) await insertRun(test.engine, projectId, { parentRunId, input });
    const document = 'query ($id: ID!, $limit: Int) { run(id: $id) { children(limit: $limit) { input } } }';
    recording.clear();
    await expect(ask(document, { id: parentRunId, limit: 65 })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'the answer holds more than 67108864 bytes of payloads: ask for fewer at once',
    });
    // Their sizes said so.
    expect(recording.statements.filter((each) => each === 'selectRunPayloads')).toHaveLength(1);
    await expect(ask(document, { id: parentRunId, limit: 5 })).resolves.toBeDefined();
  });

  it('a page ends early with 16 MiB of payloads', async () => {
    const input = JSON.stringify('x'.repeat(1024 * 1024));
    for (let n = 0; n < 20; n++) await insertRun(test.engine, projectId, { session: 'heavy', input });
    const document = '{ runs(filter: { session: "heavy" }) { nodes { ...Asked } pageInfo { hasNextPage } } }';
    expect(await ask(`${document} fragment Asked on Run { input }`)).toMatchObject({
      runs: { nodes: { length: 15 }, pageInfo: { hasNextPage: true } },
    });
    expect(await ask(`${document} fragment Asked on Run { id }`)).toMatchObject({ runs: { nodes: { length: 20 } } });
  });

  describe('of a page read sizes once', () => {
    const payloadStatements = (): string[] => recording.statements.filter((each) => /Payloads|EventData/.test(each));
    const insertTen = async (session: string, bytes: number): Promise<void> => {
      const text = JSON.stringify('x'.repeat(bytes));
      for (let n = 0; n < 10; n++) {
        const ending = n % 2 ? { status: 'succeeded' as const, result: text } : { status: 'running' as const };
        await insertRun(test.engine, projectId, { session, input: text, ...ending });
      }
    };
    const pageOf = (session: string, fields: string): string =>
      `{ runs(filter: { session: "${session}" }) { nodes { ${fields} } } }`;

    it.each([
      ['small', 10, ['selectRunPayloads']],
      ['large', 20_000, ['selectRunPayloads', 'selectRunPayloads']],
    ])('with its texts if they are small: runs with %s payloads', async (session, bytes, statements) => {
      await insertTen(session, bytes);
      recording.clear();
      const { runs } = await ask(pageOf(session, 'input result error { name }'));
      const { nodes } = runs as { nodes: { input: string; result: string | null }[] };
      expect(nodes.map(({ input }) => input.length)).toEqual(Array(10).fill(bytes));
      expect(nodes.map(({ result }) => result?.length ?? 0).sort()).toEqual(
        [...Array(5).fill(0), ...Array(5).fill(bytes)].sort(),
      );
      expect(payloadStatements()).toEqual(statements);
    });

    it('for as many rows and columns as a page may have', async () => {
      const error = '{"message":"x"}';
      for (let n = 0; n < 150; n++)
        await insertRun(test.engine, projectId, { session: 'wide', status: 'failed', error });
      recording.clear();
      await ask('{ runs(filter: { session: "wide" }, first: 200) { nodes { input result error { message } } } }');
      expect(payloadStatements()).toEqual(['selectRunPayloads']);
    });

    it('of no column that the document leaves out by a directive', async () => {
      await insertTen('without', 20_000);
      recording.clear();
      await ask(pageOf('without', 'id input @include(if: false) ... on Run @skip(if: true) { result }'));
      expect(payloadStatements()).toEqual([]);
    });

    it('and read no more than the document asks for, by several lists too', async () => {
      await insertTen('twice', 20_000);
      recording.clear();
      const inputs = 'runs(filter: { session: "twice" }) { nodes { input } }';
      const results = 'runs(filter: { session: "twice" }) { nodes { result } }';
      const { a, b } = await ask(`{ a: ${inputs} b: ${results} }`);
      expect([a, b]).toMatchObject([{ nodes: { length: 10 } }, { nodes: { length: 10 } }]);
    });

    it.each([
      ['small', 10, 1],
      ['large', 20_000, 2],
    ])('events with %s payloads', async (name, bytes, times) => {
      for (let n = 0; n < 6; n++)
        await sendEvent(test.engine, {
          projectId,
          input: { name, data: RawJson.trusted(JSON.stringify('x'.repeat(bytes))) },
        });
      recording.clear();
      await ask(`{ events(name: "${name}") { edges { node { data } } } }`);
      expect(payloadStatements()).toEqual(Array(times).fill('selectEventData'));
    });

    it.each([
      ['small', 10, 1],
      ['large', 20_000, 2],
    ])('steps with %s payloads, and of those on the page alone', async (_size, bytes, times) => {
      const id = await insertRun(test.engine, projectId);
      const output = JSON.stringify('x'.repeat(bytes));
      for (let index = 0; index < 10; index++) await insertStep(test.engine, id, { index, output });
      recording.clear();
      const document = `query ($id: ID!, $after: String) { run(id: $id) {
        stepPage(first: 6, after: $after) { nodes { index output input } pageInfo { endCursor } } } }`;
      const first = await ask(document, { id });
      expect(payloadStatements()).toEqual(Array(times).fill('selectStepPayloads'));
      const { stepPage } = first['run'] as { stepPage: { nodes: unknown[]; pageInfo: { endCursor: string } } };
      const texts = (from: number, to: number): object[] =>
        Array.from({ length: to - from }, (_, n) => ({ index: from + n, output: 'x'.repeat(bytes), input: null }));
      expect(stepPage.nodes).toEqual(texts(0, 6));
      const second = await ask(document, { id, after: stepPage.pageInfo.endCursor });
      expect(second['run']).toMatchObject({ stepPage: { nodes: texts(6, 10) } });
    });
  });

  it('children and replays are bounded for each run', async () => {
    const parent = await insertRun(test.engine, projectId);
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push(await insertRun(test.engine, projectId, { parentRunId: parent }));
    expect(await ask('query ($id: ID!) { run(id: $id) { children(limit: 2) { id } } }', { id: parent })).toEqual({
      run: { children: ids.slice(0, 2).map((id) => ({ id })) },
    });
  });
});
