import type { AiAllowance, ContinuedEntry, InvokeRequest, MemoEntry, StepRunOpcode } from '@holdfast/sdk/protocol';
import type { Reply } from '../../../src/engine/passes/index.ts';

interface Continuation {
  steps: Record<string, ContinuedEntry>;
  ai?: AiAllowance;
}

/** The request that a runner has in effect after a `continue`, if it held the handler. */
export function continuedRequest(
  { request, reply }: { request: InvokeRequest; reply: Reply },
  { ai, steps }: Continuation,
): InvokeRequest {
  const memo = new Map(Object.entries(request.steps));
  for (const [id, entry] of Object.entries(steps)) {
    // A step takes the place in which it ended.
    memo.delete(id);
    memo.set(id, 'ok' in entry ? reportedIn(reply, id) : entry);
  }
  const settled = [...memo].filter(([, entry]) => !('pending' in entry));
  const pending = [...memo].filter(([, entry]) => 'pending' in entry);
  return {
    ...request,
    steps: Object.fromEntries([...settled, ...pending]),
    ctx: { ...request.ctx, ...(ai && { ai }) },
  };
}

function reportedIn(reply: Reply, id: string): MemoEntry {
  const opcodes: StepRunOpcode[] = reply.kind === 'answer' ? JSON.parse(reply.body).opcodes : [];
  const opcode = opcodes.find((each) => each.id === id);
  if (!opcode) throw new Error(`no answer reported ${id}`);
  return { data: opcode.skipped ? null : (opcode.data ?? null) };
}

/** The settled steps of a request, in order. */
export const settledIn = ({ steps }: InvokeRequest): unknown =>
  Object.entries(steps).filter(([, entry]) => !('pending' in entry));

/** The pending steps of a request, whose order means nothing. */
export const pendingIn = ({ steps }: InvokeRequest): string[] =>
  Object.keys(steps)
    .filter((id) => 'pending' in (steps[id] ?? {}))
    .sort();

/** The rest of a request, without the trace, which is another one in each pass. */
export function contextIn({ ctx, event, events }: InvokeRequest): unknown {
  const { traceparent: _trace, stepAttempts, ...rest } = ctx;
  // Attempts of steps that have settled since say nothing.
  return { rest, event, events };
}
