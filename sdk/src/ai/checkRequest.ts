import { checkFields, checkText, described, MisuseError } from '../misuse.ts';
import { inferRoles } from './inferData.ts';

/**
 * Owns: which requests cannot be right, whatever the provider.
 * Does not own: what a provider or the service refuses, such as an unknown model.
 */

type Check = readonly [isValid: (value: unknown) => boolean, expected: string];

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const checks = new Map<string, Check>([
  ['provider', [isText, 'a string that is not empty']],
  ['system', [(value) => typeof value === 'string', 'a string']],
  ['temperature', [(value) => isNumber(value) && value >= 0, 'a number from 0']],
  ['maxTokens', [isCount, 'a whole number from 1']],
  ['topP', [(value) => isNumber(value) && value >= 0 && value <= 1, 'a number from 0 to 1']],
  ['stop', [(value) => Array.isArray(value) && value.every(isText), 'a list of strings that are not empty']],
  ['seed', [Number.isSafeInteger, 'a whole number']],
  ['reasks', [(value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 3, '0 to 3']],
  ['cache', [(value) => typeof value === 'boolean', 'true or false']],
  ['onUnknown', [(value) => value === 'repeat' || value === 'fail', '"repeat" or "fail"']],
  ['options', [isObject, 'an object']],
  ['dimensions', [isCount, 'a whole number from 1']],
]);

/** Throws a `MisuseError` for the first field that cannot be right. */
export function checkRequestFields(step: string, request: object): void {
  for (const [field, value] of Object.entries(request)) {
    const check = checks.get(field);
    if (check === undefined || value === undefined) continue;
    const [isValid, expected] = check;
    if (!isValid(value)) throw wrong(`the ${field} of step "${step}"`, expected, value);
  }
}

/** Either a prompt or messages. */
export function checkPrompt(step: string, { prompt, messages }: { prompt?: unknown; messages?: unknown }): void {
  if ((prompt === undefined) === (messages === undefined)) {
    const given = prompt === undefined ? 'neither' : 'both';
    throw new MisuseError(`step "${step}" needs either a prompt or messages; it has ${given}`);
  }
  if (messages === undefined) {
    checkText(prompt, `the prompt of step "${step}"`);
    return;
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    throw wrong(`the messages of step "${step}"`, 'a list that is not empty', messages);
  }
  for (const [index, message] of messages.entries()) checkMessage(`message ${index} of step "${step}"`, message);
}

function checkMessage(field: string, message: unknown): void {
  checkFields(message, `${field} must be an object, such as { role: 'user', content: '…' }`);
  const role = 'role' in message ? message.role : undefined;
  if (!inferRoles.some((known) => known === role)) {
    throw wrong(`the role of ${field}`, inferRoles.map((known) => `"${known}"`).join(', '), role);
  }
  const content = 'content' in message ? message.content : undefined;
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) throw wrong(`the content of ${field}`, 'a string or a list of parts', content);
  for (const [index, part] of content.entries()) {
    checkFields(part, `part ${index} of ${field} must be an object, such as { type: 'text', text: '…' }`);
    checkText('type' in part ? part.type : undefined, `the type of part ${index} of ${field}`);
  }
}

/** Tools by name, and a choice among them. */
export function checkTools(step: string, { tools, toolChoice }: { tools?: unknown; toolChoice?: unknown }): void {
  if (tools !== undefined && !Array.isArray(tools)) throw wrong(`the tools of step "${step}"`, 'a list', tools);
  const names = new Set<unknown>();
  for (const [index, tool] of (tools ?? []).entries()) {
    checkFields(tool, `tool ${index} of step "${step}" must be an object, such as { name, inputSchema }`);
    const name = 'name' in tool ? tool.name : undefined;
    checkText(name, `the name of tool ${index} of step "${step}"`);
    if (names.has(name)) throw new MisuseError(`step "${step}" has two tools named ${described(name)}`);
    names.add(name);
  }
  if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') return;
  if (toolChoice !== 'required' && !isObject(toolChoice)) {
    throw wrong(`the toolChoice of step "${step}"`, '"auto", "none", "required" or { tool: … }', toolChoice);
  }
  const wanted = chosenTool(toolChoice);
  if (names.size === 0 || (wanted !== undefined && !names.has(wanted.tool))) {
    throw new MisuseError(
      `the toolChoice of step "${step}" needs ${wanted === undefined ? 'a tool' : `a tool named ${described(wanted.tool)}`}, which the request does not have`,
    );
  }
}

function chosenTool(choice: unknown): { tool: unknown } | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined;
  return { tool: 'tool' in choice ? choice.tool : undefined };
}

function wrong(field: string, expected: string, value: unknown): MisuseError {
  return new MisuseError(`${field} must be ${expected}; it is ${described(value)}`);
}
