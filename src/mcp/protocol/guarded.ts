import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { EngineContext } from '../../engine/context.ts';
import { internalError } from '../../engine/errors.ts';
import { newId } from '../../engine/ids.ts';
import { noteOutage, shownError } from '../../engine/outages.ts';

/**
 * The answer of `work`, or a JSON-RPC error with the reason that REST gives. The SDK would show the
 * client the message of anything else that is thrown.
 */
export async function guarded<T>(engine: EngineContext, method: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const shown = shownError(thrown);
    if (!shown) {
      engine.log.error({ err: thrown, requestId: newId(), method }, 'request of an agent failed');
      throw new ProtocolError(ProtocolErrorCode.InternalError, internalError);
    }
    noteOutage(engine, thrown);
    const code = shown.kind === 'busy' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(code, shown.message);
  }
}
