import { bigint, bool, columnNames, int, json, jsonb, text, uuid } from '../../db/index.ts';
import type { NewRun } from '../newRun.ts';

export interface OfRun {
  run: NewRun;
}

/** The columns of `run` that every start fills. */
const ofRun = {
  id: uuid.of(({ run }: OfRun) => run.runId),
  projectId: uuid.of(({ run }: OfRun) => run.projectId),
  app: text.of(({ run }: OfRun) => run.app),
  workflow: text.of(({ run }: OfRun) => run.workflow),
  version: text.of(({ run }: OfRun) => run.version),
  triggerKind: text.of(({ run }: OfRun) => run.triggerKind),
  eventName: text.orNull.of(({ run }: OfRun) => run.eventName),
  eventId: uuid.orNull.of(({ run }: OfRun) => run.eventId),
  session: text.orNull.of(({ run }: OfRun) => run.session),
  runner: text.orNull.of(({ run }: OfRun) => run.runner),
  depth: int.of(({ run }: OfRun) => run.depth),
  tags: jsonb.orNull.of(({ run }: OfRun) => run.tags),
  input: json.of(({ run }: OfRun) => run.input.text),
};

/** SQL: their names, for an `insert` and its `select`. */
export const startedColumns = columnNames(ofRun);

/** The columns that every start fills: of `run`, then of `run_work`. */
export const runColumns = {
  ...ofRun,
  laneId: int.of(({ run }: OfRun) => run.laneId),
  slot: bigint.orNull.of(({ run }: OfRun) => run.slot),
  slotKey: text.orNull.of(({ run }: OfRun) => run.slotScope),
  shiftMs: bigint.of(({ run }: OfRun) => run.shiftMs),
  tokenKey: text.orNull.of(({ run }: OfRun) => run.tokenScope),
  maxDurationMs: bigint.orNull.of(({ run }: OfRun) => run.maxDurationMs),
  cancellable: bool.of(({ run }: OfRun) => run.cancellable),
};
