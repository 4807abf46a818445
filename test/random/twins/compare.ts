import fc from 'fast-check';
import { createTestEngine, type OwnedEngine } from '../../support/engine.ts';
import { Coverage } from '../kit/coverage.ts';
import { falseAlarm } from './fixtures.ts';
import type { RunTold, WorldTold } from './journal.ts';
import { KitWorld } from './kitWorld.ts';
import { type Script, scripts } from './script.ts';
import { ServiceWorld } from './serviceWorld.ts';
import { tellService } from './tellService.ts';
import { TickingClock } from './tickingClock.ts';

export interface Comparison {
  coverage: Coverage;
  failures: string[];
  tried: number;
}

/**
 * Plays random scripts with the test kit and with the engine of the service, and compares what both
 * tell of all runs after each move: statuses, results, errors, rows of steps, log lines, approvals,
 * events, times. In the end each run of the service is replayed, as a recorded one: no replay may
 * report a divergence.
 *
 * What the service leaves open is made the same on both sides. Retries take no random tenth more.
 * One run executes at a time, and time stands still meanwhile.
 */
export async function compareWorlds({
  seed,
  from,
  count,
}: {
  seed: number;
  from: number;
  count: number;
}): Promise<Comparison> {
  const { random } = Math;
  const clock = new TickingClock(Date.UTC(2026, 0, 1));
  const host = await createTestEngine({ clock });
  const course: Comparison = { coverage: new Coverage(), failures: [], tried: 0 };
  try {
    Math.random = () => 0;
    for (let at = from; at < from + count && course.failures.length < 5; at += 1) {
      const [script] = fc.sample(scripts, { seed: seed + at, numRuns: 1 });
      if (script === undefined) throw new Error('no script');
      course.tried += 1;
      const difference = await differenceIn(script, { host, clock, coverage: course.coverage });
      if (difference !== undefined)
        course.failures.push(
          `case ${at}: RANDOM_SEED=${seed} RANDOM_FROM=${at} RANDOM_COUNT=1\n${difference}\n${JSON.stringify(script)}`,
        );
    }
    return course;
  } finally {
    Math.random = random;
    await host.close();
  }
}

interface Setting {
  host: OwnedEngine;
  clock: TickingClock;
  coverage: Coverage;
}

/** The first difference between the two worlds; undefined if there is none. */
async function differenceIn(script: Script, { host, clock, coverage }: Setting): Promise<string | undefined> {
  const service = await ServiceWorld.open({ engine: host.engine, clock }, script);
  try {
    const kit = await KitWorld.open(script, service.startMs);
    const first = differenceOf(kit.tell(), await tellService(service));
    if (first !== undefined) return `at the start: ${first}`;
    for (const [number, move] of script.moves.entries()) {
      const here = `after move ${number}, ${JSON.stringify(move)}`;
      coverage.count('move', move.kind);
      const [one, other] = [await kit.play(move), await service.play(move)];
      if (one !== other) return `${here}: the kit ${one}, the service ${other}`;
      const difference = differenceOf(kit.tell(), await tellService(service));
      if (difference !== undefined) return `${here}: ${difference}`;
    }
    const alarm = await falseAlarm(service);
    if (alarm !== undefined) return `a replay reports a divergence that is none: ${alarm}`;
    for (const [way, passes] of Object.entries(service.passes)) if (passes > 0) coverage.count('pass', way);
    for (const { status, steps } of kit.tell().runs) {
      coverage.count('run', status);
      coverage.count('steps', steps.length > 4 ? 'many' : 'few');
    }
    return undefined;
  } finally {
    await service.close();
  }
}

/** Both as texts, which name the place of a difference. */
function differenceOf(kit: WorldTold, service: WorldTold): string | undefined {
  const [one, other] = [linesOf(kit), linesOf(service)];
  const at = one.findIndex((line, index) => line !== other[index]);
  if (at < 0 && one.length === other.length) return undefined;
  const place = at < 0 ? one.length : at;
  if (process.env['RANDOM_COUNT'] === '1') console.log(`kit\n${one.join('\n')}\n\nservice\n${other.join('\n')}`);
  return `line ${place}\n  kit:     ${one[place]}\n  service: ${other[place]}`;
}

/**
 * An event that cancels a run and its child may reach the child directly, or by the end of its
 * parent: the service does both at once. Only the error tells which came first.
 */
const decided = ({ error, ...run }: RunTold, all: readonly RunTold[]): Omit<RunTold, 'error'> & { error?: unknown } => {
  const parent = run.parent === undefined ? undefined : all[run.parent];
  const isOpen = run.status === 'cancelled' && parent?.status === 'cancelled' && parent.endedInMs === run.endedInMs;
  return isOpen ? run : { ...run, error };
};

function linesOf({ runs: all, ...rest }: WorldTold): string[] {
  const runs = all.map((run) => decided(run, all));
  const told = runs.flatMap(({ steps, logs, approvals, ...run }, number) => [
    `run ${number} ${sorted(run)}`,
    ...steps.map((step) => `run ${number} step ${sorted(step)}`),
    ...logs.map((line) => `run ${number} log ${sorted(line)}`),
    ...approvals.map((approval) => `run ${number} approval ${sorted(approval)}`),
  ]);
  return [...told, sorted(rest)];
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
