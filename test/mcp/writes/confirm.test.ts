import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { meet } from '../../support/meeting.ts';
import { type McpServer, startMcp } from '../mcpServer.ts';
import { all, minute, openWrites, refused, type WriteScene } from './writeScene.ts';

let scene: WriteScene;
let other: McpServer;
beforeAll(async () => {
  scene = await openWrites();
  other = await startMcp({ beside: scene.mcp });
});
afterAll(async () => {
  await other.close();
  await scene.close();
});

let count = 0;
/** A tag of its own for each test. */
let tags: { test: string };
beforeEach(() => {
  count += 1;
  tags = { test: String(count) };
});

async function sleeping(howMany: number): Promise<string[]> {
  const ids: string[] = [];
  for (let each = 0; each < howMany; each += 1) ids.push(await scene.start('waits', { tags }));
  scene.clock.advance(5);
  return ids;
}

const statuses = async (ids: readonly string[]): Promise<string[]> => {
  const rows = await scene.engine.db.prisma.run.findMany({ where: { id: { in: [...ids] } } });
  return rows.map(({ status }) => status);
};

const preview = async (given: object = { tags, workflow: 'waits' }) =>
  (await scene.tool('bulk_cancel_runs', given)).structuredContent;

describe('bulk_cancel_runs at /mcp', () => {
  it('previews without a change, then acts on exactly what it counted', async () => {
    const ids = await sleeping(3);
    const given = { workflow: 'waits', tags, since: '10m' };
    const first = await scene.tool('bulk_cancel_runs', given);
    const { preview: shown, confirm, expiresAt } = first.structuredContent;
    expect(shown).toMatchObject({ matched: 3, count: 3, skipped: 0, capped: false });
    expect(shown.sample.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
    expect(Date.parse(expiresAt)).toBe(scene.clock.now().getTime() + 10 * minute);
    expect(await statuses(ids)).toEqual(['waiting', 'waiting', 'waiting']);
    const [late] = await sleeping(1);
    scene.clock.advance(5 * minute);
    const second = await other.tool('bulk_cancel_runs', { ...given, confirm }, all);
    expect(second.structuredContent).toMatchObject({ matched: 3, cancelled: 3, skipped: 0, failed: 0, capped: false });
    expect(await statuses(ids)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await statuses([late ?? ''])).toEqual(['waiting']);
    expect((await scene.audit()).at(-1)).toMatchObject({
      action: 'bulk_cancel',
      detail: { cancelled: 3, via: 'mcp', client: { name: 'a test' } },
    });
  });

  it('refuses a filter that selects everything', async () => {
    expect(await scene.tool('bulk_cancel_runs', {})).toMatchObject(
      refused('a bulk call needs at least one filter, such as workflow, status, since, errorGroup or runIds'),
    );
  });

  it('gives no token where there is nothing to act on', async () => {
    expect(await preview({ app: 'none' })).toEqual({
      preview: expect.objectContaining({ matched: 0, capped: false, sample: [] }),
    });
  });

  it('acts once for a token, over all processes, and says what the first use did', async () => {
    const ids = await sleeping(2);
    const given = { workflow: 'waits', tags };
    const { confirm } = await preview(given);
    await scene.tool('bulk_cancel_runs', { ...given, confirm });
    await sleeping(1);
    expect(await other.tool('bulk_cancel_runs', { ...given, confirm }, all)).toMatchObject(
      refused('confirm was used before: 2 runs cancelled, 0 skipped, 0 failed.', 'CONFLICT'),
    );
    expect(await statuses(ids)).toEqual(['cancelled', 'cancelled']);
  });

  it('names the part that differs', async () => {
    const ids = await sleeping(1);
    const given = { workflow: 'waits', tags };
    const { confirm } = await preview(given);
    const call = (more: object, name = 'bulk_cancel_runs', caller = all) =>
      scene.tool(name, { ...given, confirm, ...more }, caller);
    const stranger = await scene.mcp.stranger();
    const altered = 'confirm is not as it was given: it was altered, or belongs elsewhere';
    expect(await call({ app: 'shop' })).toMatchObject(refused('confirm was given for other arguments'));
    expect(await call({ dedupeId: 'x' })).toMatchObject(refused('confirm was given for other arguments'));
    expect(await call({ tags: undefined }, 'bulk_replay_runs')).toMatchObject(
      refused('confirm was given for another tool'),
    );
    expect(await call({}, undefined, { key: await scene.newKey() })).toMatchObject(
      refused('confirm was given for another key'),
    );
    expect(await call({}, undefined, { key: stranger.secret })).toMatchObject(
      refused('confirm was given for another project'),
    );
    const middle = Math.floor(confirm.length / 2);
    const swapped = confirm[middle] === 'A' ? 'B' : 'A';
    for (const token of [
      'x',
      `${confirm.slice(0, middle)}${swapped}${confirm.slice(middle + 1)}`,
      confirm.slice(4),
      `${confirm}A`,
    ])
      expect(await call({ confirm: token })).toMatchObject(refused(altered, 'BAD_USER_INPUT'));
    scene.clock.advance(10 * minute);
    expect(await call({})).toMatchObject(
      refused('confirm has expired: call again without it, and use the new one within 10 minutes'),
    );
    expect(await statuses(ids)).toEqual(['waiting']);
  });

  it.each(['claimCall:before', 'claimCall:after', 'finishRuns:before', 'finishRuns:after', 'recordCall:after'])(
    'acts for one of two confirmations at once, on two processes (%s)',
    async (at) => {
      const ids = await sleeping(2);
      const given = { workflow: 'waits', tags };
      const { confirm } = await preview(given);
      const results: { isError?: boolean }[] = [];
      const call = async (server: Pick<McpServer, 'tool'>): Promise<void> => {
        results.push(await server.tool('bulk_cancel_runs', { ...given, confirm }, all));
      };
      await meet(scene.engine.db, { at, first: () => call(scene.mcp), second: () => call(other) });
      expect(results.filter(({ isError }) => isError)).toHaveLength(1);
      expect(await statuses(ids)).toEqual(['cancelled', 'cancelled']);
    },
  );

  it('never acts again after a process died under way', async () => {
    const ids = await sleeping(2);
    const given = { workflow: 'waits', tags };
    const { confirm } = await preview(given);
    onFailPoint((reached) => {
      if (reached === 'recordCall:before') throw new Error('the process died');
    });
    await scene.tool('bulk_cancel_runs', { ...given, confirm });
    onFailPoint(undefined);
    expect(await other.tool('bulk_cancel_runs', { ...given, confirm }, all)).toMatchObject(
      refused(
        'confirm was used before, and its call has not ended or was cut off: look at the runs, then preview again',
      ),
    );
    expect(await statuses(ids)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('bulk_replay_runs at /mcp', () => {
  it('replays what it counted, with the span of the preview', async () => {
    await scene.start('breaks');
    await scene.start('breaks');
    scene.clock.advance(minute);
    const given = { workflow: 'breaks', status: 'failed', since: '2m' };
    const { preview: shown, confirm } = (await scene.tool('bulk_replay_runs', given)).structuredContent;
    expect(shown).toMatchObject({ matched: 2, count: 2 });
    scene.clock.advance(5 * minute);
    await scene.start('breaks');
    const { structuredContent } = await scene.tool('bulk_replay_runs', { ...given, confirm });
    expect(structuredContent).toMatchObject({ matched: 2, replayed: 2, skipped: 0, failed: 0, capped: false });
  });
});

describe('a preview at /mcp in little room', () => {
  it('keeps its token whole, so that it can be used', async () => {
    const ids = await sleeping(6);
    const given = { workflow: 'waits', tags };
    const { confirm } = await preview({ ...given, maxBytes: 1_024 });
    await scene.tool('bulk_cancel_runs', { ...given, confirm });
    expect(new Set(await statuses(ids))).toEqual(new Set(['cancelled']));
  });
});
