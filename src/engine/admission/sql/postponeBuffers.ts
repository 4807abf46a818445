import { float8, instant, rowset, statement, uuid } from '../../db/index.ts';

/** Moves the due times of buffers, and leaves their items unchanged. */
export const postponeBuffers = statement<Record<string, never>>('postponeBuffers').writes({
  params: { now: instant, postponed: rowset({ id: uuid, pauseMs: float8 }) },
  text: `
    update flow_buffer b set flush_at = $now + p.pause_ms * interval '1 ms'
    from $postponed as p
    where b.id = p.id
  `,
});
