import { statement } from '../../db/index.ts';

/** Leaves buffers as they are, to be tried again later. */
export const postponeBuffers = statement<
  { postponed: readonly { id: string; pauseMs: number }[]; now: Date | null },
  Record<string, never>
>({
  name: 'postponeBuffers',
  writes: true,
  text: `
    update flow_buffer b set flush_at = coalesce($1::timestamptz, now()) + p.pause_ms * interval '1 ms'
    from unnest($2::uuid[], $3::float8[]) as p(id, pause_ms)
    where b.id = p.id
  `,
  values: ({ postponed, now }) => [now, postponed.map((each) => each.id), postponed.map((each) => each.pauseMs)],
});
