import { createHash, randomBytes } from 'node:crypto';
import { invalid } from '../../engine/errors.ts';
import { openSecret, sealSecret } from '../../engine/secrets/index.ts';
import type { ToolCall } from '../declare/tool.ts';

/** How long a preview or a question holds, in ms. */
const lifeMs = 10 * 60_000;

/**
 * What seals stand for: a token that the caller hands in with a second call, or the state of a
 * question. Neither opens as the other.
 */
const words = { confirm: 'confirm', ask: 'requestState' } as const;
export type Purpose = keyof typeof words;

/** A preview or a question that was sealed. */
export interface Sealed {
  /** Identifies it: it acts once. */
  id: string;
  /** Instants that stand for those of the arguments. */
  until: string | undefined;
  since: string | undefined;
}

/** What a seal is bound to, beside the caller. */
export interface Bound {
  tool: string;
  digest: Buffer;
}

export interface NewSeal {
  text: string;
  expiresAt: string;
}

type Content = [
  id: string,
  project: string,
  key: string,
  tool: string,
  digest: string,
  expires: number,
  until?: string,
  since?: string,
];

/** Seals a preview, so that any process opens it and the caller cannot change it. */
export function seal(
  call: ToolCall,
  purpose: Purpose,
  { tool, digest, until, since }: Bound & Omit<Sealed, 'id'>,
): NewSeal {
  const expires = call.engine.clock.now().getTime() + lifeMs;
  const id = randomBytes(12).toString('base64url');
  const [project, key] = ownersOf(call);
  const content = [id, project, key, tool, digest.toString('base64url'), expires, until ?? '', since ?? ''];
  const text = sealSecret(call.engine, JSON.stringify(content), boundTo(purpose)).toString('base64url');
  return { text, expiresAt: new Date(expires).toISOString() };
}

/** Opens a seal. Throws `invalid`, which says which part differs. */
export function open(call: ToolCall, purpose: Purpose, text: string, { tool, digest }: Bound): Sealed {
  const word = words[purpose];
  const content = contentOf(call, purpose, text);
  if (!content) throw invalid(`${word} is not as it was given: it was altered, or belongs elsewhere`);
  const [id, project, key, forTool, forDigest, expires, until = '', since = ''] = content;
  const [ownProject, ownKey] = ownersOf(call);
  if (project !== ownProject) throw invalid(`${word} was given for another project`);
  if (key !== ownKey) throw invalid(`${word} was given for another key`);
  if (forTool !== tool) throw invalid(`${word} was given for another tool`);
  if (forDigest !== digest.toString('base64url')) throw invalid(`${word} was given for other arguments`);
  if (expires <= call.engine.clock.now().getTime())
    throw invalid(`${word} has expired: call again without it, and use the new one within 10 minutes`);
  return { id, until: until === '' ? undefined : until, since: since === '' ? undefined : since };
}

function contentOf({ engine }: ToolCall, purpose: Purpose, text: string): Content | undefined {
  try {
    return JSON.parse(openSecret(engine, Buffer.from(text, 'base64url'), boundTo(purpose)));
  } catch {
    return undefined;
  }
}

const boundTo = (purpose: Purpose): string => `mcp/${purpose}`;

const ownersOf = ({ principal: { projectId = '' }, origin: { key } }: ToolCall): [project: string, key: string] => [
  shortHash(projectId),
  shortHash(key),
];

/** Long enough to tell owners apart: the seal itself cannot be forged. */
const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12);
