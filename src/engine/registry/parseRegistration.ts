import { protocolVersion } from '@holdfast/sdk/protocol';
import { maxNameLength } from '../codePoints.ts';
import { invalid } from '../errors.ts';
import type { Definition } from '../model/index.ts';
import type { EngineLimits } from '../settings.ts';
import type { Steps } from '../slices.ts';
import { checkCharacters, malformed, parseName, parseOptionalName } from './names.ts';
import { parseWorkflow } from './parseWorkflow.ts';

/** The metadata of a runner, shown as reported. */
export interface RunnerMetadata {
  runtime: string | undefined;
  language: string | undefined;
  framework: string | undefined;
  sdkName: string | undefined;
  version: string | undefined;
  region: string | undefined;
}

/** A valid body of `POST /register`, or `hello` frame. */
export interface ParsedRegistration {
  app: string;
  /** The runner's own stable id. */
  runner: string | undefined;
  url: string | undefined;
  maxInFlight: number;
  metadata: RunnerMetadata;
  definitions: Definition[];
}

export const maxRunnerUrlLength = 2048;

/**
 * Reads a registration. Throws `invalid`, naming workflow and field, if any part is malformed: then
 * no part may be registered. Unknown fields are ignored, except policies, and members of policies,
 * `retry` and triggers. A registration may have thousands of guards and schedules, so it is read in
 * steps.
 */
export function* parseRegistration(value: unknown, limits: EngineLimits): Steps<ParsedRegistration> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed({ field: 'registration' }, 'must be an object');
  }
  const body: Record<string, unknown> = { ...value };
  const versionFault = protocolVersionFault(body['protocolVersion']);
  if (versionFault !== undefined) throw invalid(versionFault);
  const app = parseName(body['app'], { field: 'app' });
  return {
    app,
    runner: parseOptionalName(body['runner'], { field: 'runner' }),
    url: parseText(body['url'], 'url', maxRunnerUrlLength),
    maxInFlight: parseMaxInFlight(body['maxInFlight']),
    metadata: parseMetadata(body),
    definitions: yield* parseWorkflows(body['workflows'], app, limits),
  };
}

/**
 * Answers why a peer of this protocol version is refused (9); undefined if it is not. A peer that
 * names no version is taken to be compatible.
 */
export function protocolVersionFault(version: unknown): string | undefined {
  if (version === undefined || version === null || version === protocolVersion) return undefined;
  return `protocolVersion ${JSON.stringify(version)} is not supported: this service speaks version ${protocolVersion}`;
}

function* parseWorkflows(value: unknown, app: string, limits: EngineLimits): Steps<Definition[]> {
  if (!Array.isArray(value)) throw malformed({ field: 'workflows' }, 'must be an array');
  if (value.length > limits.workflowsPerRegistration) {
    throw malformed({ field: 'workflows' }, `must not be more than ${limits.workflowsPerRegistration}`);
  }
  if (value.reduce((sum: number, each) => sum + countTriggers(each), 0) > limits.triggersPerRegistration) {
    throw malformed(
      { field: 'workflows' },
      `must not have more than ${limits.triggersPerRegistration} triggers together`,
    );
  }
  const definitions: Definition[] = [];
  for (const [index, each] of value.entries()) {
    yield;
    definitions.push(yield* parseWorkflow(each, app, `workflows[${index}]`, limits));
  }
  const names = new Set<string>();
  for (const { name } of definitions) {
    if (names.has(name)) throw malformed({ workflow: name, field: 'name' }, 'is registered twice');
    names.add(name);
  }
  return definitions;
}

/** Events of `cancelOn` count as triggers. */
function countTriggers(workflow: unknown): number {
  if (typeof workflow !== 'object' || workflow === null) return 0;
  const { triggers, cancelOn } = workflow as Record<string, unknown>;
  return [triggers, cancelOn].reduce((sum: number, each) => sum + (Array.isArray(each) ? each.length : 0), 0);
}

function parseMetadata(body: Record<string, unknown>): RunnerMetadata {
  const text = (field: keyof RunnerMetadata): string | undefined => parseText(body[field], field, maxNameLength);
  return {
    runtime: text('runtime'),
    language: text('language'),
    framework: text('framework'),
    sdkName: text('sdkName'),
    version: text('version'),
    region: text('region'),
  };
}

function parseText(value: unknown, field: string, maxLength: number): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw malformed({ field }, 'must be a string');
  if (value.length > maxLength) throw malformed({ field }, `must be at most ${maxLength} characters long`);
  checkCharacters(value, { field });
  return value;
}

function parseMaxInFlight(value: unknown): number {
  const maxInFlight = readMaxInFlight(value);
  if (maxInFlight === undefined) throw malformed({ field: 'maxInFlight' }, maxInFlightRule);
  return maxInFlight;
}

const defaultMaxInFlight = 100;
export const maxInFlightLimit = 100_000;

/** The reason of `readMaxInFlight`, to follow the field's name. */
export const maxInFlightRule = `must be an integer from 1 to ${maxInFlightLimit}`;

/**
 * The maximum number of concurrent passes of a runner, from its registration or `hello`; default
 * 100. Undefined if invalid.
 */
export function readMaxInFlight(value: unknown): number | undefined {
  const count = value ?? defaultMaxInFlight;
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= maxInFlightLimit;
  return isCount ? count : undefined;
}
