import { z } from 'zod';
import { newId } from '../../../ids.ts';
import {
  count,
  durationMs,
  groupByScope,
  key,
  listBuffers,
  maxStateRows,
  nameOfScope,
  ofWorkflow,
  type Policy,
  policyState,
  putBufferItems,
} from '../../index.ts';
import { type Filling, fillBuffers, type OpenBuffer } from './fillBuffers.ts';
import { addBatches } from './sql/addBatches.ts';
import { growBatches } from './sql/growBatches.ts';
import { type Gathering, openBatches } from './sql/openBatches.ts';

/** The ms until the first of a scope's buffers is due. */
const dueInMs = ({ first, further }: Filling, timeoutMs: number): number =>
  first.closed ? 0 : Math.min(timeoutMs, ...further.map((each) => each.timeoutMs));

const state = policyState({
  field: 'batch',
  row: z
    .object({
      ...ofWorkflow,
      buffered: z.number().describe('Buffered events.'),
      oldestAt: z.date().describe('The arrival time of the first buffered event.'),
    })
    .meta({ title: 'FlowBatchState' }),
  async read(ctx, question) {
    const rows = await listBuffers(ctx.db, { ...question, policy: 'batch', limit: maxStateRows });
    return rows.map(({ app, workflow, items: buffered, oldestAt }) => ({ app, workflow, buffered, oldestAt }));
  },
});

/**
 * 2.2 `batch`: starts are collected in their scope's buffer, until there are `maxSize`, or the
 * first has waited for `timeoutMs`. A buffer that is full for one run is closed, and the next start
 * opens another.
 */
export const batch = {
  settings: z.strictObject({ maxSize: count, timeoutMs: durationMs, key }).meta({ title: 'FlowBatch' }),
  origins: ['start', 'debounced'],
  gates: {
    async gather({ ctx, tx }, asks) {
      const groups = groupByScope(asks);
      const now = ctx.clock.sql();
      const gatherings = groups.map(
        ({ scope, asking: [first] }): Gathering => ({ id: newId(), scope, timeoutMs: first?.policy.timeoutMs ?? 0 }),
      );
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
      const inMs = Math.min(...fillings.map((each, position) => dueInMs(each, gatherings[position]?.timeoutMs ?? 0)));
      tx.afterCommit(() => ctx.bus.emit('work.due', { inMs }));
    },
  },
  wait: ({ timeoutMs, maxSize }) => ({ waitMs: timeoutMs, maxSize }),
  state,
} satisfies Policy<'batch'>;
