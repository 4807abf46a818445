import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { mintToken } from '../keys/index.ts';
import { insertTicket } from './sql/insertTicket.ts';
import { isStreamPath, streamPathsText } from './streamPaths.ts';

/** How long an unused ticket is valid, in ms. */
export const lifeMs = 60_000;

/** Begins every ticket, so that scanners recognize a leaked one. */
export const ticketPrefix = 'hf_st_';

export const maxPathLength = 1_000;

export interface IssuedTicket {
  /** The ticket itself, which is shown only here. */
  ticket: string;
  expiresAt: Date;
}

export interface NewTicket {
  projectId: string;
  /** The stream counts as one of this key, and ends with it. */
  keyId: string;
  /** The only path that the ticket opens. Default: the path of any stream. */
  path?: string | undefined;
}

/**
 * Issues a ticket that opens one stream of a project. Throws `invalid` for a path that is no
 * stream, and if the key has too many unused tickets.
 */
export async function issueTicket(ctx: EngineContext, { projectId, keyId, path }: NewTicket): Promise<IssuedTicket> {
  const { token: ticket, hash: tokenHash } = mintToken(ticketPrefix);
  return { ticket, expiresAt: await storeTicket(ctx, { tokenHash, projectId, keyId, path: boundPath(path) }) };
}

export interface StoredTicket {
  tokenHash: Buffer;
  projectId: string;
  keyId: string;
  path?: string | undefined;
  sealedKey?: Buffer | undefined;
}

/** Stores a ticket or a code, and returns its end. Throws `invalid` if the key has too many. */
export async function storeTicket(ctx: EngineContext, stored: StoredTicket): Promise<Date> {
  const max = ctx.settings.limits.streamsPerKey;
  const { path, sealedKey } = stored;
  const [issued] = await insertTicket(ctx.db, { ...stored, path, sealedKey, lifeMs, max, now: ctx.clock.sql() });
  if (!issued) throw invalid(`at most ${max} unused stream tickets may exist for one key`);
  return issued.expiresAt;
}

function boundPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (path.length > maxPathLength) throw invalid(`path: must have at most ${maxPathLength} characters`);
  if (!isStreamPath(path)) throw invalid(`path: must be the path of a stream without its query: ${streamPathsText}`);
  return withoutSlash(path);
}

/** The form in which paths are compared. */
export const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
