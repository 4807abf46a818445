import {
  type GetPromptResult,
  type Prompt as Listed,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { McpCall } from '../declare/tool.ts';
import type { Selection } from '../declare/toolsets.ts';
import { type Given, type Prompt, prompts } from '../prompts/prompts.ts';
import { requireToolset } from './resources.ts';

export const listPrompts = ({ toolsets }: Selection): Listed[] =>
  prompts
    .filter(({ toolset }) => toolsets.has(toolset))
    .map(({ name, title, description, arguments: taken }) => ({
      name,
      title,
      description,
      arguments: taken.map((each) => ({ name: each.name, description: each.description, required: each.required })),
    }));

/** A prompt by its name. Throws for an unknown one, and for one that the address does not offer. */
export function offeredPrompt(selection: Selection, name: string): Prompt {
  const prompt = prompts.find((each) => each.name === name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown prompt');
  requireToolset(selection, prompt.toolset, prompt.name);
  return prompt;
}

export async function getPrompt(
  call: McpCall,
  prompt: Prompt,
  { given, maxBytes }: { given: Given; maxBytes: number },
): Promise<GetPromptResult> {
  const taken = checked(prompt, given);
  return { description: prompt.description, messages: await prompt.messages(call, taken, maxBytes) };
}

/** The arguments without empty ones, which clients send for what a person left open. */
function checked({ name, arguments: taken }: Prompt, given: Given): Given {
  const names = taken.map((each) => each.name);
  if (Object.keys(given).some((each) => !names.includes(each)))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown argument: ${name} takes ${names.join(', ')}`);
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  for (const each of taken) {
    if (each.required && filled[each.name] === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${each.name} is required`);
  }
  return filled;
}
