import { type HoldfastError, invalid } from '../errors.ts';

/** Where in a registration something is wrong: the workflow, if it is one's, and the field as the runner wrote it. */
export interface Place {
  workflow?: string | undefined;
  field: string;
}

/** What is thrown for a malformed registration; `reason` follows the field's name, as in "must be a number". */
export function malformed({ workflow, field }: Place, reason: string): HoldfastError {
  return invalid(`${workflow === undefined ? '' : `workflow ${JSON.stringify(workflow)}: `}${field} ${reason}`);
}
