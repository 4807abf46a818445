import { silenceMs } from '../../work/index.ts';
import { defineCheck, type FoundRow } from '../check.ts';

interface Row extends FoundRow {
  lease_id: string;
  silent_ms: number | null;
}

/** A dispatcher that fell silent this long ago should have been found dead by the others, and its runs freed. */
const graceMs = silenceMs + 4_000;

/**
 * A silent dispatcher is held against the service only while another one is alive to free its runs: a stopped service frees
 * them at its next start. A lease of a dispatcher that is not even known is never right.
 */
export const leaseOfNobody = defineCheck<Row>({
  invariant: 'I3',
  name: 'leaseOfNobody',
  text: `
    select run_work.run_id as subject, run_work.project_id, run_work.lease_id,
      (extract(epoch from coalesce($2::timestamptz, now()) - dispatcher.heartbeat_at) * 1000)::float8 as silent_ms
    from run_work
    left join dispatcher on dispatcher.id = run_work.lease_id
    where run_work.lease_id is not null
      and (
        dispatcher.id is null
        or (
          dispatcher.heartbeat_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms'
          and exists (
            select from dispatcher alive
            where alive.heartbeat_at > coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms'
              and alive.started_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms')
        )
      )
    limit $1`,
  values: ({ now }) => [now, graceMs],
  describe: ({ subject, lease_id, silent_ms }) =>
    silent_ms === null
      ? `run ${subject} is leased to dispatcher ${lease_id}, which does not exist`
      : `run ${subject} is leased to dispatcher ${lease_id}, silent for ${Math.round(silent_ms / 1000)} s`,
});
