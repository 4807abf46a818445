/** The embedded PostgreSQL cannot run. The message says why, and what to do about it. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}
