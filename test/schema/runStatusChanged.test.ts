import { beforeEach, expect, it } from 'vitest';
import { prepare, subscribeTo } from '../../src/schema/index.ts';
import { Journal, toStatus } from '../engine/timeline/journal.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { contextOf, publicKey, recordStatements } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeEach(async () => {
  projectId = await createTestProject(test.engine);
});

const changes = prepare(`subscription ($after: String, $statuses: [RunStatus!]) {
  runStatusChanges(after: $after, statuses: $statuses, intervalMs: 0) {
    changes { runId status run { id status } } cursor isGap
  }
}`);

interface Message {
  changes: { runId: string; status: string; run: { id: string; status: string } | null }[];
  cursor: string;
  isGap: boolean;
}

async function open(variables = {}, engine = test.engine, project = projectId) {
  const stream = await subscribeTo(changes, variables, contextOf(engine, publicKey(project)));
  const next = async () =>
    JSON.parse(JSON.stringify((await stream.next()).value?.data?.['runStatusChanges'])) as Message;
  return { next, close: () => stream.return?.() };
}

it('runStatusChanges reads the runs of a message with one statement, and resumes', async () => {
  const { engine, statements, clear } = recordStatements(test.engine);
  const first = await open({}, engine);
  const { cursor } = await first.next();
  const journals = [await Journal.start(test.engine, projectId), await Journal.start(test.engine, projectId)];
  await first.next();
  await first.close();
  for (const journal of journals) await journal.publish(toStatus('running'));
  const second = await open({ after: cursor, statuses: ['RUNNING'] }, engine);
  clear();
  const missed = await second.next();
  expect(missed).toMatchObject({
    isGap: false,
    changes: journals.map(({ runId: id }) => ({ status: 'RUNNING', run: { id } })),
  });
  expect(statements.filter((each) => /^select/.test(each))).toEqual(['selectRunRows']);
  await second.close();
});

it("runStatusChanges tells nothing of another project's runs", async () => {
  const stranger = await createTestProject(test.engine);
  const theirs = await open({}, test.engine, stranger);
  const { cursor } = await theirs.next();
  const own = await open();
  await own.next();
  const journal = await Journal.start(test.engine, projectId);
  expect((await own.next()).changes).toMatchObject([{ runId: journal.runId }]);
  await theirs.close();
  const again = await open({ after: cursor }, test.engine, stranger);
  expect(await again.next()).toMatchObject({ changes: [], isGap: false });
  await Promise.all([own.close(), again.close()]);
});

it('runStatusChanged takes statuses', async () => {
  const document = prepare('subscription { runStatusChanged(statuses: [FAILED, CANCELLED]) { runId status } }');
  const stream = await subscribeTo(document, {}, contextOf(test.engine, publicKey(projectId)));
  const first = stream.next();
  const journal = await Journal.start(test.engine, projectId);
  await journal.publish(toStatus('running'));
  await journal.publish(toStatus('failed'));
  expect((await first).value?.data?.['runStatusChanged']).toEqual({ runId: journal.runId, status: 'FAILED' });
  await stream.return?.();
});
