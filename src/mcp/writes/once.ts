import {
  type CallName,
  CallTakenError,
  claimBefore,
  type Done,
  findTaken,
  OnceCall,
  type Taken,
} from '../../engine/agents/index.ts';
import type { EngineContext } from '../../engine/context.ts';
import { HoldfastError, invalid } from '../../engine/errors.ts';
import { requireProject } from '../../engine/keys/index.ts';
import { Operation } from '../../engine/operation.ts';
import { boundedText } from '../../engine/runs/index.ts';
import { memberOf } from '../catalog/arguments.ts';
import type { DataAnswer, ToolCall } from '../declare/tool.ts';
import { digestOf } from './digest.ts';

/** Answers a repeat from what the first call did. */
export type Repeat = (call: ToolCall, done: Done) => Promise<DataAnswer>;

/**
 * Acts at most once for a `dedupeId`: a repeat answers what the first call did. The act is one
 * transaction, which holds the claim. Without a `dedupeId`, it acts. Throws `conflict` if the id
 * was used for another call.
 */
export async function onceById(
  call: ToolCall,
  tool: string,
  act: (call: ToolCall) => Promise<DataAnswer>,
  repeat: Repeat,
): Promise<DataAnswer> {
  const dedupeId = dedupeIdOf(call);
  if (dedupeId === undefined) return act(call);
  const name = nameOf(call, `dedupe:${dedupeId}`, digestOf(tool, call.arguments));
  const answered = (taken: Taken): Promise<DataAnswer> => {
    if (!taken.isSame) throw refused('dedupeId was used for another tool or with other arguments: choose a new one');
    return repeat(call, taken.done ?? {});
  };
  const taken = await findTaken(shareOf(call), name);
  if (taken) return answered(taken);
  try {
    return await act(within(call, name));
  } catch (error) {
    if (error instanceof CallTakenError) return answered(error.taken);
    throw error;
  }
}

/** Acts once for a confirmation, in one transaction that holds the claim. */
export async function onceConfirmed<T>(
  call: ToolCall,
  { id, digest, used }: Confirmation,
  act: (call: ToolCall) => Promise<T>,
): Promise<T> {
  try {
    return await act(within(call, nameOf(call, `confirm:${id}`, digest)));
  } catch (error) {
    throw error instanceof CallTakenError ? refused(used(error.taken.done)) : error;
  }
}

/**
 * Acts once for a confirmation, in several transactions after the claim. If the process dies under
 * way, the confirmation never acts again.
 */
export async function onceConfirmedBefore<T>(
  call: ToolCall,
  { id, digest, used }: Confirmation,
  act: () => Promise<{ answer: T; done: Done }>,
): Promise<T> {
  const engine = shareOf(call);
  try {
    const record = await claimBefore(engine, nameOf(call, `confirm:${id}`, digest));
    const { answer, done } = await act();
    await record(done);
    return answer;
  } catch (error) {
    throw error instanceof CallTakenError ? refused(used(error.taken.done)) : error;
  }
}

export interface Confirmation {
  id: string;
  digest: Buffer;
  /** The reason why a second use is refused. */
  used(done: Done | undefined): string;
}

const nameOf = (call: ToolCall, callId: string, digest: Buffer): CallName => ({
  projectId: requireProject(call.principal),
  key: call.origin.key,
  callId,
  digest,
});

const within = (call: ToolCall, name: CallName): ToolCall => ({
  ...call,
  origin: { ...call.origin, once: new OnceCall(call.engine, name) },
});

/** The engine with the share of the caller's project. */
const shareOf = ({ engine, principal }: ToolCall): EngineContext => new Operation(engine, principal.projectId).engine;

const refused = (message: string): HoldfastError => new HoldfastError('conflict', message);

function dedupeIdOf({ arguments: given }: ToolCall): string | undefined {
  const value = boundedText('dedupeId', memberOf(given, 'dedupeId'));
  if (value === undefined) return undefined;
  if (value.trim() === '') throw invalid('dedupeId must not be blank');
  return value;
}
