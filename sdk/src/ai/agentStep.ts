import { MaxTurnsError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, described, MisuseError } from '../misuse.ts';
import type { InferMessage, InferPart, InferToolCall, InferUsage } from '../protocol.ts';
import { StepNames } from '../stepId.ts';
import {
  type AgentTool,
  callTool,
  checkAgentTool,
  type ToolSchema,
  type ToolSurroundings,
  unknownTool,
} from './agentTool.ts';
import { checkPrompt } from './checkRequest.ts';
import { type Generated, type GenerateRequest, generateWork, type InferSurroundings } from './generateStep.ts';

/** The tools of an agent by name. */
export type AgentTools<Schemas extends Record<string, ToolSchema>> = {
  readonly [Name in keyof Schemas]: AgentTool<Schemas[Name]>;
};

/**
 * A task for an agent. Either `prompt` or `messages` is required. Other fields go to each call of
 * the model.
 */
export interface AgentRequest<Schemas extends Record<string, ToolSchema> = Record<string, ToolSchema>>
  extends Omit<GenerateRequest, 'tools'> {
  tools: AgentTools<Schemas>;
  /** The most calls of the model, for one answer. Default: 20. */
  maxTurns?: number | undefined;
}

/** The last answer of an agent, as JSON. */
export interface AgentAnswer<Output = never> extends Omit<Generated<Output>, 'content' | 'toolCalls' | 'usage'> {
  /** How often the model was called. */
  turns: number;
  /** The conversation, with the answer: the `messages` of a further question begin with it. */
  messages: InferMessage[];
  /** The sum over the turns. */
  usage: InferUsage;
}

export interface AgentSurroundings extends ToolSurroundings {
  readonly surroundings: ToolSurroundings['surroundings'] & InferSurroundings;
  /** The ids of the agents of the pass, so that a repeated one gets a name of its own. */
  readonly names: StepNames;
}

/**
 * Calls the model until it asks for no tool. Call n is step `<id>/<n>`, and a tool call of its
 * answer is step `<id>/<n>/<tool>`.
 */
export async function agent<Output>(
  id: string,
  request: AgentRequest,
  pass: AgentSurroundings,
): Promise<AgentAnswer<Output>> {
  const { maxTurns, tools, messages, ...rest } = checked(id, request);
  const name = pass.names.next(id);
  const offered = Object.entries(tools).map(([tool, { description, inputSchema }]) => ({
    name: tool,
    inputSchema,
    ...(description !== undefined && { description }),
  }));
  let usage: InferUsage = {};
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const step = `${name}/${turn}`;
    const call = { ...rest, messages: [...messages], ...(offered.length > 0 && { tools: offered }) };
    const answer = await pass.take(step, generateWork<Generated<Output>>(step, call, pass.surroundings));
    const { content, toolCalls = [], usage: used, ...said } = answer;
    usage = sum(usage, used);
    messages.push({ role: 'assistant', content });
    if (toolCalls.length === 0) return { ...said, turns: turn, messages, usage };
    if (turn < maxTurns) messages.push({ role: 'tool', content: await callTools(step, toolCalls, tools, pass) });
  }
  throw new MaxTurnsError(`the agent "${name}" has no answer after ${maxTurns} turns: the model still calls tools`);
}

/** Makes the calls of a turn side by side. Results come in the order of the calls. */
function callTools(
  turn: string,
  calls: readonly InferToolCall[],
  tools: Record<string, AgentTool>,
  pass: AgentSurroundings,
): Promise<InferPart[]> {
  // In the order of the calls, whichever is approved first.
  const names = new StepNames();
  return Promise.all(
    calls.map((call) => {
      const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
      if (tool === undefined) return unknownTool(call, Object.keys(tools));
      return callTool(names.next(`${turn}/${call.name}`), call, tool, pass);
    }),
  );
}

interface Task extends Omit<GenerateRequest, 'tools' | 'prompt' | 'messages'> {
  tools: Record<string, AgentTool>;
  messages: InferMessage[];
  maxTurns: number;
}

function checked(step: string, request: AgentRequest): Task {
  checkFields(request, `step "${step}" needs a task, such as { model: '…', prompt: '…', tools: {} }`);
  checkPrompt(step, request);
  const { tools, prompt, messages, maxTurns = 20, ...rest } = request;
  checkFields(tools, `the tools of step "${step}" must be an object, such as { search: { inputSchema, execute } }`);
  for (const [name, tool] of Object.entries(tools)) checkAgentTool(step, name, tool);
  if (!Number.isSafeInteger(maxTurns) || maxTurns < 1)
    throw new MisuseError(`the maxTurns of step "${step}" must be a whole number from 1; it is ${described(maxTurns)}`);
  const begin = messages ?? [{ role: 'user' as const, content: prompt ?? '' }];
  return { ...rest, tools: asDeclared(tools), messages: [...begin], maxTurns };
}

const counts = ['tokensIn', 'tokensOut', 'cachedTokensIn', 'reasoningTokens', 'cost'] as const;

/** A count that no turn reported stays absent. Prices are decimal: ten turns at 0.1 add up to 1. */
function sum(one: InferUsage, other: InferUsage): InferUsage {
  const total = { ...one };
  for (const count of counts) {
    const more = other[count];
    if (more !== undefined) total[count] = Number(((one[count] ?? 0) + more).toPrecision(15));
  }
  return total;
}
