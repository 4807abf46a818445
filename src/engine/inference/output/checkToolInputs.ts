import type { Tool } from '../inferRequest.ts';
import type { ToolCall } from '../modelAnswer.ts';

export function checkToolInputs(_tools: readonly Tool[], _calls: ToolCall[]): void {}
