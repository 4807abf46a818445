import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import type { RunRecord } from './runRecord.ts';
import { mayWithhold } from './withheld.ts';

const tenSeconds = 10_000;
const dueAfter = (at: number): number => (Math.floor(at / tenSeconds) + 1) * tenSeconds;

/**
 * Each due time of a schedule has its run, or is merged into the previous one, which was late
 * (I17). The next run is that of the first due time after a run's creation, and no due time before
 * the end lacks a run.
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
      // If a start may be dropped, its neighbours cannot be checked.
      if (mayWithhold(flow)) continue;
      const end = ledger.schedulesEndedAt.getTime();
      const isFollowed =
        next <= dueAfter(createdAt) || (next === Number.POSITIVE_INFINITY && dueAfter(createdAt) > end);
      agree(`${what}, made at ${new Date(createdAt).toISOString()}, is followed by the next`, isFollowed, true);
    }
  }
}
