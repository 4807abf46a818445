import type { EngineContext } from '../../engine/context.ts';
import type { Message } from '../../engine/inference/index.ts';
import {
  type InferRequest,
  type LeasedCall,
  openRequest,
  parseInferRequest,
  RequestError,
  sealRequest,
} from '../../engine/inference/index.ts';
import { joinReasks, splitReasks, withReasks } from './reask.ts';

/** The opened request of a call. */
export interface ReadCall {
  /** As the runner sent it. */
  original: InferRequest;
  /** With the messages that asked again. */
  request: InferRequest;
  /** Fields that are not known. */
  warnings: string[];
}

/**
 * Opens the request of a call. A text: why it cannot be opened. No error is passed on, because its
 * message may quote the prompt.
 */
export function readCall(engine: EngineContext, call: LeasedCall): ReadCall | string {
  const text = openText(engine, call);
  if (text === undefined)
    return 'the request cannot be opened: it was sealed under another operator key, or is damaged';
  try {
    const { data, reasks } = splitReasks(text);
    const { request: original, ignored } = parseInferRequest(JSON.parse(data));
    const warnings = ignored.map((field) => `ignored: ${field}`);
    return { original, request: withReasks(original, reasks), warnings };
  } catch (error) {
    return error instanceof RequestError ? error.message : 'the request cannot be read';
  }
}

/** The request of a call with further messages, sealed again. */
export function sealReask(engine: EngineContext, call: LeasedCall, messages: readonly Message[]) {
  const text = joinReasks(openRequest(engine, call, call.request), messages);
  return { request: sealRequest(engine, call, text), requestBytes: Buffer.byteLength(text) };
}

function openText(engine: EngineContext, call: LeasedCall): string | undefined {
  try {
    return openRequest(engine, call, call.request);
  } catch {
    return undefined;
  }
}
