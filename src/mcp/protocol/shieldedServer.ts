import {
  type Implementation,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { EngineContext } from '../../engine/context.ts';
import { internalError } from '../../engine/errors.ts';
import { newId } from '../../engine/ids.ts';
import { noteOutage, shownError } from '../../engine/outages.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/**
 * The SDK's server sends clients the message of anything that a handler throws. This one sends the
 * reasons that REST gives.
 */
export class ShieldedServer extends Server {
  readonly #engine: EngineContext;

  constructor(engine: EngineContext, info: Implementation, options: ServerOptions) {
    super(info, options);
    this.#engine = engine;
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (thrown) {
        throw this.#shown(method, thrown);
      }
    };
  }

  #shown(method: string, thrown: unknown): ProtocolError {
    if (thrown instanceof ProtocolError) return thrown;
    // The SDK throws plain errors for parameters that do not fit the method.
    if (thrown instanceof Error && thrown.constructor === Error)
      return new ProtocolError(ProtocolErrorCode.InvalidParams, `the parameters do not fit ${method}`);
    const shown = shownError(thrown);
    if (shown) {
      noteOutage(this.#engine, thrown);
      const code = shown.kind === 'busy' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
      return new ProtocolError(code, shown.message);
    }
    this.#engine.log.error({ err: thrown, requestId: newId(), method }, 'request of an agent failed');
    return new ProtocolError(ProtocolErrorCode.InternalError, internalError);
  }
}
