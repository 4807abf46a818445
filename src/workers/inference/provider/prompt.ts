import type { Json, Message, MessagePart, TextRequest } from '../../../engine/inference/index.ts';
import {
  type AssistantPart,
  compatibleName,
  type PartMetadata,
  type Prompt,
  type PromptMessage,
  type ToolOutput,
  type ToolPart,
  type UserPart,
} from './adapter.ts';
import { isObject } from './frame.ts';
import { UnusableRequest } from './unusableRequest.ts';

type PartOf<T extends MessagePart['type']> = Extract<MessagePart, { type: T }>;

/** What this service notes on a part, beside the provider's own. */
export const ownMetadata = 'holdfast';

/**
 * The messages of a request as a library takes them. Parts that the role cannot hold are left out,
 * with a warning.
 */
export function promptOf({ system, messages }: TextRequest, warnings: string[]): Prompt {
  const composed = messages.flatMap((message) => messagesOf(message, warnings));
  return system === undefined ? composed : [{ role: 'system', content: system }, ...composed];
}

function messagesOf({ role, content }: Message, warnings: string[]): PromptMessage[] {
  switch (role) {
    case 'system':
      return [{ role, content: systemText(content, warnings) }];
    case 'user':
    case 'tool':
      // Results come first: providers want them right after the calls.
      return [
        ...nonEmpty({ role: 'tool', content: content.flatMap((part) => toolParts(part)) }),
        ...nonEmpty({ role: 'user', content: content.flatMap((part) => userParts(part, warnings)) }),
      ];
    case 'assistant':
      return nonEmpty({ role, content: content.flatMap((part) => assistantParts(part)) });
  }
}

const nonEmpty = <T extends PromptMessage>(message: T): T[] => (message.content.length > 0 ? [message] : []);

function systemText(content: readonly MessagePart[], warnings: string[]): string {
  return content
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      warnings.push(`ignored in a system message: ${part.type}`);
      return [];
    })
    .join('\n');
}

function userParts(part: MessagePart, warnings: string[]): UserPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...optionsOf(part) }];
    case 'image':
    case 'file':
      return [filePart(part)];
    case 'tool_result':
      return [];
    default:
      warnings.push(`ignored in a user message: ${part.type}`);
      return [];
  }
}

/** Media are passed on as they are. A URL stays one: the provider fetches it. */
function filePart(part: PartOf<'image'> | PartOf<'file'>): Extract<UserPart, { type: 'file' }> {
  const mediaType = part.mediaType ?? 'image/*';
  const filename = part.type === 'file' ? part.filename : undefined;
  const data = part.url === undefined ? part.data : urlOf(part.url);
  return { type: 'file', mediaType, data, ...(filename === undefined ? {} : { filename }), ...optionsOf(part) };
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new UnusableRequest('the url of an image or a file is malformed');
  return new URL(text);
}

function toolParts(part: MessagePart): ToolPart[] {
  return part.type === 'tool_result' ? [resultPart(part)] : [];
}

function resultPart(part: PartOf<'tool_result'>): Extract<ToolPart, { type: 'tool-result' }> {
  const { id, name, output, isError } = part;
  return { type: 'tool-result', toolCallId: id, toolName: name, output: outputOf(output, isError), ...optionsOf(part) };
}

function outputOf(value: Json, isError = false): ToolOutput {
  if (typeof value === 'string') return { type: isError ? 'error-text' : 'text', value };
  return { type: isError ? 'error-json' : 'json', value };
}

function assistantParts(part: MessagePart): AssistantPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...optionsOf(part) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...optionsOf(part) }];
    case 'image':
    case 'file':
      return [filePart(part)];
    case 'tool_call': {
      const { id, name, input, metadata } = part;
      const own = metadata?.[ownMetadata];
      const isProviders = isObject(own) && own['providerExecuted'] === true;
      const executed = isProviders ? { providerExecuted: true } : {};
      return [{ type: 'tool-call', toolCallId: id, toolName: name, input, ...executed, ...optionsOf(part) }];
    }
    case 'tool_result':
      // Of a tool that the provider has executed itself.
      return [resultPart(part)];
  }
}

/** The provider's metadata of a part, as it came. */
function optionsOf({ metadata }: MessagePart): { providerOptions?: PartMetadata } {
  if (!metadata) return {};
  const groups = Object.entries(metadata).filter(([name]) => name !== ownMetadata);
  const options: PartMetadata = {};
  for (const [name, group] of groups) if (isOptions(group)) options[name] = group;
  const compatible = options[compatibleName];
  // The library gives signatures under the provider's name, and takes them under this one.
  if (compatible?.['thoughtSignature'] !== undefined) options['google'] = compatible;
  return Object.keys(options).length > 0 ? { providerOptions: options } : {};
}

const isOptions = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
