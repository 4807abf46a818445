import { type Policies, type PolicyName, policyNames, policyOf } from './simulationPolicies.ts';

/**
 * The URL has the tried policies as JSON of those that differ from the ones in force: their fields,
 * or `null` for one that is switched off. What it cannot be counts as in force.
 */
export function readTried(text: string | undefined, force: Policies): Policies {
  const given = objectIn(text);
  return Object.fromEntries(
    policyNames.flatMap((name) => {
      const policy = given[name] === null ? undefined : (policyOf(name, given[name]) ?? force[name]);
      return policy ? [[name, policy]] : [];
    }),
  );
}

function objectIn(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The text for the URL; undefined if all is as in force. */
export function writeTried(tried: Policies, force: Policies): string | undefined {
  const changed = policyNames.filter((name) => isChanged(name, tried, force));
  if (changed.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(changed.map((name) => [name, tried[name] ?? null])));
}

/** Whether a policy is tried otherwise than it is in force. */
export const isChanged = (name: PolicyName, tried: Policies, force: Policies): boolean =>
  textOf(tried[name]) !== textOf(force[name]);

const textOf = (policy: object | undefined): string => JSON.stringify(policy && Object.entries(policy).sort());
