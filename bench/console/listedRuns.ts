import type { Service } from '../service.ts';
import type { Person } from './person.ts';

const rowsOfPage = `[...document.querySelectorAll('tr[data-index]')].map((row) => ({
  id: row.querySelector('input')?.getAttribute('aria-label')?.slice(-36),
  status: row.cells[1]?.textContent?.trim().toLowerCase() }))`;

interface ShownRow {
  id: string;
  status: string;
}

/** How many rows the list of runs shows, and how many of them differ from the service's list. */
export async function listedRuns(person: Person, service: Service): Promise<{ shown: number; differ: number }> {
  const shown = await person.evaluate<ShownRow[]>(rowsOfPage);
  if (shown.length === 0) throw new Error('the list shows no run');
  const runs = await readRuns(service);
  const differ = shown.filter(({ id, status }, at) => runs[at]?.id !== id || runs[at]?.status !== status);
  return { shown: shown.length, differ: differ.length };
}

async function readRuns({ baseUrl, apiKey }: Service): Promise<ShownRow[]> {
  const response = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ runs(first: 100) { nodes { id status } } }' }),
  });
  const { data } = (await response.json()) as { data: { runs: { nodes: ShownRow[] } } };
  return data.runs.nodes.map(({ id, status }) => ({ id, status: status.toLowerCase() }));
}
