import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, checkText } from '../misuse.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import { changedKind, hasKeys } from './saved.ts';

/** A message to an address outside. */
export interface WebhookOptions {
  /** An `http` or `https` URL without credentials. */
  url: string | URL;
  /** The body, as JSON. Default: `null`. */
  data?: unknown;
}

export function webhookWork(step: string, options: WebhookOptions): StepWork<{ deliveryId: string }> {
  checkFields(options, `step "${step}" needs an address, such as { url: 'https://example.com/hooks', data: … }`);
  const { url, data } = options;
  const webhookUrl = url instanceof URL ? url.href : url;
  checkText(webhookUrl, `the url of step "${step}"`);
  return {
    kind: 'Webhook',
    read(saved, name) {
      if (hasKeys(saved, 'deliveryId')) return asDeclared(saved);
      throw changedKind(name, 'a message that it sent to a URL');
    },
    perform: (name, id) => report({ op: 'Webhook', id, name, webhookUrl }, true, { data }),
  };
}
