import { newId } from '../../ids.ts';
import { groupByScope, nameOfScope } from '../bufferScope.ts';
import { asking, type Gate } from '../candidate.ts';
import { putBufferItems } from '../sql/putBufferItems.ts';
import { slideDebounced } from '../sql/slideDebounced.ts';

/**
 * `debounce` (2.2): a start waits in its scope's buffer until the scope has been quiet for
 * `periodMs`; every further one takes the place of the one before. Whoever locks the buffer last,
 * is last.
 */
export const debounce: Gate = async ({ ctx, tx }, candidates) => {
  const groups = groupByScope(asking(candidates, 'debounce')).flatMap(({ scope, name, asking: all }) => {
    for (const { candidate } of all) candidate.withheld = 'debounced';
    const last = all.at(-1);
    return last ? [{ scope, name, run: last.candidate.run, periodMs: last.policy.periodMs }] : [];
  });
  if (groups.length === 0) return;
  const now = ctx.clock.sql();
  const debounced = groups.map(({ scope, run, periodMs }) => ({
    ...{ id: newId(), scope, periodMs },
    bytes: Buffer.byteLength(run.input.text),
  }));
  const rows = await slideDebounced(tx, { debounced, now });
  const ids = new Map(rows.map((row) => [nameOfScope(row), row.id]));
  const items = groups.map(({ name, run }) => ({ bufferId: bufferOf(ids, name), position: 0, run }));
  await putBufferItems(tx, { items, now });
  const inMs = Math.min(...groups.map((each) => each.periodMs));
  tx.afterCommit(() => ctx.bus.emit('work.due', { inMs }));
};

function bufferOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error('a scope has no buffer');
  return id;
}
