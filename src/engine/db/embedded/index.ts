export { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './embedded.ts';
export { EmbeddedDatabaseError } from './embeddedError.ts';
