import { statement } from '../../db/index.ts';

export interface BufferChange {
  policy: 'debounce' | 'batch';
  app: string;
  name: string;
  /** How much longer, in ms, a buffer lies now; negative: less long. Undefined where the policy is gone: nothing lies any more. */
  longerMs: number | undefined;
  /** How many fill a batch now; undefined for `debounce`. */
  maxSize: number | undefined;
}

interface Params {
  projectId: string;
  changes: readonly BufferChange[];
  now: Date;
}

/**
 * Has what is buffered wait as long as the policies in force say, and answers what it was. A batch that is full by now takes nothing
 * more, and is due. Passes over those that somebody is filling or flushing, and waits for nobody.
 */
export const retimeBuffers = statement<Params, { id: string }>({
  name: 'retimeBuffers',
  writes: true,
  text: `
    with locked as materialized (
      select b.id, c.longer_ms, coalesce(b.items >= c.max_size, false) as is_full
      from unnest($3::text[], $4::text[], $5::text[], $6::float8[], $7::int[]) as c(policy, app, name, longer_ms, max_size)
      join flow_buffer b on b.project_id = $2::uuid and b.policy = c.policy and b.app = c.app and b.workflow = c.name
        and not b.closed
      order by b.id
      for update of b skip locked
    )
    update flow_buffer b set
      closed = l.is_full,
      flush_at = case when l.longer_ms is null or l.is_full then least(b.flush_at, $1::timestamptz)
        else b.flush_at + l.longer_ms * interval '1 ms' end
    from locked l
    where b.id = l.id
    returning b.id
  `,
  values: ({ projectId, changes, now }) => [
    now,
    projectId,
    changes.map((each) => each.policy),
    changes.map((each) => each.app),
    changes.map((each) => each.name),
    changes.map((each) => each.longerMs ?? null),
    changes.map((each) => each.maxSize ?? null),
  ],
});
