import { wordsOf } from '../../design/statusPalette.ts';

/** A part of an entry in words; with `to`, a link. */
export interface Part {
  text: string;
  to?: readonly string[];
  search?: Record<string, unknown>;
}

interface Entry {
  id: string;
  action: string;
  runId?: string | null | undefined;
  newRunId?: string | null | undefined;
  detail?: unknown;
}

/** What an entry changed: links to the run, its replay, the runs of a bulk call, or a webhook. */
export function partsOf({ id, action, runId, newRunId, detail }: Entry): Part[] {
  const known = recordOf(detail);
  const parts: (Part | false)[] = [
    runId != null && { text: `Run …${runId.slice(-6)}`, to: ['runs', runId] },
    typeof known['step'] === 'string' && { text: `step “${known['step']}”` },
    known['editedArgs'] === true && { text: 'with edited arguments' },
    newRunId != null && { text: `New run …${newRunId.slice(-6)}`, to: ['runs', newRunId] },
    ...countsOf(action, id, known),
    ...webhookParts(known),
    typeof known['workflow'] === 'string' && { text: `${String(known['app'] ?? '')} / ${known['workflow']}` },
    Array.isArray(known['fields']) && { text: `changed ${known['fields'].join(', ')}` },
    known['revokedPrevious'] === true && { text: 'ended the old secret' },
  ];
  return parts.filter((part): part is Part => part !== false);
}

/** `replayed 12 of 40`, with a link to the runs that the call made. */
function countsOf(action: string, id: string, known: Record<string, unknown>): Part[] {
  const verb = ['replayed', 'cancelled', 'redelivered'].find((word) => typeof known[word] === 'number');
  if (!verb) return [];
  const text = `${verb} ${known[verb]} of ${known['matched'] ?? '?'}`;
  return [
    action.startsWith('BULK_RE') && verb !== 'replayed' ? { text } : { text, to: ['runs'], search: { bulk: id } },
  ];
}

function webhookParts({ name, endpointId, sourceId, deliveryId }: Record<string, unknown>): Part[] {
  const named = typeof name === 'string' ? [{ text: `“${name}”` }] : [];
  const link = (value: unknown, label: string, ...to: string[]): Part[] =>
    typeof value === 'string' ? [{ text: `${label} …${value.slice(-6)}`, to: ['webhooks', ...to, value] }] : [];
  return [
    ...named,
    ...link(endpointId, 'Endpoint', 'endpoints'),
    ...link(sourceId, 'Source', 'sources'),
    ...(sourceId === undefined ? link(deliveryId, 'Delivery', 'deliveries') : link(deliveryId, 'Message', 'inbound')),
  ];
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Where the call came from, if not from the API. */
export const surfaceOf = (detail: unknown): string | undefined => {
  const via = recordOf(detail)['via'];
  return typeof via === 'string' ? wordsOf(via) : undefined;
};
