import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  // The first start reads the registry and creates the lane. The following starts share a
  // statement.
  await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
});
afterEach(() => onFailPoint(undefined));

const runs = () => test.db.prisma.run.count({ where: { projectId } });
const trigger = (dedupeId?: string) =>
  triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: dedupeId ? { dedupeId } : {} });
const send = () => sendEvent(test.engine, { projectId, input: { name: 'flow' } });

/** Loses the connection once, after the statement was committed. Counts the executions. */
function loseAfter(name: string): { begun: number } {
  const seen = { begun: 0 };
  onFailPoint((point) => {
    if (point === `${name}:before`) seen.begun += 1;
    if (point !== `${name}:after` || seen.begun > 1) return;
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  });
  return seen;
}

const lost = { status: 'rejected', reason: expect.objectContaining({ code: 'ECONNRESET' }) };

describe('starts whose connection is lost at the commit', () => {
  it('are not answered as duplicates of themselves; a retry is answered as a duplicate', async () => {
    const before = await runs();
    const seen = loseAfter('ingestIntakes');
    expect(await Promise.allSettled([trigger('one'), trigger('two')])).toEqual([lost, lost]);
    expect(seen.begun).toBe(1);
    onFailPoint(undefined);
    expect(await runs()).toBe(before + 2);
    expect(await Promise.all([trigger('one'), trigger('two')])).toMatchObject([
      { withheld: 'deduped' },
      { withheld: 'deduped' },
    ]);
    expect(await runs()).toBe(before + 2);
  });

  it.each([
    ['ingestIntakes', send],
    ['ingestStarts', () => trigger()],
  ])('are recorded once by %s, and not dropped as their own duplicates', async (name, start) => {
    const before = await runs();
    const seen = loseAfter(name);
    expect(await Promise.allSettled([start(), start()])).toEqual([lost, lost]);
    expect(seen.begun).toBe(1);
    expect(await runs()).toBe(before + 2);
  });
});
