import { setTimeout as delay } from 'node:timers/promises';
import { concurrencyLimit, promisedRuns } from '../../flow/policies/concurrency/index.ts';
import { type Check, defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher } from './grace.ts';

interface Row extends FoundRow {
  gate: 'slot' | 'ceiling';
}

/**
 * Long enough: a gated run is opened at once if there is room, or by the sweep every two seconds.
 */
const grace = "interval '10 seconds'";

/** The first gated run of each slot and each project with room, if a dispatcher is alive. */
const first = defineCheck<Row>({
  invariant: 'I3',
  name: 'gatedAndForgotten',
  text: `
    with recursive slot as (
      (select slot from run_work where state = 'gated' and gate = 'slot' order by slot limit 1)
      union all
      select (select w.slot from run_work w where w.state = 'gated' and w.gate = 'slot' and w.slot > slot.slot
              order by w.slot limit 1)
      from slot where slot.slot is not null
    ),
    waiting as (
      select head.*, 'slot' as gate, policy.max is null or policy.max > ${promisedRuns('head.slot', 'policy.max')}
        as has_room
      from (select slot from slot where slot is not null limit 10000) each
      cross join lateral (
        select run_id, project_id, lane_id, slot from run_work w
        where w.state = 'gated' and w.gate = 'slot' and w.slot = each.slot
        order by w.position, w.run_id limit 1
      ) head
      cross join lateral (select ${concurrencyLimit('head.lane_id')} as max offset 0) policy
      union all
      select head.*, 'ceiling', project.concurrency_ceiling = 0 or project.concurrency_ceiling > (
        select count(*) from run_work w where w.lease_id is not null and w.project_id = project.id)
      from project
      cross join lateral (
        select run_id, project_id, lane_id, slot from run_work w
        where w.gate = 'ceiling' and w.project_id = project.id
        order by w.position, w.run_id limit 1
      ) head
    )
    select waiting.run_id as subject, waiting.project_id, waiting.gate
    from waiting
    cross join lateral (
      select ts from run_frame where run_frame.run_id = waiting.run_id order by seq desc limit 1
    ) last
    where waiting.has_room and last.ts < $now - ${grace}
      and ${hasLiveDispatcher(grace)}
    limit $limit`,
  describe: ({ subject, gate }) =>
    `run ${subject} waits for ${gate === 'slot' ? 'a slot' : "its project's ceiling"}, but there is room`,
});

/** No run waits for long while there is room. Looks twice, because room may just have appeared. */
export const gatedAndForgotten: Check = {
  ...first,
  find: async (db, examination) => {
    const seen = new Set((await first.find(db, examination)).map(({ subject }) => subject));
    if (seen.size === 0) return [];
    await delay(examination.secondLookMs);
    return (await first.find(db, examination)).filter(({ subject }) => seen.has(subject));
  },
};
