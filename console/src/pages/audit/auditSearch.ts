import type { ControlActionKind, ControlActionsQueryVariables } from '../../data/generated/graphql.ts';
import { type Infer, instantOf, moment, object, oneOf, readBy, text } from '../../router/searchFields.ts';

/** The kinds of actions, as the URL has them, in groups of the choice. */
export const actionGroups = [
  {
    title: 'Runs',
    actions: [
      'cancel',
      'pause',
      'resume',
      'replay',
      'retry_from_step',
      'bulk_replay',
      'bulk_cancel',
      'approve',
      'deny',
    ],
  },
  { title: 'Workflows', actions: ['retire_workflow', 'restore_workflow'] },
  {
    title: 'Webhooks',
    actions: [
      ...['create_webhook_endpoint', 'update_webhook_endpoint', 'delete_webhook_endpoint', 'disable_webhook_endpoint'],
      ...['create_webhook_source', 'update_webhook_source', 'delete_webhook_source', 'rotate_webhook_secret'],
      ...['redeliver_webhook', 'bulk_redeliver', 'send_test_webhook', 'replay_webhook_delivery'],
    ],
  },
  {
    title: 'Project and keys',
    actions: [
      ...['create_project', 'update_project', 'rotate_project_secrets', 'create_api_key', 'revoke_api_key'],
      ...['set_provider_key', 'remove_provider_key'],
    ],
  },
] as const;

const actions = actionGroups.flatMap((group): string[] => [...group.actions]) as [string, ...string[]];

const auditSearch = object({ action: oneOf(actions), actor: text, run: text, since: moment, until: moment });
export type AuditSearch = Infer<typeof auditSearch>;
export const readAuditSearch = readBy(auditSearch);

export const auditFilters = {
  action: 'action',
  actor: 'actor',
  run: 'run',
  since: 'since',
  until: 'until',
} as const;

export const auditVariables = (
  { action, actor, run, since, until }: AuditSearch,
  now?: number,
): Omit<ControlActionsQueryVariables, 'after'> => ({
  first: 100,
  action: action ? (action.toUpperCase() as ControlActionKind) : undefined,
  actor,
  runId: run,
  since: instantOf(since, now),
  until: instantOf(until, now),
});
