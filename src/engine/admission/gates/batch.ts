import { newId } from '../../ids.ts';
import { groupByScope, nameOfScope } from '../bufferScope.ts';
import { asking, type Gate } from '../candidate.ts';
import { type Filling, fillBuffers, type OpenBuffer } from '../fillBuffers.ts';
import { addBatches } from '../sql/addBatches.ts';
import { growBatches } from '../sql/growBatches.ts';
import { openBatches } from '../sql/openBatches.ts';
import { putBufferItems } from '../sql/putBufferItems.ts';

/**
 * `batch` (2.2): starts are gathered in their scope's buffer until there are `maxSize`, or until
 * the first has waited for `timeoutMs`. A buffer that holds as much as one run is to carry is
 * closed, and the next start opens another.
 */
export const batch: Gate = async ({ ctx, tx }, candidates) => {
  const groups = groupByScope(asking(candidates, 'batch'));
  if (groups.length === 0) return;
  const now = ctx.clock.sql();
  const gatherings = groups.map(({ scope, asking: [first] }) => ({
    ...{ id: newId(), scope, timeoutMs: first?.policy.timeoutMs ?? 0 },
  }));
  const open = new Map<string, OpenBuffer>();
  for (const row of await openBatches(tx, { gatherings, now })) {
    open.set(nameOfScope(row), { id: row.id, items: row.items, bytes: row.bytes });
  }
  const fillings = groups.map((group) => {
    const buffer = open.get(group.name);
    if (!buffer) throw new Error('a scope has no open buffer');
    for (const { candidate } of group.asking) candidate.withheld = 'batched';
    return fillBuffers(buffer, group, ctx.settings.limits);
  });
  const further = fillings.flatMap((each) => each.further);
  await growBatches(tx, { buffers: fillings.map((each) => each.first), now });
  if (further.length > 0) await addBatches(tx, { buffers: further, now });
  await putBufferItems(tx, { items: fillings.flatMap((each) => each.items), now });
  const inMs = Math.min(...fillings.map((each, place) => dueInMs(each, gatherings[place]?.timeoutMs ?? 0)));
  tx.afterCommit(() => ctx.bus.emit('work.due', { inMs }));
};

/** In how many ms the earliest of a scope's buffers is to be flushed. */
const dueInMs = ({ first, further }: Filling, timeoutMs: number): number =>
  first.closed ? 0 : Math.min(timeoutMs, ...further.map((each) => each.timeoutMs));
