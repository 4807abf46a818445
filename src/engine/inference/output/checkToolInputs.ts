import type { ToolCall } from '../modelAnswer.ts';
import type { Tool } from '../request/inferRequest.ts';

export function checkToolInputs(_tools: readonly Tool[], _calls: ToolCall[]): void {}
