import type { SecretRef, UnreadableSecrets } from './engine/secrets/index.ts';
import { keysFile } from './keysFile.ts';
import type { Settings } from './settings.ts';

/** Secrets that a text names. */
const maxNamed = 5;

/** Why the service does not start, and what the operator can do: a paragraph for each cause. */
export function unreadableText(
  { foreign, damaged, repairable }: UnreadableSecrets,
  { isProduction, dataDir }: Pick<Settings, 'isProduction' | 'dataDir'>,
): string {
  const paragraphs = [
    foreign.length > 0 && [
      `the database holds secrets that were sealed under another operator key, and this key does not open them: ${named(foreign)}.`,
      `Set OPERATOR_KEY to the former key${isProduction ? '' : `, or restore ${keysFile(dataDir)}`}.`,
      'Or name the former key in OPERATOR_KEY_FORMER, and run "npx holdfast secrets reseal".',
      'ALLOW_NEW_OPERATOR_KEY=true accepts this key; secrets whose key is not known must then be set again',
    ],
    repairable.length > 0 && [
      `${count(repairable, 'has', 'have')} damaged first bytes: ${named(repairable)}.`,
      `The operator key opens the rest of ${repairable.length > 1 ? 'them' : 'it'}.`,
      `Run "npx holdfast secrets reseal", which repairs ${repairable.length > 1 ? 'them' : 'it'}.`,
    ],
    damaged.length > 0 && [
      `${count(damaged, 'is', 'are')} damaged, or a newer version sealed ${damaged.length > 1 ? 'them' : 'it'}: ${named(damaged)}.`,
      'Restore a backup. Or start with ALLOW_NEW_OPERATOR_KEY=true, and set them again:',
      'provider keys with "npx holdfast providers set", secrets of webhooks by a rotation.',
      'HTTP runners get a new invoke secret at their next registration',
    ],
  ];
  return paragraphs.flatMap((sentences) => (sentences ? [sentences.join(' ')] : [])).join('\n');
}

const count = (secrets: readonly SecretRef[], one: string, several: string): string =>
  secrets.length === 1
    ? `a sealed secret of the database ${one}`
    : `${secrets.length} sealed secrets of the database ${several}`;

function named(secrets: readonly SecretRef[]): string {
  const shown = secrets
    .slice(0, maxNamed)
    .map(({ kind, name, projectId }) => `${kind} ${name} of project ${projectId}`);
  const more = secrets.length > maxNamed ? [`${secrets.length - maxNamed} more`] : [];
  // Runners choose the names of apps.
  return [...shown, ...more].join(', ').replace(/\p{Cc}+/gu, ' ');
}
