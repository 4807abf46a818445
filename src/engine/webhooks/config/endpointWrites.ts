import { isDeepStrictEqual } from 'node:util';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import { type HoldfastError, notFound } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { dropSecrets, putSigningSecrets, type SecretOwner } from '../../secrets/index.ts';
import { auditChange, auditCreation, auditDeletion, type Caller } from './auditConfig.ts';
import { outdate, write } from './conflicts.ts';
import { checkEndpoint, completeEndpoint, type EndpointInput, type EndpointRow } from './endpoint.ts';
import { findEndpoint } from './endpoints.ts';
import type { Given } from './fields.ts';
import { changeSecret, firstSecret, hasRotated, type SecretChange } from './rotation.ts';
import { changeEndpoint } from './sql/changeEndpoint.ts';
import { insertEndpoint } from './sql/insertEndpoint.ts';
import { lockEndpoint } from './sql/lockEndpoint.ts';
import { removeEndpoint } from './sql/removeEndpoint.ts';
import { reviveLane } from './sql/reviveLane.ts';

/** An endpoint after a write, with its secret if that is new. No read shows the secret again. */
export interface WrittenEndpoint {
  endpoint: EndpointRow;
  secret: string | undefined;
}

/** A new one has a secret always. */
export type CreatedEndpoint = WrittenEndpoint & { secret: string };

export type NewEndpoint = Caller & EndpointInput & { secret?: Given<string> };
export type EndpointChange = Caller & EndpointInput & SecretChange & { id: string };

export const endpointMissing = (): HoldfastError => notFound('webhook endpoint not found');

const ownerOf = (projectId: string, id: string): SecretOwner => ({ projectId, kind: 'webhook_endpoint', id });

/**
 * Creates an endpoint (4.8). Runs and steps that end after the commit are told to it. Throws
 * `invalid` naming the field, or `conflict` if its name or its URL is taken.
 */
export async function createEndpoint(ctx: EngineContext, input: NewEndpoint): Promise<CreatedEndpoint> {
  const { projectId } = input;
  const settings = completeEndpoint(ctx, input);
  const secret = firstSecret(input.secret, settings.scheme);
  const id = newId();
  const endpoint = await write(ctx, async (tx) => {
    await insertEndpoint(tx, { id, projectId, ...settings, now: ctx.clock.sql() });
    await putSigningSecrets(ctx, tx, { ...ownerOf(projectId, id), current: secret });
    const created = await readWithin(ctx, tx, projectId, id);
    await outdate(ctx, tx, projectId);
    ctx.origin?.once?.note({ id });
    return created;
  });
  await auditCreation(ctx, input, 'endpoint', endpoint);
  return { endpoint, secret };
}

/**
 * Changes the given fields of an endpoint; null clears a name and an app. `enabled: true` takes up
 * an endpoint that the service disabled, and `false` lets it miss no further deliveries. Throws
 * `invalid` naming the field, `notFound`, or `conflict`: the name or the URL is taken, or a
 * rotation is in progress.
 */
export async function updateEndpoint(ctx: EngineContext, input: EndpointChange): Promise<WrittenEndpoint> {
  const { projectId, id } = input;
  const change = checkEndpoint(ctx, input);
  const { known, endpoint, rotated } = await write(ctx, async (tx) => {
    const known = await lockWithin(ctx, tx, projectId, id);
    const settings = { ...known, ...change };
    const owner = ownerOf(projectId, id);
    const rotated = await changeSecret(ctx, tx, { owner, scheme: settings.scheme, change: input });
    const isChosen = change.enabled !== undefined;
    const isForgiven = change.enabled === true || (isChosen && known.disabledAt !== null);
    const isSame = isDeepStrictEqual(settings, known) && !isForgiven && !hasRotated(rotated);
    if (isSame) return { known, endpoint: known, rotated };
    await changeEndpoint(tx, { ...settings, isChosen, now: ctx.clock.sql() });
    if (change.enabled === true) await reviveLane(tx, { id, projectId });
    const endpoint = await readWithin(ctx, tx, projectId, id);
    await outdate(ctx, tx, projectId);
    tx.afterCommit(() => ctx.bus.emit('delivery.due', {}));
    return { known, endpoint, rotated };
  });
  await auditChange(ctx, input, 'endpoint', { before: known, after: endpoint, rotated });
  return { endpoint, secret: rotated.secret };
}

/**
 * Deletes an endpoint with its secrets, and answers it as it was. Its deliveries stay; unfinished
 * ones are not sent any more. Throws `notFound`.
 */
export async function deleteEndpoint(ctx: EngineContext, input: Caller & { id: string }): Promise<EndpointRow> {
  const { projectId, id } = input;
  const endpoint = await write(ctx, async (tx) => {
    const known = await lockWithin(ctx, tx, projectId, id);
    await removeEndpoint(tx, { id });
    await dropSecrets(tx, ownerOf(projectId, id));
    ctx.origin?.once?.note({ id });
    await outdate(ctx, tx, projectId);
    tx.afterCommit(() => ctx.bus.emit('delivery.due', {}));
    return known;
  });
  await auditDeletion(ctx, input, 'endpoint', endpoint);
  return endpoint;
}

async function lockWithin(ctx: EngineContext, tx: Transaction, projectId: string, id: string): Promise<EndpointRow> {
  if (!isId(id) || (await lockEndpoint(tx, { projectId, id })).length === 0) throw endpointMissing();
  return readWithin(ctx, tx, projectId, id);
}

async function readWithin({ clock }: EngineContext, tx: Transaction, projectId: string, id: string) {
  const endpoint = await findEndpoint({ db: tx, clock }, { projectId, id });
  if (!endpoint) throw endpointMissing();
  return endpoint;
}
