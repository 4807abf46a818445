/** What the search offers for a text. */
export interface Target {
  label: string;
  detail: string;
  to: readonly string[];
  search?: Record<string, unknown>;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The id in a text; the text may be a whole link or a line of a log. */
export const idIn = (text: string): string | undefined => uuid.exec(text)?.[0].toLowerCase();

/** The answers to an id that was tried as each kind of thing. */
export interface FoundById {
  run?: { id: string; app: string; workflow: string; status: string } | null;
  event?: { id: string; name: string; app: string } | null;
  approval?: { id: string; tool: string; status: string } | null;
  webhookDelivery?: { id: string; url: string } | null;
  webhookSourceDelivery?: { id: string } | null;
}

export function targetsById(found: FoundById): Target[] {
  const { run, event, approval, webhookDelivery: delivery, webhookSourceDelivery: inbound } = found;
  const targets: (Target | null | undefined)[] = [
    run && { label: `Run of ${run.workflow}`, detail: run.status.toLowerCase(), to: ['runs', run.id] },
    event && { label: `Event ${event.name}`, detail: event.app, to: ['events', event.id] },
    approval && {
      label: `Approval of ${approval.tool}`,
      detail: approval.status.toLowerCase(),
      to: ['approvals', approval.id],
    },
    delivery && { label: 'Webhook delivery', detail: delivery.url, to: ['webhooks', 'deliveries', delivery.id] },
    inbound && { label: 'Inbound webhook', detail: inbound.id, to: ['webhooks', 'inbound', inbound.id] },
  ];
  return targets.filter((target): target is Target => Boolean(target));
}

interface Known {
  pages: readonly { label: string; to: readonly string[] }[];
  workflows: readonly { app: string; name: string }[];
}

const maxWorkflows = 8;

/** Pages and workflows whose names hold the text, and the search among runs. */
export function targetsByText(text: string, { pages, workflows }: Known): Target[] {
  const wanted = text.trim().toLowerCase();
  const hasWanted = (name: string): boolean => name.toLowerCase().includes(wanted);
  const found: Target[] = [
    ...pages.filter(({ label }) => hasWanted(label)).map(({ label, to }) => ({ label, detail: 'page', to })),
    ...workflows
      .filter(({ name, app }) => wanted !== '' && (hasWanted(name) || hasWanted(app)))
      .slice(0, maxWorkflows)
      .map(({ app, name }) => ({
        label: name,
        detail: `runs of ${app}`,
        to: ['runs'],
        search: { app, workflow: name },
      })),
  ];
  if (wanted === '') return found;
  return [
    ...found,
    { label: `Runs with “${text.trim()}”`, detail: 'search', to: ['runs'], search: { q: text.trim() } },
  ];
}
