import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { toRpcBody } from './rpcErrors.ts';

/**
 * Replaces the SDK's answer to `subscriptions/listen`, which it accepts from every client. Its
 * change bus would tell all projects alike. Answers that refuse the message for other reasons stay.
 */
export async function notOffered(message: unknown, answer: Response): Promise<Response> {
  if (methodOf(message) !== 'subscriptions/listen' || !answer.ok) return answer;
  await answer.body?.cancel();
  const body = toRpcBody(ProtocolErrorCode.MethodNotFound, 'Method not found', idOf(message));
  return new Response(body, { status: 404, headers: { 'content-type': 'application/json' } });
}

const methodOf = (message: unknown): unknown => Object(message).method;

function idOf(message: unknown): string | number | null {
  const { id } = Object(message);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
