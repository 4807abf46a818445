export { columnNames } from './compile.ts';
export { type CommitEffect, callEffects, type Database, type Transaction } from './database.ts';
export { deletePageSql } from './deletePage.ts';
export { failPoint } from './failPoints.ts';
export { oneTrip } from './oneTrip.ts';
export {
  bigint,
  bool,
  bytea,
  float8,
  type Given,
  instant,
  int,
  json,
  jsonb,
  numeric,
  ordinal,
  ordinality,
  type Params,
  rowset,
  text,
  timestamptz,
  uuid,
  xid,
} from './params.ts';
export { answerMsFor, defaultAnswerMs, endWhenSilent, keepAliveMs, statementMs } from './silentConnections.ts';
export { readSettings } from './sql/readSettings.ts';
export {
  type Queryable,
  type ReadQuery,
  readRows,
  readSet,
  type Statement,
  statement,
  type TripPart,
} from './statement.ts';
export {
  backoffMs,
  errorCode,
  isConnectionLost,
  isTransient,
  retryDeadlocks,
  retryingDeadlocks,
  retryTransient,
} from './transient.ts';
