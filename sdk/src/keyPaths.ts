import type { FlowControl } from './flowControl.ts';
import { hasUnsupportedCharacter } from './names.ts';

const maxLength = 1000;

/**
 * Throws a `TypeError` unless the `key` of each policy is a dotted path of field names. The service
 * would refuse a bad path at registration; here a typo shows at the definition.
 */
export function checkKeyPaths(workflow: string, policies: FlowControl): void {
  for (const [policy, settings] of Object.entries(policies)) {
    const key: unknown = isObject(settings) && 'key' in settings ? settings.key : undefined;
    if (key === undefined || isPath(key)) continue;
    throw new TypeError(
      `workflow "${workflow}": the key of ${policy} must be a dotted path into the event's data, such as customer.id, ` +
        `no part of it empty, no U+0000 and no half of a surrogate pair in it; it is ${JSON.stringify(key)}`,
    );
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isPath = (key: unknown): boolean =>
  typeof key === 'string' &&
  key.length <= maxLength &&
  !hasUnsupportedCharacter(key) &&
  key.split('.').every((part) => part !== '');
