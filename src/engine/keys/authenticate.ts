import { timingSafeEqual } from 'node:crypto';
import { isLongerThan, maxNameLength } from '../codePoints.ts';
import type { EngineContext } from '../context.ts';
import { invalid, notFound, unauthenticated } from '../errors.ts';
import { hasControlCharacter } from '../json/index.ts';
import { type KeyRing, keyRing } from './keyRing.ts';
import { hashKey, parseKey } from './keys.ts';
import type { Principal } from './require.ts';
import type { KeyRow } from './sql/findKeys.ts';
import type { IsGone } from './strangerLane.ts';

/** The credentials of a call. */
export interface Credentials {
  /** The `Authorization` header, or its equivalent in a socket's first message. */
  authorization: string | undefined;
  /** `X-Service-Project`: a project's id or name. Only for platform and operator keys. */
  project?: string | undefined;
  /** `X-Service-Actor`: the acting person. Only for platform keys. */
  actor?: string | undefined;
}

const bearer = /^Bearer +([^\s]{1,512}) *$/i;

/** The key of an `Authorization` header; undefined if there is none. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  bearer.exec(authorization ?? '')?.[1];

/**
 * Authenticates a call (5). Throws `unauthenticated` on a missing, unknown, revoked or expired key,
 * and `invalid` if a platform key names no project. Throws `notFound` if the named project does not
 * exist, or is not the key's. A key that another process revoked still passes for up to two
 * seconds. Throws `busy` if too many unknown keys are being looked up. The look-up is dropped if
 * the caller has gone by its turn (`isGone`).
 */
export async function authenticate(
  ctx: EngineContext,
  credentials: Credentials,
  isGone: IsGone = isThere,
): Promise<Principal> {
  const token = bearerToken(credentials.authorization);
  if (token === undefined) throw unauthenticated();
  const ring = keyRing(ctx);
  const hash = hashKey(token);
  if (ring.operatorHash && timingSafeEqual(hash, ring.operatorHash)) return operator(ring, credentials);
  const name = hash.toString('hex');
  if (!ring.keys.isFamiliar(name) && parseKey(token) === undefined) throw unauthenticated();
  const key = await currentKey(ctx, ring, { hash: name, isGone });
  if (!key) throw unauthenticated();
  ring.usage.note(key.id);
  if (key.kind === 'platform') return platform(ring, key, credentials);
  if (key.projectId === null) throw new Error(`key ${key.id} has no project`);
  return { kind: key.kind, keyId: key.id, keyName: key.name, projectId: key.projectId };
}

const isThere: IsGone = () => false;

interface Asked {
  hash: string;
  isGone: IsGone;
}

/** A cached key that has expired is read again, because the database's clock decides. */
async function currentKey(ctx: EngineContext, ring: KeyRing, { hash, isGone }: Asked): Promise<KeyRow | undefined> {
  const key = await ring.keys.get(hash, isGone);
  if (!key?.expiresAt || key.expiresAt > ctx.clock.now()) return key;
  ring.keys.forget(hash);
  return ring.keys.get(hash, isGone);
}

async function operator(ring: KeyRing, { project }: Credentials): Promise<Principal> {
  const projectId = project === undefined || project === '' ? undefined : await existingProject(ring, project);
  return { kind: 'operator', keyName: 'operator', projectId };
}

async function platform(ring: KeyRing, key: KeyRow, { project, actor }: Credentials): Promise<Principal> {
  if (!project) throw invalid('X-Service-Project: a platform key must name the project that it acts for');
  const projectId = await existingProject(ring, project);
  if (key.projectId !== null && key.projectId !== projectId) throw notFound('project not found');
  return { kind: 'platform', keyId: key.id, keyName: key.name, projectId, actor: actingPerson(actor) };
}

async function existingProject(ring: KeyRing, ref: string): Promise<string> {
  const projectId = isPlausible(ref) ? await ring.projects.get(ref) : undefined;
  if (projectId === undefined) throw notFound('project not found');
  return projectId;
}

function actingPerson(actor: string | undefined): string | undefined {
  const name = actor?.trim();
  if (!name) return undefined;
  if (!isPlausible(name))
    throw invalid(`X-Service-Actor: at most ${maxNameLength} characters, none of them control characters`);
  if (skeleton(name).startsWith(reservedPrefix))
    throw invalid(`X-Service-Actor: names that begin with "${reservedPrefix}" are reserved`);
  return name;
}

/** Decisions without a person have such a name (`system:timeout`). */
const reservedPrefix = 'system:';

/** A name as readers see it: in one form and case, without invisible characters. */
const skeleton = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^\s+/u, '');

const isPlausible = (name: string): boolean => !isLongerThan(name, maxNameLength) && !hasControlCharacter(name);
