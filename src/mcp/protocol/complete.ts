import {
  type CompleteRequestParams,
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Completer } from '../completions/completer.ts';
import type { McpCall } from '../declare/tool.ts';
import type { Selection } from '../declare/toolsets.ts';
import { resourceKinds } from '../resources/resources.ts';
import { offeredPrompt } from './prompts.ts';
import { requireToolset } from './resources.ts';

/** What was typed is a beginning: a longer text begins no value. */
const maxTyped = 256;

/** Completes an argument of a prompt or of a resource's template. */
export async function complete(
  call: McpCall,
  selection: Selection,
  { ref, argument, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  const completer = completerOf(selection, ref, argument.name);
  if (argument.value.length > maxTyped) return { completion: { values: [], hasMore: false } };
  const { values, hasMore } = await completer(call, argument.value, context?.arguments ?? {});
  return { completion: { values, hasMore } };
}

function completerOf(selection: Selection, ref: CompleteRequestParams['ref'], name: string): Completer {
  const found = ref.type === 'ref/prompt' ? ofPrompt(selection, ref.name, name) : ofResource(selection, ref.uri, name);
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown argument');
  return found;
}

const ofPrompt = (selection: Selection, prompt: string, name: string): Completer | undefined =>
  offeredPrompt(selection, prompt).arguments.find((each) => each.name === name)?.complete;

function ofResource(selection: Selection, uri: string, name: string): Completer | undefined {
  const kind = resourceKinds.find(({ template }) => template.text === uri);
  if (!kind) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown resource template');
  requireToolset(selection, kind.toolset, 'this kind of resource');
  return Object.hasOwn(kind.complete, name) ? kind.complete[name] : undefined;
}
