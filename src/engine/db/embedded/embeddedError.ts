/** The bundled PostgreSQL cannot run. The message says why, and what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}
