import type { ServerResponse } from 'node:http';
import { HoldfastError } from '../../engine/errors.ts';
import type { JsonDocument } from '../../engine/json/index.ts';
import { readJson } from '../../engine/json/index.ts';

/** A JSON-RPC error of the whole message, before the protocol reads it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Reads a message. Throws `RpcError` if it is no JSON, nested too deep, or a batch. */
export function readMessage(text: string, maxDepth: number): JsonDocument {
  const message = parsed(text, maxDepth);
  if (Array.isArray(message.value)) throw new RpcError(400, -32_600, 'batches are not supported: send one message');
  return message;
}

function parsed(text: string, maxDepth: number): JsonDocument {
  try {
    return readJson(text, { maxDepth });
  } catch (error) {
    if (error instanceof HoldfastError) throw new RpcError(400, -32_700, error.message);
    throw error;
  }
}

/** Answers a JSON-RPC error of a message whose id is unknown. */
export function sendRpcError(response: ServerResponse, { status, code, message }: RpcError): void {
  const body = toRpcBody(code, message, null);
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    .end(body);
}

export const toRpcBody = (code: number, message: string, id: string | number | null): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
