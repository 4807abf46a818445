import type { EngineContext } from '../../context.ts';
import { busy } from '../../errors.ts';
import { keyBounds, type Presence } from '../../keys/index.ts';
import { findSource, type SourceQuestion, tokenHash } from './source.ts';

/** The place of one message among those of its source. It ends with the request. */
export interface Inbox {
  projectId: string;
  question: SourceQuestion;
}

/**
 * Finds the source of a message, and waits for the message's turn among those of the source: a
 * source counts like a key. Undefined if the source is unknown or disabled. Nothing of the body is
 * needed, so a stranger's body is never read. Throws `busy` if the source has too many messages.
 */
export async function openInbox(ctx: EngineContext, token: string, caller: Presence): Promise<Inbox | undefined> {
  const question = questionOf(token, caller);
  if (!question) return undefined;
  const source = await findSource(ctx, question);
  if (!source) return undefined;
  if (caller.isGone()) throw busy('the caller has gone');
  const turn = keyBounds(ctx).turns.open({ keyId: `source ${source.id}` });
  caller.whenOver(() => turn.end());
  await turn.begun;
  return { projectId: source.projectId, question };
}

/** The question for the source of a token; undefined if no token has this shape. */
export function questionOf(token: string, caller: Pick<Presence, 'isGone'>): SourceQuestion | undefined {
  const hash = tokenHash(token);
  return hash === undefined ? undefined : { hash, isGone: () => caller.isGone() };
}
