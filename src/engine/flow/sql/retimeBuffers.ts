import { float8, int, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';
import type { PolicyName } from '../gate.ts';

export interface BufferChange {
  policy: PolicyName;
  app: string;
  name: string;
  /**
   * How many ms longer (negative: shorter) a buffer waits now. Undefined: the policy was removed,
   * and the buffer is due.
   */
  longerMs: number | undefined;
  /** The number of starts that fills a buffer now; undefined without a limit. */
  maxSize: number | undefined;
}

/**
 * Changes the due times of buffers to those of the current policies, and returns the buffers. A
 * batch that is now full is closed and due. Buffers that are being filled or flushed are skipped.
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
