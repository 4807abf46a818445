import type { JsonSchema, TextRequest, Tool, ToolChoice } from '../../../engine/inference/index.ts';
import type { CallOptions, FunctionTool, LibraryWarning, ResponseSchema } from './adapter.ts';
import { promptOf } from './prompt.ts';
import type { Wire } from './route.ts';
import { isStrictSchema } from './strictSchema.ts';

/** A text request as a library takes it. Warnings are added to `warnings`. */
export function callOptions(request: TextRequest, wire: Wire, warnings: string[]): CallOptions {
  const { temperature, maxTokens, topP, stop, seed, schema, tools, toolChoice } = request;
  return {
    prompt: promptOf(request, warnings),
    // The raw frames tell of tokens before the end.
    includeRawChunks: true,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stopSequences: stop }),
    ...(seed === undefined ? {} : { seed }),
    ...(schema === undefined ? {} : { responseFormat: { type: 'json', schema: libraryFormat(schema) } }),
    ...(tools === undefined ? {} : { tools: tools.map((tool) => toolOf(tool, wire)) }),
    ...(toolChoice === undefined ? {} : { toolChoice: choiceOf(toolChoice) }),
    providerOptions: providerOptions(wire, schema),
  };
}

/**
 * `store: false`: no copy of the prompt stays with the provider, and answers come with all that the
 * next request needs.
 */
function providerOptions(wire: Wire, schema: JsonSchema | undefined): NonNullable<CallOptions['providerOptions']> {
  const strictJsonSchema = schema !== undefined && isStrictSchema(schema);
  switch (wire) {
    case 'messages':
      return {};
    case 'responses':
      return { openai: { store: false, strictJsonSchema } };
    case 'chat':
      return { compatible: { strictJsonSchema } };
  }
}

function toolOf({ name, description, inputSchema }: Tool, wire: Wire): FunctionTool {
  return {
    type: 'function',
    name,
    inputSchema: libraryFormat(inputSchema) ?? {},
    ...(description === undefined ? {} : { description }),
    // Without a word, Responses decodes strictly, and refuses most schemas.
    ...(wire === 'responses' ? { strict: isStrictSchema(inputSchema) } : {}),
  };
}

function choiceOf(choice: ToolChoice): NonNullable<CallOptions['toolChoice']> {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}

/** The libraries' type of schemas is an older draft. They pass on what they do not know. */
function libraryFormat(schema: JsonSchema): ResponseSchema & object {
  const copy: object = typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema;
  return copy;
}

/** A warning of a library in one line. */
export function warningText(warning: LibraryWarning): string {
  if (warning.type === 'other') return ownNames(warning.message);
  return ownNames(`${warning.type}: ${warning.feature}${warning.details ? ` (${warning.details})` : ''}`);
}

/** Settings by the names that a request gives them. */
const ownNames = (text: string): string =>
  text.replaceAll('maxOutputTokens', 'maxTokens').replaceAll('stopSequences', 'stop');
