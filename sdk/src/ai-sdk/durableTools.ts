import type { ApprovalQuestion } from '../execute/approvalStep.ts';
import type { StepOptions } from '../execute/runStep.ts';
import { currentSteps } from '../execute/scope.ts';
import type { StepTools } from '../execute/stepTools.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, MisuseError } from '../misuse.ts';
import { StepNames } from '../stepId.ts';
import { fromCarried, toCarried } from './carried.ts';

/** How a tool executes in a run. */
export interface ToolPolicy extends StepOptions {
  /** Asks people before each execution, as `step.approval` does. Default: none is asked. */
  approval?: ToolApproval | undefined;
}

/** The question to the people. The tool's name and the arguments of the call are added. */
export type ToolApproval = Omit<ApprovalQuestion, 'tool'>;

/** A policy for each tool that needs one, by the tool's name. */
export type ToolPolicies<Tools> = { readonly [Name in keyof Tools]?: ToolPolicy | undefined };

/** The parts of a tool of the AI SDK that this library reads. */
interface Tool {
  execute?: (input: unknown, options: ToolCallOptions) => unknown;
  toModelOutput?: (result: ToolResult) => unknown;
}

interface ToolCallOptions {
  toolCallId?: string;
  abortSignal?: AbortSignal | undefined;
}

interface ToolResult {
  toolCallId: string;
  input: unknown;
  output: unknown;
}

/**
 * Makes tools of the AI SDK durable. Inside of a run each `execute` is a step with the tool's name,
 * behind an approval `<tool>/approval` where its policy asks for one. Outside of a run, and for
 * tools without `execute`, nothing changes.
 *
 * A denial fails the call with an error that the model reads. A tool executes with edited arguments
 * if there are any, and the model reads them.
 *
 * @example
 * ```ts
 * const tools = durableTools({ search, refund }, { refund: { approval: { risk: 'high' } } });
 * ```
 */
export function durableTools<Tools extends object>(tools: Tools, policies: ToolPolicies<Tools> = {}): Tools {
  checkFields(tools, 'durableTools needs an object of tools, such as { search }');
  const unknown = Object.keys(policies).find((name) => !Object.hasOwn(tools, name));
  if (unknown !== undefined) throw new MisuseError(`durableTools has a policy for "${unknown}", which is not a tool`);
  const policyOf = asDeclared<Record<string, ToolPolicy | undefined>>(policies);
  const entries = Object.entries(tools).map(([name, tool]) => [name, durableTool(name, tool, policyOf[name] ?? {})]);
  return asDeclared(Object.fromEntries(entries));
}

function durableTool(name: string, tool: unknown, { approval, ...limits }: ToolPolicy): unknown {
  checkFields(tool, `the tool "${name}" must be an object, as tool() of the AI SDK makes it`);
  const original = asDeclared<Tool>(tool);
  const { execute } = original;
  if (execute === undefined) return tool;

  const executed: Tool = {
    async execute(input, options) {
      const steps = currentSteps();
      if (steps === undefined) return execute.call(tool, input, options);
      const step = nextCall(steps, name);
      const args = approval === undefined ? input : await approvedArgs({ steps, step, name, approval, input, options });
      const saved = await steps.run(step, { ...limits, input: toCarried(args) }, async (_input, { signal }) =>
        toCarried(await lastOf(execute.call(tool, args, { ...options, abortSignal: either(signal, options) }))),
      );
      return fromCarried(saved);
    },
    ...(approval !== undefined && {
      async toModelOutput(result) {
        const told = original.toModelOutput ? await original.toModelOutput(result) : defaultOutput(result.output);
        const steps = currentSteps();
        const edited = steps && editedBy.get(steps)?.get(result.toolCallId);
        return edited === undefined ? told : withEdits(told, edited.args);
      },
    }),
  };
  return { ...tool, ...executed };
}

interface Question {
  readonly steps: StepTools;
  readonly step: string;
  readonly name: string;
  readonly approval: ToolApproval;
  readonly input: unknown;
  readonly options: ToolCallOptions;
}

/** The arguments that were approved. Throws if the call was denied: the model reads the message. */
async function approvedArgs({ steps, step, name, approval, input, options }: Question): Promise<unknown> {
  const decision = await steps.approval(`${step}/approval`, { ...approval, tool: name, args: toCarried(input) });
  if (decision.status === 'denied')
    throw new Error(`the call was denied by ${decision.decidedBy}; it was not executed`);
  if (!('editedArgs' in decision)) return input;
  const args = fromCarried<unknown>(decision.editedArgs);
  const edits = editedBy.get(steps) ?? new Map<string | undefined, { args: unknown }>();
  editedBy.set(steps, edits.set(options.toolCallId, { args }));
  return args;
}

/** Arguments that people edited in a pass, by the id of the tool call. */
const editedBy = new WeakMap<StepTools, Map<string | undefined, { args: unknown }>>();

/** The names of the calls of each tool in a pass. */
const namesOf = new WeakMap<StepTools, StepNames>();

/** Names the call in the order of the calls, whichever is approved first. */
function nextCall(steps: StepTools, name: string): string {
  const names = namesOf.get(steps) ?? new StepNames();
  namesOf.set(steps, names);
  return names.next(name);
}

/** The result of a tool. Of a tool that yields several, the last is the result. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const value of asDeclared<AsyncIterable<unknown>>(result)) last = value;
  return last;
}

function either(signal: AbortSignal, { abortSignal }: ToolCallOptions): AbortSignal {
  return abortSignal === undefined ? signal : AbortSignal.any([abortSignal, signal]);
}

/** The form in which the AI SDK tells the model of an output. */
function defaultOutput(output: unknown): unknown {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
}

/** Adds the edited arguments to what the model reads. */
function withEdits(told: unknown, args: unknown): unknown {
  const note = `a person edited the arguments of this call; it was executed with ${JSON.stringify(args)}`;
  const { type, value } = asDeclared<{ type: string; value: unknown }>(told);
  if (type === 'content' && Array.isArray(value)) return { type, value: [{ type: 'text', text: note }, ...value] };
  if (type === 'text') return { type, value: `${note}\n\n${String(value)}` };
  if (type === 'json') return { type, value: { note, result: value } };
  return told;
}
