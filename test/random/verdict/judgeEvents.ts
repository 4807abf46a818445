import { agree } from '../kit/agree.ts';
import { type Program, startOf } from '../program/program.ts';
import type { Scene } from '../storm/process.ts';
import type { Entry, EventRecord } from './eventRecord.ts';
import type { RunRecord } from './runRecord.ts';
import { outcomesOf, reasons } from './withheld.ts';

/**
 * An acknowledged event is recorded once, under its id, with its outcome in each workflow (I1): a
 * run, or the gate that withheld it (I2).
 */
export function judgeEvents(scene: Scene, runs: ReadonlyMap<string, RunRecord>, events: readonly EventRecord[]): void {
  const { ledger } = scene;
  const sent = events.filter(({ source }) => source === 'api');
  agree(
    'events, each acknowledged once',
    sent.map((row) => row.dedupe_id).sort(),
    ledger.acknowledged.map((each) => each.dedupeId).sort(),
  );
  agree(
    'runs that a client was told of and that do not exist',
    ledger.startedRuns.filter((id) => !runs.has(id)),
    [],
  );
  const records = new Map(sent.map((row) => [row.dedupe_id, row]));
  for (const { dedupeId, eventId, triggered } of ledger.acknowledged) {
    const record = records.get(dedupeId);
    agree(`the id of ${dedupeId}`, record?.id, eventId);
    if (triggered) agree(`what a client was told of ${dedupeId}`, triggered, record?.triggered.map(asTold));
  }
  for (const event of events) judgeStarts(scene, runs, event);
  for (const { workflow, reason } of ledger.refused) {
    agree(`a start of ${workflow} may be ${reason}`, mayCome(scene.programs.get(workflow), reason), true);
  }
}

/**
 * Each triggered workflow has one entry, and each entry a run, or a reason that its policies allow.
 */
function judgeStarts(
  { programs, coverage }: Scene,
  runs: ReadonlyMap<string, RunRecord>,
  { id, name, triggered }: EventRecord,
): void {
  const matching = [...programs.values()].filter((_, level) => startOf(level) === name);
  agree(
    `workflows that event ${id} triggers`,
    triggered.map(({ workflow }) => workflow),
    matching.map((program) => program.name),
  );
  for (const entry of triggered) {
    const came = comesTo(entry);
    agree(`what event ${id} came to in ${entry.workflow}`, came.length, 1);
    if (came[0] !== 'run') coverage.count('withheld', String(came[0]));
    if (entry.existingRunId !== undefined)
      agree(
        `the run that withheld ${entry.workflow} of ${id}`,
        runs.get(entry.existingRunId)?.workflow,
        entry.workflow,
      );
    agree(`${entry.workflow} may make that of an event`, mayCome(programs.get(entry.workflow), came[0]), true);
  }
  const started = [...runs.values()].filter((run) => run.event_id === id && run.replay_of === null && !run.is_flushed);
  agree(
    `runs that event ${id} started`,
    started.map((run) => run.id),
    triggered.flatMap((entry) => asTold(entry).runId ?? []),
  );
  const gathered = [...runs.values()].filter((run) => run.is_flushed && run.replay_of === null && isMadeOf(run, id));
  agree(
    `runs into which buffers brought event ${id}`,
    gathered.map((run) => run.id).sort(),
    triggered.flatMap((entry) => (isHeldBack(entry) ? (entry.runId ?? []) : [])).sort(),
  );
}

const isMadeOf = (run: RunRecord, eventId: string): boolean =>
  run.event_id === eventId || Boolean(run.events?.includes(eventId));

const isHeldBack = (entry: Entry): boolean => reasons.some((reason) => entry[reason]);

/** A buffered start is acknowledged without a run, and has one after the flush. */
function asTold({ runId, ...entry }: Entry): Entry {
  return isHeldBack(entry) || runId === undefined ? entry : { ...entry, runId };
}

const comesTo = (entry: Entry): string[] => [
  ...(asTold(entry).runId === undefined ? [] : ['run']),
  ...reasons.filter((reason) => entry[reason]),
];

const mayCome = (program: Program | undefined, outcome: string | undefined): boolean =>
  outcomesOf(program?.flow, { isCall: false }).some((each) => each === outcome);
