import type { Logger } from 'pino';
import { Bus } from '../bus.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { EngineContext } from '../context.ts';
import type { Database } from '../db/index.ts';
import { createLanes } from '../lanes/index.ts';
import { createCallerTurns } from '../operation.ts';
import { PayloadRoom } from '../payloadRoom.ts';
import { createRegistry } from '../registry/index.ts';
import { defaultEngineSettings, type EngineSettings } from '../settings.ts';
import { Slices } from '../slices.ts';

export interface EngineOptions {
  db: Database;
  log: Logger;
  clock?: Clock;
  bus?: Bus;
  /** Default: the settings of the contract. */
  settings?: Partial<EngineSettings>;
}

/**
 * Assembles the engine. The engine has no timers and no connections: whatever opened `db` closes
 * it.
 */
export function createEngine({
  db,
  log,
  clock = systemClock,
  bus = new Bus(),
  settings,
}: EngineOptions): EngineContext {
  const resolved = { ...defaultEngineSettings, ...settings };
  const turns = createCallerTurns(db.pool.options, resolved);
  return {
    db,
    log,
    clock,
    bus,
    settings: resolved,
    registry: createRegistry({ db, bus, settings: resolved }),
    lanes: createLanes(db),
    payloadRoom: new PayloadRoom({ maxBytes: resolved.limits.answersMaxBytes, waitMs: resolved.answerWaitMs }),
    turns,
    longReads: { take: (work) => turns.longReads.take('', work), join: (read) => read() },
    slices: new Slices(),
  };
}
