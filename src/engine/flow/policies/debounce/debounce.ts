import { z } from 'zod';
import { newId } from '../../../ids.ts';
import {
  type Ask,
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
  type ScopeGroup,
} from '../../index.ts';
import { slideDebounced } from './sql/slideDebounced.ts';

/** The last start of each scope. */
const lastOf = (scopes: readonly ScopeGroup<Ask<'debounce'>['policy']>[]) =>
  scopes.flatMap(({ scope, name, asking }) => {
    const last = asking.at(-1);
    return last ? [{ scope, name, run: last.candidate.run, periodMs: last.policy.periodMs }] : [];
  });

function bufferOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error('a scope has no buffer');
  return id;
}

const state = policyState({
  field: 'debounce',
  row: z
    .object({
      ...ofWorkflow,
      pending: z.number().describe('Buffered starts.'),
      nextFireAt: z.date().describe('When the next buffered start fires, unless another event arrives.'),
    })
    .meta({ title: 'FlowDebounceState' }),
  async read(ctx, question) {
    const rows = await listBuffers(ctx.db, { ...question, policy: 'debounce', limit: maxStateRows });
    return rows.map(({ app, workflow, buffers: pending, firstFlushAt }) => ({
      ...{ app, workflow, pending },
      nextFireAt: firstFlushAt,
    }));
  },
});

/**
 * 2.2 `debounce`: a start waits in its scope's buffer until the scope has been quiet for
 * `periodMs`. Each new start replaces the one before. Among concurrent starts, the last one to lock
 * the buffer wins.
 */
export const debounce = {
  settings: z.strictObject({ periodMs: durationMs, key }).meta({ title: 'FlowDebounce' }),
  origins: ['start'],
  gates: {
    async debounce({ ctx, tx }, asks) {
      for (const { candidate } of asks) candidate.withheld = 'debounced';
      const scopes = groupByScope(asks);
      const groups = lastOf(scopes);
      const now = ctx.clock.sql();
      const debounced = groups.map(({ scope, run, periodMs }) => ({
        ...{ id: newId(), scope, periodMs },
        bytes: Buffer.byteLength(run.input.text),
      }));
      const rows = await slideDebounced(tx, { debounced, now });
      const ids = new Map(rows.map((row) => [nameOfScope(row), row.id]));
      for (const { name, asking } of scopes)
        for (const { candidate } of asking) candidate.bufferId = bufferOf(ids, name);
      const items = groups.map(({ name, run }) => ({ bufferId: bufferOf(ids, name), position: 0, run }));
      await putBufferItems(tx, { items, now });
      const inMs = Math.min(...groups.map((each) => each.periodMs));
      tx.afterCommit(() => ctx.bus.emit('work.due', { inMs }));
    },
  },
  wait: ({ periodMs }) => ({ waitMs: periodMs, maxSize: undefined }),
  state,
} satisfies Policy<'debounce'>;
