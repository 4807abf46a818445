import { describe, expect, it } from 'vitest';
import { createInput, draftOf, newEndpoint, updateInput } from './endpointForm.ts';

const known = draftOf({
  url: 'https://a.example/hooks',
  name: 'billing',
  app: null,
  eventKinds: ['RUN_FAILED', 'RUN_SUCCEEDED'],
  scheme: 'SERVICE',
  enabled: true,
});

describe('the form of an endpoint', () => {
  it('leaves empty fields out of a new one', () => {
    expect(createInput({ ...newEndpoint, url: ' https://a.example ', name: ' ' })).toEqual({
      url: 'https://a.example',
      eventKinds: ['RUN_SUCCEEDED', 'RUN_FAILED', 'RUN_CANCELLED'],
      scheme: 'SERVICE',
      enabled: true,
    });
  });

  it('sends a brought secret as it is', () => {
    expect(createInput({ ...newEndpoint, url: 'x', secret: ' with spaces ' }).secret).toBe(' with spaces ');
  });

  it('changes only what differs; the order of kinds does not count', () => {
    const after = { ...known, eventKinds: ['RUN_SUCCEEDED', 'RUN_FAILED'] as const };
    expect(updateInput('e-1', known, after)).toEqual({ id: 'e-1' });
    expect(updateInput('e-1', known, { ...known, enabled: false })).toEqual({ id: 'e-1', enabled: false });
  });

  it('clears an emptied name by null', () => {
    expect(updateInput('e-1', known, { ...known, name: '' })).toEqual({ id: 'e-1', name: null });
  });
});
