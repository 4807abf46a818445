import { describe, expect, it } from 'vitest';
import { idIn, targetsById, targetsByText } from './searchTargets.ts';

const id = '0198f3c2-7a1e-7c3b-9f1e-2b7f6a1c9d10';

describe('the search', () => {
  it('finds the id in a link or a line of a log', () => {
    expect(idIn(`http://localhost:3000/console/runs/${id.toUpperCase()}?tab=logs`)).toBe(id);
    expect(idIn(`run ${id} failed`)).toBe(id);
    expect(idIn('invoice')).toBeUndefined();
  });

  it('leads to whatever has the id', () => {
    const found = targetsById({ run: { id, app: 'a', workflow: 'invoice', status: 'WAITING' }, event: null });
    expect(found).toEqual([{ label: 'Run of invoice', detail: 'waiting', to: ['runs', id] }]);
  });

  it('offers pages, workflows and runs with the text', () => {
    const known = { pages: [{ label: 'Runs', to: ['runs'] }], workflows: [{ app: 'shop', name: 'invoice' }] };
    expect(targetsByText('inv', known).map(({ label }) => label)).toEqual(['invoice', 'Runs with “inv”']);
    expect(targetsByText('', known).map(({ label }) => label)).toEqual(['Runs']);
  });
});
