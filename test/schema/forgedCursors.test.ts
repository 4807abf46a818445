import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertRun, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
let runId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  runId = await insertRun(test.engine, projectId);
});

/** A cursor as anyone can make it: any text, and the right checksum. */
function forge(order: string, text: string): string {
  const body = Buffer.from(text, 'utf8').toString('base64url');
  return body + createHash('sha256').update(`${order}\n${body}`).digest('base64url').slice(0, 8);
}

const id = newId();
const texts = [
  ...['', '{', '{}', 'null', '"x"', '[]', '[null]', '[{}]', '[true,true]', '[1e400]', '[0.5,0.5]', '[1e300,1e300]'],
  ...['["\\u0000","\\u0000"]', '["\\ud800","\\ud800"]', '[2147483648,0]', '[1,2,3,4,5]', '["a","b","c","d"]'],
  ...[`["${id}",1e300]`, `["${id}",-9e15]`, `["${id}",0,1e300]`, `["${id}",0,0.5]`, `["${id}",0,{}]`],
  ...[`["${id}",0,"\\u0000"]`, `["${id}",0,"x",0]`, `["${id}' or true --",0]`],
];

const runLists = ['STARTED', 'WORKFLOW', 'STATUS', 'APP', 'DURATION'].flatMap((sort) =>
  ['ASC', 'DESC'].map((dir): [string, string] => [
    `runs.${sort}.${dir}`.toLowerCase(),
    `runs(after: $after, sort: ${sort}, dir: ${dir}) { nodes { id } }`,
  ]),
);
const lists: [order: string, field: string][] = [
  ...runLists,
  ['events.newest', 'events(after: $after) { nodes { id } }'],
  ['approvals.newest', 'approvals(after: $after) { nodes { id } }'],
  ['webhookDeliveries.newest', 'webhookDeliveries(after: $after) { nodes { id } }'],
  ['controlActions.newest', 'controlActions(after: $after) { nodes { id } }'],
  ['workflows', 'workflowPage(after: $after) { nodes { name } }'],
  ['apps', 'appPage(after: $after) { nodes { name } }'],
  ['runners', 'runnerPage(after: $after) { nodes { runnerId } }'],
  ['run.steps', 'run(id: $runId) { stepPage(after: $after) { nodes { name } } }'],
];

describe('a forged cursor', () => {
  it.each(lists)('of %s is refused, whatever it holds', async (order, field) => {
    const ask = (after: string) => {
      const declared = field.includes('$runId') ? '($after: String, $runId: ID!)' : '($after: String)';
      return query(test.engine, secretKey(projectId), `query ${declared} { ${field} }`, { after, runId });
    };
    for (const text of texts) {
      const refusal = { kind: 'invalid', message: expect.stringContaining('cursor') };
      await expect(ask(forge(order, text)), text).rejects.toMatchObject(refusal);
    }
  });
});
