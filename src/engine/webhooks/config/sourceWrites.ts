import { isDeepStrictEqual } from 'node:util';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import { type HoldfastError, notFound } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { dropSecrets, putSigningSecrets, putSourceToken, type SecretOwner } from '../../secrets/index.ts';
import { auditChange, auditCreation, auditDeletion, type Caller } from './auditConfig.ts';
import { write } from './conflicts.ts';
import type { Given } from './fields.ts';
import { changeSecret, firstSecret, hasRotated, type SecretChange } from './rotation.ts';
import { checkSource, completeSource, type ShownSource, type SourceInput } from './source.ts';
import { findSource } from './sources.ts';
import { changeSource } from './sql/changeSource.ts';
import { insertSource } from './sql/insertSource.ts';
import { lockSource } from './sql/lockSource.ts';
import { removeSource } from './sql/removeSource.ts';
import { checkToken, hashToken, mintToken } from './token.ts';

/** A source after a write, with its secret if that is new. No read shows the secret again. */
export interface WrittenSource {
  source: ShownSource;
  secret: string | undefined;
}

/** A new one has a secret always. */
export type CreatedSource = WrittenSource & { secret: string };

export type NewSource = Caller & SourceInput & { secret?: Given<string>; token?: Given<string> };
export type SourceChange = Caller & SourceInput & SecretChange & { id: string };

export const sourceMissing = (): HoldfastError => notFound('webhook source not found');

const ownerOf = (projectId: string, id: string): SecretOwner => ({ projectId, kind: 'webhook_source', id });

/**
 * Creates a source (4.8). Its address takes messages after the commit. Throws `invalid` naming the
 * field, or `conflict` if its name or its token is taken.
 */
export async function createSource(ctx: EngineContext, input: NewSource): Promise<CreatedSource> {
  const { projectId } = input;
  const settings = completeSource(input);
  const secret = firstSecret(input.secret, settings.scheme);
  const token = checkToken(input.token ?? mintToken());
  const id = newId();
  const source = await write(ctx, async (tx) => {
    const now = ctx.clock.sql();
    const row = { id, projectId, tokenHash: hashToken(token), ...settings, now };
    if ((await insertSource(tx, row)).length === 0) throw notFound('project not found');
    await putSigningSecrets(ctx, tx, { ...ownerOf(projectId, id), current: secret });
    await putSourceToken(ctx, tx, { projectId, id, token });
    ctx.origin?.once?.note({ id });
    return readWithin(ctx, tx, projectId, id);
  });
  await auditCreation(ctx, input, 'source', source);
  return { source, secret };
}

/**
 * Changes the given fields of a source; null clears an optional field. Throws `invalid` naming the
 * field, `notFound`, or `conflict`: the name is taken, or a rotation is in progress.
 */
export async function updateSource(ctx: EngineContext, input: SourceChange): Promise<WrittenSource> {
  const { projectId, id } = input;
  const change = checkSource(input);
  const { known, source, rotated } = await write(ctx, async (tx) => {
    const known = await lockWithin(ctx, tx, projectId, id);
    const settings = { ...known, ...change };
    const owner = ownerOf(projectId, id);
    const rotated = await changeSecret(ctx, tx, { owner, scheme: settings.scheme, change: input });
    if (isDeepStrictEqual(settings, known) && !hasRotated(rotated)) return { known, source: known, rotated };
    await changeSource(tx, { ...settings, now: ctx.clock.sql() });
    return { known, source: await readWithin(ctx, tx, projectId, id), rotated };
  });
  await auditChange(ctx, input, 'source', { before: known, after: source, rotated });
  return { source, secret: rotated.secret };
}

/**
 * Deletes a source with its secrets, and answers it as it was. Its address is unknown from now on;
 * the messages that it recorded stay. Throws `notFound`.
 */
export async function deleteSource(ctx: EngineContext, input: Caller & { id: string }): Promise<ShownSource> {
  const { projectId, id } = input;
  const source = await write(ctx, async (tx) => {
    const known = await lockWithin(ctx, tx, projectId, id);
    await removeSource(tx, { id });
    await dropSecrets(tx, ownerOf(projectId, id));
    ctx.origin?.once?.note({ id });
    return known;
  });
  await auditDeletion(ctx, input, 'source', source);
  return source;
}

async function lockWithin(ctx: EngineContext, tx: Transaction, projectId: string, id: string): Promise<ShownSource> {
  if (!isId(id) || (await lockSource(tx, { projectId, id })).length === 0) throw sourceMissing();
  return readWithin(ctx, tx, projectId, id);
}

async function readWithin({ clock }: EngineContext, tx: Transaction, projectId: string, id: string) {
  const source = await findSource({ db: tx, clock }, { projectId, id });
  if (!source) throw sourceMissing();
  return source;
}
