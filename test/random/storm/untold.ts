import { idOf } from '../../support/scriptedRunner.ts';
import { agree } from '../kit/agree.ts';
import { agreeThatHandsAreKept } from './hands.ts';
import type { Scene } from './process.ts';

/**
 * At any moment, runs paused by hand stay paused (`hands.ts`). Also, a run is not parked, now or
 * after its resumption, while its handler lacks a result: no event would wake it for that. Steps
 * that end outside of a pass could get lost in this way. A run that has yet to start may lack
 * results of its source. A run that backs off may lack results that arrived meanwhile. Both wait
 * for their time.
 */
export async function agreeThatNothingIsUntold(scene: Scene): Promise<void> {
  const { db, projectId, ledger } = scene;
  await agreeThatHandsAreKept(scene);
  const { rows } = await db.query<{ run_id: string; name: string; state: string }>({
    name: 'settledOfParked',
    text: `
      select w.run_id, w.state, s.name from run_work w join run_step s on s.run_id = w.run_id
      where w.project_id = $1 and w.claim_no > 0 and (w.state = 'parked' or (w.state = 'paused' and w.resume_state = 'parked'))
        and not coalesce(w.due_at <= w.retry_at, false)
        and s.op in ('Approval', 'RunWorkflow', 'Sleep', 'SleepUntil', 'WaitForEvent')
        and s.status in ('succeeded', 'failed') and not s.will_retry
      order by w.run_id, s.index`,
    values: [projectId],
  });
  const untold = rows.filter(({ run_id, name }) => !ledger.wasTold(run_id, idOf(name)));
  agree(
    'what parked runs were not told',
    untold.map(({ run_id, state, name }) => `${name} of run ${run_id}, ${state}`),
    [],
  );
}
