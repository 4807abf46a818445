import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { forbidden, HoldfastError, invalid } from '../../engine/errors.ts';
import { type JsonDocument, readJson } from '../../engine/json/index.ts';
import { toResult } from '../answer/answer.ts';
import { toErrorResult } from '../answer/errors.ts';
import { checkNames, maxBytesRange, readMaxBytes } from '../catalog/arguments.ts';
import { keyOf } from '../catalog/keyOf.ts';
import type { Settings } from '../declare/settings.ts';
import type { DataAnswer, Tool, ToolAnswer, ToolCall } from '../declare/tool.ts';
import { addressWith } from '../declare/toolsets.ts';
import { isOffered, toolNamed } from '../tools/index.ts';
import { admitWrite } from '../writes/writeTurns.ts';
import { canAskPerson, clientOf } from './client.ts';
import type { Exchange } from './exchange.ts';
import { countCall, type Outcome } from './tally.ts';

/**
 * Calls a tool. A failure of the call is an answer: the SDK would show the client the message of
 * anything that is thrown. Throws for a tool that the address does not offer.
 */
export async function callTool(
  exchange: Exchange,
  settings: Settings,
  name: string,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = offered(exchange, name);
  const outcome = (word: Outcome): void => countCall(exchange.call.engine, tool.name, word);
  try {
    const call = toCall(exchange, settings, tool, context);
    const answer = await tool.run(call);
    const result = present(answer, call.maxBytes, tool);
    outcome('ask' in answer ? 'asked' : 'answered');
    return result;
  } catch (thrown) {
    const { result, isFault } = toErrorResult(exchange.call.engine, thrown, { tool: tool.name });
    outcome(isFault ? 'fault' : 'refused');
    return result;
  }
}

function offered({ selection }: Exchange, name: string): Tool {
  const tool = toolNamed(name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown tool');
  if (isOffered(tool, selection)) return tool;
  const missing = selection.toolsets.has(tool.toolset)
    ? 'the address has readonly=1'
    : `add its toolset to the address: ${addressWith(selection, tool.toolset)}`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${tool.name} is not offered here: ${missing}`);
}

const noArguments = readJson('{}');

function toCall({ call, message }: Exchange, settings: Settings, tool: Tool, context: ServerContext): ToolCall {
  const sent = message.raw('params', 'arguments');
  const given: JsonDocument = sent ? readJson(sent.text) : noArguments;
  checkNames(tool, Object(given.value));
  // 5.7: the surface's own text, before anything is read.
  const { principal } = call;
  if (tool.isWrite && principal.kind === 'public') throw forbidden(secretKeyRequired);
  const key = keyOf(principal);
  if (tool.isWrite) admitWrite(call.engine, settings.writesPerMinute, key);
  const { mcpReq } = context;
  const client = clientOf(context);
  return {
    ...call,
    client,
    arguments: given,
    maxBytes: readMaxBytes(
      given,
      Math.min(tool.maxBytes ?? maxBytesRange.max, settings.answerMaxBytes, maxBytesRange.max),
    ),
    wantsProgress: mcpReq._meta?.progressToken !== undefined,
    progress: (step, text) => tellProgress(context, step, text),
    asking: {
      canAsk: canAskPerson(context),
      answers: mcpReq.inputResponses,
      state: mcpReq.requestState<string>(),
    },
    origin: { via: 'mcp', client, key, decidesOwn: settings.selfApproval },
  };
}

export const secretKeyRequired = 'a full-access (secret) key is required';

function present(answer: ToolAnswer, maxBytes: number, tool: Tool): CallToolResult | InputRequiredResult {
  if (!('ask' in answer)) return shown(answer, maxBytes, tool);
  const { message, form, state } = answer.ask;
  return inputRequired({
    inputRequests: {
      answer: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: form as never } },
    },
    requestState: state,
  });
}

/** A write has acted, so the caller must not take its failed answer for a refusal. */
function shown(answer: DataAnswer, maxBytes: number, { isWrite, outputSchema }: Tool): CallToolResult {
  try {
    return toResult(answer, maxBytes, outputSchema);
  } catch (error) {
    if (!isWrite || !(error instanceof HoldfastError)) throw error;
    throw invalid('the call acted, but its answer does not fit maxBytes: pass a larger one');
  }
}

/** Progress is a favour: a client that has gone does not hear of it. */
async function tellProgress({ mcpReq }: ServerContext, progress: number, message: string): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined || mcpReq.signal.aborted) return;
  try {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  } catch {}
}
