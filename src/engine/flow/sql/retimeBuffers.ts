import { float8, int, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';
import type { PolicyName } from '../gate.ts';

export interface BufferChange {
  policy: PolicyName;
  app: string;
  name: string;
  /** How many ms longer (negative: shorter) a buffer waits now. Undefined: no policy, it is due. */
  longerMs: number | undefined;
  /** The number of starts that fills a buffer now; undefined if none does. */
  maxSize: number | undefined;
}

/**
 * Makes buffers wait as long as the policies in force say, and answers which they were. A batch
 * that is full by now takes nothing more, and is due. Buffers that are being filled or flushed are
 * skipped, not waited for.
 */
export const retimeBuffers = statement<{ id: string }>('retimeBuffers').writes({
  params: {
    at: timestamptz,
    projectId: uuid,
    changes: rowset({ policy: text, app: text, name: text, longerMs: float8.orNull, maxSize: int.orNull }),
  },
  text: `
    with locked as materialized (
      select b.id, c.longer_ms, coalesce(b.items >= c.max_size, false) as is_full
      from $changes as c
      join flow_buffer b on b.project_id = $projectId and b.policy = c.policy and b.app = c.app and b.workflow = c.name
        and not b.closed
      order by b.id
      for update of b skip locked
    )
    update flow_buffer b set
      closed = l.is_full,
      flush_at = case when l.longer_ms is null or l.is_full then least(b.flush_at, $at)
        else b.flush_at + l.longer_ms * interval '1 ms' end
    from locked l
    where b.id = l.id
    returning b.id
  `,
});
