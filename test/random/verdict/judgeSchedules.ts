import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import type { RunRecord } from './runRecord.ts';
import { mayWithhold } from './withheld.ts';

const tenSeconds = 10_000;
const dueAfter = (at: number): number => (Math.floor(at / tenSeconds) + 1) * tenSeconds;

/**
 * Each due instant of a schedule has its run, or is folded into the one before, which was late
 * (I17): a run is followed by that of the first instant after its creation, and the last one by
 * none that was due before the end.
 */
export function judgeSchedules({ programs, ledger, coverage }: Scene, runs: readonly RunRecord[]): void {
  for (const { name, cron, flow } of programs.values()) {
    const fired = runs.filter((run) => run.workflow === name && run.trigger_kind === 'cron' && run.replay_of === null);
    if (!cron) agree(`runs of ${name}, which has no schedule`, fired.length, 0);
    if (!cron || !ledger.schedulesEndedAt) continue;
    const fires = fired
      .map((run) => ({ at: Date.parse(run.scheduled_at ?? ''), createdAt: Date.parse(run.created_at) }))
      .sort((one, other) => one.at - other.at);
    if (fires.length > 1) coverage.count('cron', 'several');
    for (const [position, { at, createdAt }] of fires.entries()) {
      const what = `the fire of ${name} at ${new Date(at).toISOString()}`;
      agree(`${what} is due then`, at % tenSeconds, 0);
      agree(`${what} does not come before its time`, createdAt >= at, true);
      const next = fires[position + 1]?.at ?? Number.POSITIVE_INFINITY;
      agree(`${what} is not another's`, next > at, true);
      // Where an instant may come to nothing, others have none before or after.
      if (mayWithhold(flow)) continue;
      const end = ledger.schedulesEndedAt.getTime();
      const isFollowed =
        next <= dueAfter(createdAt) || (next === Number.POSITIVE_INFINITY && dueAfter(createdAt) > end);
      agree(`${what}, made at ${new Date(createdAt).toISOString()}, is followed by the next`, isFollowed, true);
    }
  }
}
