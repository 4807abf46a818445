import type { GuardLimits } from '../cel/index.ts';
import { checkGuard } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { nestingExceeds } from '../json/index.ts';
import type { Steps } from '../slices.ts';
import type { Pass, Reply } from './pass.ts';

/**
 * Checks the guards of an answer's waits before `decide`, which is synchronous and finds the
 * verdicts remembered. An answer may hold a thousand guards, and each check takes milliseconds.
 */
export async function checkGuards(ctx: EngineContext, { projectId }: Pass, reply: Reply): Promise<void> {
  const { limits } = ctx.settings;
  if (!mayHoldGuards(reply)) return;
  if (nestingExceeds(reply.body, limits.jsonDepth)) return;
  await ctx.slices.run(projectId, checking(guardsIn(reply.body, limits.opcodesPerPass), limits));
}

/** Most answers hold none. An escape may hide a field's name. */
export const mayHoldGuards = (reply: Reply): reply is Answer =>
  reply.kind === 'answer' && reply.status === 206 && (reply.body.includes('eventIf') || reply.body.includes('\\u'));

type Answer = Extract<Reply, { kind: 'answer' }>;

function guardsIn(body: string, maxOpcodes: number): Set<string> {
  try {
    const { opcodes } = JSON.parse(body) as { opcodes?: unknown };
    if (!Array.isArray(opcodes) || opcodes.length > maxOpcodes) return new Set();
    return new Set(opcodes.map((each) => each?.eventIf).filter((guard) => typeof guard === 'string'));
  } catch {
    // `decide` says what is wrong with the answer.
    return new Set();
  }
}

function* checking(guards: Iterable<string>, limits: GuardLimits): Steps<void> {
  for (const guard of guards) {
    yield;
    try {
      checkGuard(guard, limits);
    } catch {
      // Remembered, too.
    }
  }
}
