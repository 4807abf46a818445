import { bytea, float8, instant, statement, text, uuid } from '../../db/index.ts';

interface Row {
  isClaimed: boolean;
  digest: Buffer;
  /** JSON text. */
  done: string | null;
}

const isOver = 'c.expires_at <= $now';

/**
 * Claims a call, or returns the claim that holds it. If another transaction is claiming it, the
 * statement waits for the end of that one. An expired claim is replaced. A valid one is rewritten
 * unchanged, because only written rows are returned.
 */
export const claimCall = statement<Row>('claimCall').writes({
  params: {
    now: instant,
    projectId: uuid,
    key: text,
    callId: text,
    digest: bytea,
    claim: uuid,
    windowMs: float8,
  },
  text: `
    insert into agent_call as c (project_id, key, call_id, digest, claim, expires_at)
    values ($projectId, $key, $callId, $digest, $claim, $now + $windowMs * interval '1 ms')
    on conflict (project_id, key, call_id) do update set
      digest = case when ${isOver} then excluded.digest else c.digest end,
      claim = case when ${isOver} then excluded.claim else c.claim end,
      done = case when ${isOver} then null else c.done end,
      expires_at = case when ${isOver} then excluded.expires_at else c.expires_at end
    returning claim = $claim as is_claimed, digest, done
  `,
});
