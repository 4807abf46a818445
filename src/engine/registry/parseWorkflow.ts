import { createHash } from 'node:crypto';
import type { Definition } from '../model/index.ts';
import type { EngineLimits } from '../settings.ts';
import { parseName } from './names.ts';
import { isPolicyName, parseFlowControl } from './parseFlowControl.ts';
import { parseRetry } from './parseRetry.ts';
import { parseSteps } from './parseSteps.ts';
import { parseTriggers } from './parseTriggers.ts';
import { malformed } from './registrationError.ts';

/**
 * Reads one entry of a registration's `workflows` (4.10). Fields that it does not know are ignored, save those that look
 * like a policy, and those inside of what it does know: a misspelt one must not go unheeded.
 */
export function parseWorkflow(value: unknown, app: string, field: string, limits: EngineLimits): Definition {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed({ field }, 'must be an object');
  const entry: Record<string, unknown> = { ...value };
  const name = parseName(entry['name'], { field: `${field}.name` });
  const content = {
    retry: parseRetry(entry['retry'], name),
    onFailure: parseOnFailure(entry['onFailure'], name),
    triggers: parseTriggers(entry['triggers'], name, limits),
    flowControl: parseFlowControl(entry, name),
    steps: parseSteps(entry['steps'], name),
  };
  refuseUnknownPolicies(entry, name);
  return { name, app, version: hashOf({ app, name, ...content }), ...content };
}

const plainFields = ['name', 'triggers', 'retry', 'onFailure', 'steps'];

/** Every policy is an object, and so is whatever was meant to be one. */
function refuseUnknownPolicies(entry: Record<string, unknown>, workflow: string): void {
  for (const [field, value] of Object.entries(entry)) {
    const isPolicy = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isPolicy && !plainFields.includes(field) && !isPolicyName(field))
      throw malformed({ workflow, field }, 'is unknown');
  }
}

function parseOnFailure(value: unknown, workflow: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw malformed({ workflow, field: 'onFailure' }, 'must be a boolean');
  return value;
}

/** The same definition has the same hash, in whatever order its fields were sent. */
function hashOf(definition: object): string {
  return createHash('sha256').update(JSON.stringify(definition, sortKeys)).digest('hex');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
