import { HoldfastError } from '../../errors.ts';
import { hasControlCharacter } from '../../json/index.ts';
import { assertAllowedUrl } from '../../net/index.ts';
import { maxUrlLength } from '../../webhooks/config/index.ts';
import { failedStep, type OpcodeEffect, type OpcodeInput, stepRow } from './opcode.ts';

/** `Webhook`: sends its data to a URL, as a delivery that is made once and then retried. */
export function webhook(input: OpcodeInput): OpcodeEffect {
  const { webhookUrl } = input.fields;
  if (typeof webhookUrl !== 'string' || webhookUrl === '') return failedStep(input, 'webhookUrl must be a URL');
  if (webhookUrl.length > maxUrlLength)
    return failedStep(input, `webhookUrl may be at most ${maxUrlLength} characters long`);
  if (hasControlCharacter(webhookUrl)) return failedStep(input, 'unsupported character in webhookUrl');
  try {
    const url = assertAllowedUrl(webhookUrl, input.targets, 'webhookUrl');
    const data = input.raw('data');
    const step = stepRow(input, { status: 'succeeded', input: data?.text, elapsedMs: 0 });
    return { kind: 'sideEffect', step, sideEffect: { kind: 'webhook', url: webhookUrl, origin: url.origin, data } };
  } catch (error) {
    if (error instanceof HoldfastError) return failedStep(input, error.message);
    throw error;
  }
}
