import type { WorkflowAddress } from '../client/workflows.ts';
import { StepError } from '../errors.ts';
import { type ApprovalDecision, type ApprovalQuestion, approvalWork } from '../execute/approvalStep.ts';
import { childWork } from '../execute/childStep.ts';
import { OversizeError, opcodeLimitBytes, type Report, reportFailure } from '../execute/opcodeText.ts';
import type { StepWork } from '../execute/pass.ts';
import { bodyStep, runWork, type StepInfo, type StepOptions, type StepSurroundings } from '../execute/runStep.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, MisuseError } from '../misuse.ts';
import type { InferPart, InferToolCall } from '../protocol.ts';
import type { AnyWorkflow } from '../workflow.ts';
import type { InputOfSchema, JsonSchema, TypedSchema } from './schema.ts';

/**
 * Owns: the execution of one tool call of an agent, and what the model is told of it.
 * Does not own: the order of the turns (`agentStep.ts`).
 */

export type ToolSchema = TypedSchema | JsonSchema;

/** The type of a tool's input; `unknown` for a JSON Schema. */
export type InputOfTool<Schema> = Schema extends TypedSchema ? InputOfSchema<Schema> : unknown;

/** A tool of an agent: either `execute` or `workflow` does its work. */
export type AgentTool<Schema extends ToolSchema = ToolSchema> = ToolFacts<Schema> & StepOptions & ToolAction<Schema>;

interface ToolFacts<Schema extends ToolSchema> {
  /** Tells the model when to use the tool. */
  description?: string | undefined;
  inputSchema: Schema;
  /** Asks people before each call. Default: none is asked. */
  approval?: AgentApproval<InputOfTool<Schema>> | undefined;
}

type ToolAction<Schema extends ToolSchema> =
  | {
      /** The body of a step. Its result goes to the model, as JSON. */
      execute(input: InputOfTool<Schema>, info: StepInfo): unknown;
      workflow?: undefined;
    }
  | {
      /** Runs as a child, with the input as its data. Its result goes to the model. */
      workflow: AnyWorkflow | WorkflowAddress;
      execute?: undefined;
    };

/** The question to the people. The tool's name and its input are added. */
export interface AgentApproval<Input = unknown> extends Omit<ApprovalQuestion, 'tool' | 'summary'> {
  /** The question in a sentence. */
  summary?: string | ((input: Input) => string) | undefined;
}

/** The part of a pass that a call of a tool uses. */
export interface ToolSurroundings {
  take<T>(id: string, work: StepWork<T>): Promise<T>;
  readonly surroundings: StepSurroundings;
}

/** Throws a `MisuseError` for a tool that cannot be called. */
export function checkAgentTool(step: string, name: string, tool: unknown): void {
  const field = `tool "${name}" of step "${step}"`;
  checkFields(tool, `${field} must be an object, such as { inputSchema, execute }`);
  const { execute, workflow } = asDeclared<{ execute?: unknown; workflow?: unknown }>(tool);
  if ((execute === undefined) === (workflow === undefined))
    throw new MisuseError(`${field} needs either execute or workflow`);
  if (execute !== undefined && typeof execute !== 'function')
    throw new MisuseError(`the execute of ${field} must be a function`);
}

/**
 * Makes a call, and returns what the model is told. Only the failure of a step is told; a misuse of
 * steps, or a handler that diverged, is thrown.
 */
export async function callTool(
  step: string,
  call: InferToolCall,
  tool: AgentTool,
  { take, surroundings }: ToolSurroundings,
): Promise<InferPart> {
  if (call.invalid !== undefined) return failed(call, `the input does not fit the schema of the tool: ${call.invalid}`);
  try {
    const decision = await approved(step, call, tool, take);
    if (decision?.status === 'denied')
      return failed(call, `the call was denied by ${decision.decidedBy}; it was not executed`);
    const edited = decision !== undefined && 'editedArgs' in decision;
    const input = edited ? decision.editedArgs : call.input;
    const output = await take(step, toolWork(step, tool, input, surroundings));
    return told(call, edited ? { note: editNote, arguments: input, result: output } : output);
  } catch (cause) {
    if (cause instanceof StepError) return failed(call, cause.message);
    throw cause;
  }
}

/** The answer to a call of a tool that the agent does not have. */
export function unknownTool(call: InferToolCall, names: readonly string[]): InferPart {
  const others = names.length === 0 ? '' : `; the tools are ${names.join(', ')}`;
  return failed(call, `there is no tool "${call.name}"${others}`);
}

const editNote = 'a person edited the arguments before the call was executed';

async function approved(
  step: string,
  { name, input }: InferToolCall,
  { approval }: AgentTool,
  take: ToolSurroundings['take'],
): Promise<ApprovalDecision | undefined> {
  if (approval === undefined) return undefined;
  const { summary, ...question } = approval;
  const asked = {
    ...question,
    tool: name,
    args: input,
    ...(summary !== undefined && { summary: typeof summary === 'function' ? summary(input) : summary }),
  };
  return take(`${step}/approval`, approvalWork<ApprovalDecision>(`${step}/approval`, asked));
}

function toolWork(step: string, tool: AgentTool, input: unknown, surroundings: StepSurroundings): StepWork<unknown> {
  const { execute, workflow, timeout, retry } = tool;
  if (workflow !== undefined) return childWork(step, workflow, { data: input });
  const limits = { timeout, retry, input };
  const work = runWork(
    bodyStep(step, [limits, (given, info) => execute.call(tool, given, info)], surroundings),
    surroundings,
  );
  return { ...work, perform: (name, id) => withinLimit(name, id, work) };
}

/**
 * A result that is too large fails only the step, so that the model is told and may ask for less.
 * Another attempt would give the same.
 */
async function withinLimit(name: string, id: string, work: StepWork<unknown>): Promise<Report> {
  try {
    return await work.perform(name, id);
  } catch (cause) {
    if (!(cause instanceof OversizeError)) throw cause;
    const error = new Error(
      `the result of the tool has ${cause.dataBytes} bytes; it may have about ${Math.floor(opcodeLimitBytes / 1024) - 2} KiB`,
    );
    return reportFailure(name, id, error, { retry: { maxAttempts: 1 } });
  }
}

function told({ id, name }: InferToolCall, output: unknown): InferPart {
  return { type: 'tool_result', id, name, output };
}

function failed({ id, name }: InferToolCall, message: string): InferPart {
  return { type: 'tool_result', id, name, output: message, isError: true };
}
