/** A migration that cannot be applied, or a history that does not fit. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
