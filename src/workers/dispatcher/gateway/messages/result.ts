import { bodyLimitBytes } from '@holdfast/sdk/protocol';
import type { JsonDocument } from '../../../../engine/json/index.ts';
import type { LinkReply } from '../../seams/work.ts';
import { malformed } from '../closing.ts';

const maxIdLength = 200;

/**
 * Reads `result`, the answer to an invoke. The body is passed on as the text that the runner sent:
 * only its size is checked here (8), and the engine reads it.
 */
export function readResult(
  document: JsonDocument,
  fields: Readonly<Record<string, unknown>>,
  frameBytes: number,
): { type: 'result'; id: string; reply: LinkReply } {
  const { held, id, status } = fields;
  if (typeof id !== 'string' || id === '' || id.length > maxIdLength) {
    throw malformed(`result.id must be a string of 1 to ${maxIdLength} characters`);
  }
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 999) {
    throw malformed('result.status must be an integer from 100 to 999');
  }
  const body = document.raw('body')?.text;
  if (body === undefined) throw malformed('result.body is missing');
  const isTooLarge = frameBytes > bodyLimitBytes && Buffer.byteLength(body) > bodyLimitBytes;
  if (isTooLarge) return { type: 'result', id, reply: { kind: 'tooLarge' } };
  return { type: 'result', id, reply: { kind: 'answer', status, body, ...(held === true && { isHeld: true }) } };
}
