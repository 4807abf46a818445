import type { StartedStep } from '@holdfast/sdk/protocol';
import type { RawData } from 'ws';
import { HoldfastError } from '../../../engine/errors.ts';
import { type JsonDocument, nestingExceeds, readJson } from '../../../engine/json/index.ts';
import type { LinkReply } from '../seams/work.ts';
import { malformed } from './closing.ts';
import { readDrain } from './messages/drain.ts';
import { readLost } from './messages/lost.ts';
import { readResult } from './messages/result.ts';
import { readStarted } from './messages/started.ts';

/** The frames that a runner may send, parsed. */
export type IncomingFrame =
  | { type: 'hello'; fields: Readonly<Record<string, unknown>> }
  | { type: 'started'; id: string; steps: readonly StartedStep[] }
  | { type: 'result'; id: string; reply: LinkReply }
  | { type: 'lost'; id: string }
  | { type: 'drain'; inFlight: ReadonlySet<string> | undefined }
  | { type: 'pong' };

/**
 * Reads a message of a runner. Throws `WireError` unless it is a frame that runners send, and on a
 * hello nested deeper than `jsonDepth`. The engine limits the depth of answers.
 */
export function readFrame(data: RawData, isBinary: boolean, jsonDepth: number): IncomingFrame {
  if (isBinary) throw malformed('frames are JSON text, not binary');
  const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
  const text = bytes.toString('utf8');
  const document = parse(text);
  const fields = document.value;
  if (!isObject(fields)) throw malformed('a frame is a JSON object');
  switch (fields['type']) {
    case 'hello':
      if (nestingExceeds(text, jsonDepth)) throw malformed(`frame: JSON is nested deeper than ${jsonDepth} levels`);
      return { type: 'hello', fields };
    case 'result':
      return readResult(document, fields, bytes.length);
    case 'started':
      return readStarted(fields);
    case 'lost':
      return readLost(fields);
    case 'drain':
      return readDrain(fields);
    case 'pong':
      return { type: 'pong' };
    default:
      throw malformed('frame type must be hello, started, result, lost, drain or pong');
  }
}

function parse(text: string): JsonDocument {
  try {
    return readJson(text);
  } catch (error) {
    throw malformed(error instanceof HoldfastError ? `frame: ${error.message}` : 'frame: unreadable');
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
