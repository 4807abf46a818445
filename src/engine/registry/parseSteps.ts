import type { StepManifestEntry } from '@holdfast/sdk/protocol';
import { checkCharacters, parseName } from './names.ts';
import { malformed } from './registrationError.ts';

const maxDescription = 1024;

/** Reads the step manifest (2.3): metadata for views, whatever the handler really does. Undefined when none is declared. */
export function parseSteps(value: unknown, workflow: string): StepManifestEntry[] | undefined {
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
