import type { Logger } from 'pino';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Database } from './db/index.ts';
import type { LongReads } from './longRead.ts';
import type { Lanes, Registry } from './model/index.ts';
import type { CallerTurns } from './operation.ts';
import type { CallOrigin } from './origin.ts';
import type { PayloadRoom } from './payloadRoom.ts';
import type { EngineSettings } from './settings.ts';
import type { Slices } from './slices.ts';

/** The first argument of every engine function. */
export interface EngineContext {
  db: Database;
  clock: Clock;
  bus: Bus;
  log: Logger;
  settings: EngineSettings;
  registry: Registry;
  lanes: Lanes;
  /** Memory for the payloads of answers. */
  payloadRoom: PayloadRoom;
  /** The queue of slow reads (`longRead`). */
  longReads: LongReads;
  /** Turns of the projects' callers (`Operation`). Duties of the service take none. */
  turns: CallerTurns;
  /** The engine itself, in the context of an operation. */
  root?: EngineContext;
  /** The agent that calls, in the context of its operation. */
  origin?: CallOrigin | undefined;
  /** Shares the event loop between long computations. */
  slices: Slices;
}
