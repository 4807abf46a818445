import { readFileSync } from 'node:fs';
import type { VerificationFailure, WebhookScheme } from '../../../sdk/src/webhooks/index.ts';

export interface Vector {
  case: string;
  scheme: WebhookScheme;
  secrets: string[];
  /** In seconds. */
  now: number;
  headers: Record<string, string>;
  body?: string;
  bodyBase64?: string;
  result: 'valid' | VerificationFailure;
}

interface File {
  vectors: Vector[];
}

const file: File = JSON.parse(readFileSync(new URL('../../../sdk/webhook-vectors.json', import.meta.url), 'utf8'));

export const { vectors } = file;

export const bytesOf = ({ body, bodyBase64 }: Vector): Buffer =>
  bodyBase64 === undefined ? Buffer.from(body ?? '') : Buffer.from(bodyBase64, 'base64');
