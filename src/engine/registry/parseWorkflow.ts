import { createHash } from 'node:crypto';
import type { StepManifestEntry } from '@holdfast/sdk/protocol';
import { isPolicyName } from '../flow/policies/index.ts';
import type { Definition } from '../model/index.ts';
import type { EngineLimits } from '../settings.ts';
import type { Steps } from '../slices.ts';
import { checkCharacters, malformed, parseName } from './names.ts';
import { parseFlowControl } from './parseFlowControl.ts';
import { parseCancelOn, parseTriggers } from './parseTriggers.ts';
import { parseRetry } from './retry.ts';

/**
 * Reads an entry of a registration's `workflows` (4.10). Unknown fields are ignored, except those
 * that look like a policy: a misspelt policy must not be ignored.
 */
export function* parseWorkflow(value: unknown, app: string, field: string, limits: EngineLimits): Steps<Definition> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed({ field }, 'must be an object');
  const entry: Record<string, unknown> = { ...value };
  const name = parseName(entry['name'], { field: `${field}.name` });
  const content = {
    retry: parseRetry(entry['retry'], name),
    onFailure: parseOnFailure(entry['onFailure'], name),
    triggers: yield* parseTriggers(entry['triggers'], name, limits),
    flowControl: parseFlowControl(entry, name),
    steps: parseSteps(entry['steps'], name),
    maxDurationMs: parseMaxDuration(entry['maxDuration'], name),
    cancelOn: yield* parseCancelOn(entry['cancelOn'], name, limits),
  };
  refuseUnknownPolicies(entry, name);
  return { name, app, version: hashOf({ app, name, ...content }), ...content };
}

const plainFields = ['name', 'triggers', 'retry', 'onFailure', 'steps', 'maxDuration', 'cancelOn'];

/** Every policy is an object, so an unknown object may be a misspelt one. */
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

function parseMaxDuration(value: unknown, workflow: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxDurationMs) return value;
  throw malformed(
    { workflow, field: 'maxDuration' },
    `must be a positive integer of milliseconds, at most ${maxDurationMs}`,
  );
}

/** The hash of a definition, independent of the order of its fields. */
function hashOf(definition: object): string {
  return createHash('sha256').update(JSON.stringify(definition, sortKeys)).digest('hex');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const maxDescription = 1024;
/** A century, as for policies. */
const maxDurationMs = 3_153_600_000_000;

/** Reads the step manifest (2.3): metadata for views only. Undefined if none is declared. */
function parseSteps(value: unknown, workflow: string): StepManifestEntry[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw malformed({ workflow, field: 'steps' }, 'must be an array');
  const steps = value.map((each, index) => parseStep(each, workflow, `steps[${index}]`));
  return steps.length === 0 ? undefined : steps;
}

function parseStep(value: unknown, workflow: string, field: string): StepManifestEntry {
  if (typeof value !== 'object' || value === null) throw malformed({ workflow, field }, 'must be an object');
  const { name, description, hidden } = value as Record<keyof StepManifestEntry, unknown>;
  const step: StepManifestEntry = { name: parseName(name, { workflow, field: `${field}.name` }) };
  if (description !== undefined && description !== null) {
    if (typeof description !== 'string')
      throw malformed({ workflow, field: `${field}.description` }, 'must be a string');
    if (description.length > maxDescription) {
      throw malformed({ workflow, field: `${field}.description` }, `must be at most ${maxDescription} characters long`);
    }
    checkCharacters(description, { workflow, field: `${field}.description` });
    step.description = description;
  }
  if (hidden !== undefined && hidden !== null) {
    if (typeof hidden !== 'boolean') throw malformed({ workflow, field: `${field}.hidden` }, 'must be a boolean');
    step.hidden = hidden;
  }
  return step;
}
