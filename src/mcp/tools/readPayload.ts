import { invalid, notFound } from '../../engine/errors.ts';
import { readJson } from '../../engine/json/index.ts';
import { maxInt32 } from '../../engine/settings.ts';
import {
  getApproval,
  getEvent,
  getRun,
  getSourceDelivery,
  getWebhookDelivery,
  listLogs,
  listSteps,
} from '../../rest/index.ts';
import { cursorBefore } from '../../schema/index.ts';
import { readPointer } from '../answer/extent.ts';
import { fenceBytes } from '../answer/fence.ts';
import { findSource } from '../answer/findSource.ts';
import { shortenedHint } from '../answer/fit.ts';
import { pieceAt } from '../answer/piece.ts';
import { type Argument, inputSchemaOf, memberOf } from '../catalog/arguments.ts';
import { type Owner, owners, readAttemptName } from '../catalog/places.ts';
import { type Instead, type RouteRunner, routeRunner } from '../catalog/routeTool.ts';
import type { Tool, ToolCall } from '../declare/tool.ts';

const readers: Readonly<Record<Owner, RouteRunner>> = {
  runId: routeRunner(getRun),
  eventId: routeRunner(getEvent),
  approvalId: routeRunner(getApproval),
  deliveryId: routeRunner(getWebhookDelivery),
  sourceDeliveryId: routeRunner(getSourceDelivery),
};
const readSteps = routeRunner(listSteps);
const readLogs = routeRunner(listLogs);

const text: Argument = { schema: { type: 'string' }, required: false };
const about = 'A piece of a payload, exact: JSON text as it is stored. Put the pieces together by their offsets.';

/** The most characters and parts of a path. */
const pathBounds = { characters: 8_192, parts: 64 };

export const readPayloadTool: Tool = {
  name: 'read_payload',
  toolset: 'runs',
  title: 'Read a payload by pieces',
  description:
    'The stored JSON text of one value, in pieces that fit an answer. Pass the owner and the `path` that an answer names in `abridged`, such as `/input/items/3` or, of a run, `/steps/<index>.<attempt>/output`. Pass `nextOffset` as `offset` for the next piece.',
  annotations: { readOnlyHint: true },
  inputSchema: inputSchemaOf({
    ...Object.fromEntries(owners.map((owner) => [owner, text])),
    path: { schema: { type: 'string' }, required: true },
    offset: { schema: { type: 'integer', minimum: 0, default: 0 }, required: false },
  }),
  outputSchema: {
    type: 'object',
    required: ['piece', 'bytes', 'offset'],
    properties: {
      piece: { type: 'string' },
      bytes: { type: 'integer' },
      offset: { type: 'integer' },
      nextOffset: { type: 'integer' },
    },
  },
  isWrite: false,
  routes: [getRun, listSteps, listLogs, getEvent, getApproval, getWebhookDelivery, getSourceDelivery],
  async run(call) {
    const path = pathOf(call);
    const offset = offsetOf(call);
    const source = await find(call, path);
    if (source === undefined) throw notFound('payload not found');
    const room = call.maxBytes - Buffer.byteLength(about) - shortenedHint.length - fenceBytes;
    const piece = pieceAt(source, offset, room);
    if (!piece) throw invalid('offset must be 0 or the nextOffset of another piece');
    return { about, data: { ...piece }, isExact: true };
  },
};

/** The text of the value; undefined if there is none. Throws `notFound` for an unknown owner. */
async function find(call: ToolCall, path: readonly string[]): Promise<string | undefined> {
  const [head, name = '', ...below] = path;
  const { owner, id } = ownerOf(call);
  if (owner === 'runId' && head === 'steps') return findInStep(call, id, name, below);
  if (owner === 'runId' && head === 'logs') return findInLog(call, id, name, below);
  const only = { variables: { input: head === 'input', result: head === 'result' } };
  const { body } = await readers[owner](of(call, id), owner === 'runId' ? only : {});
  return findSource(body, path);
}

async function findInStep(
  call: ToolCall,
  id: string,
  name: string,
  below: readonly string[],
): Promise<string | undefined> {
  const attempt = readAttemptName(name);
  if (!attempt) throw invalid('path: a step is named by its index and attempt, such as /steps/3.1/output');
  const columns = Object.fromEntries(['input', 'output', 'ai', 'error'].map((each) => [each, below[0] === each]));
  const after = attempt.index > maxInt32 || attempt.attempt > maxInt32 ? undefined : cursorBefore(attempt);
  const variables = { first: 1, after, index: Math.min(attempt.index, maxInt32), ...columns };
  const { body } = await readSteps(of(call, id), { variables });
  const [step] = Array.isArray(body) ? body : [];
  return step?.index === attempt.index && step.attempt === attempt.attempt ? findSource(step, below) : undefined;
}

async function findInLog(
  call: ToolCall,
  id: string,
  name: string,
  below: readonly string[],
): Promise<string | undefined> {
  const seq = /^\d{1,9}$/.test(name) ? Number(name) : 0;
  if (seq === 0) throw invalid('path: a log line is named by its seq, such as /logs/7/fields');
  const instead: Instead = { query: { from: String(seq - 1), limit: '1' } };
  const { body } = await readLogs(of(call, id), instead);
  const [line] = Array.isArray(body) ? body : [];
  return line?.seq === seq ? findSource(line, below) : undefined;
}

/** The call with the arguments of the owner's route. */
const of = (call: ToolCall, id: string): ToolCall => ({ ...call, arguments: readJson(JSON.stringify({ id })) });

/** The one owner that the arguments name. Throws `invalid`. */
function ownerOf(call: ToolCall): { owner: Owner; id: string } {
  const named = owners.filter((owner) => memberOf(call.arguments, owner) !== undefined);
  const [owner] = named;
  if (owner === undefined || named.length > 1) throw invalid(`name one owner: ${owners.join(', ')}`);
  const id = memberOf(call.arguments, owner);
  if (typeof id !== 'string') throw invalid(`${owner} must be a string`);
  return { owner, id };
}

function pathOf(call: ToolCall): readonly string[] {
  const value = memberOf(call.arguments, 'path');
  const path = typeof value === 'string' && value.length <= pathBounds.characters ? readPointer(value) : undefined;
  if (!path || path.length === 0 || path.length > pathBounds.parts)
    throw invalid('path must be a JSON pointer, such as /input/items/3');
  return path;
}

function offsetOf(call: ToolCall): number {
  const value = memberOf(call.arguments, 'offset') ?? 0;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw invalid('offset must be an integer from 0');
  return value;
}
